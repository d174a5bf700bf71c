import type { AdminRole } from '../../auth/administration/administrator.js';
import type { ShownInvitation } from '../../people/invitations/invitations.service.js';
import { IsText, isoTime, MayBeAbsent } from '../fields.js';

export class AcceptInvitationDto {
  /** Of somebody new. */
  @MayBeAbsent(IsText(200))
  name?: string;

  /** Of somebody new 10 to 256 characters; otherwise the one that they have. */
  @MayBeAbsent(IsText(1_024))
  password?: string;
}

/** What somebody is invited to. */
export class ShownInvitationView {
  email: string;
  role: AdminRole;
  account_id: string | null;
  /** Null for operators. */
  account_name: string | null;
  expires_at: string;
  /** Somebody signs in with this address already. */
  known: boolean;
}

export function shownInvitationView({ invitation, accountName, known }: ShownInvitation): ShownInvitationView {
  const { email, role, accountId, expiresAt } = invitation;
  return { email, role, account_id: accountId ?? null, account_name: accountName ?? null, expires_at: isoTime(expiresAt), known };
}

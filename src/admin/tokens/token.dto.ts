import { IsIn } from '../../common/validation/class-validator.js';
import type { AdminToken, MadeAdminToken } from '../../auth/administration/admin-token-store.js';
import { type AdminRole, type MemberRole, memberRoles } from '../../auth/administration/administrator.js';
import { type KeyStatus, statusOf } from '../../auth/status-of.js';
import { IsClientId, IsText, IsTime, isoTime, MayBeAbsent } from '../fields.js';

export class CreateTokenDto {
  @MayBeAbsent(IsClientId())
  id?: string;

  /** What the token is for. */
  @MayBeAbsent(IsText(200))
  label?: string;

  /** Absent: never. */
  @MayBeAbsent(IsTime())
  expires_at?: string;

  /** Of every member's token, and of no operator's. */
  @MayBeAbsent(IsIn(memberRoles))
  role?: MemberRole;
}

export class TokenView {
  id: string;
  role: AdminRole;
  /** Null for operators. */
  account_id: string | null;
  label: string;
  status: KeyStatus;
  /** Its first and last four characters. */
  display: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
}

export class MadeTokenView extends TokenView {
  /** The full token. It is shown when it is made and never again: null in the answer to a repetition. */
  token: string | null;
}

export function tokenView(token: AdminToken): TokenView {
  const { id, role, accountId, label, display, createdAt, expiresAt, revokedAt } = token;
  return {
    id,
    role,
    account_id: accountId ?? null,
    label,
    status: statusOf(token),
    display,
    created_at: isoTime(createdAt),
    expires_at: isoTime(expiresAt),
    revoked_at: isoTime(revokedAt),
  };
}

export function madeTokenView({ adminToken, token }: Pick<MadeAdminToken, 'adminToken'> & Partial<MadeAdminToken>): MadeTokenView {
  return Object.assign(tokenView(adminToken), { token: token ?? null });
}

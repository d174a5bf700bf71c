import { IsIn } from 'class-validator';
import { type AdminRole, type MemberRole, memberRoles } from '../../auth/administration/administrator.js';
import type { Invitation } from '../../people/invitations/invitation-store.js';
import type { Member } from '../../people/member-store.js';
import { IsText, isoTime, MayBeAbsent } from '../fields.js';

export class ChangeMemberDto {
  @MayBeAbsent()
  @IsIn(memberRoles)
  role?: MemberRole;
}

export class InviteOperatorDto {
  @IsText(320)
  email: string;
}

export class InviteMemberDto extends InviteOperatorDto {
  @IsIn(memberRoles)
  role: MemberRole;
}

/** Somebody's place in an account. */
export class MemberView {
  user_id: string;
  email: string;
  name: string;
  role: MemberRole;
  /** Cannot sign in. */
  disabled: boolean;
  /** When they became a member. */
  since: string;
}

export class InvitationView {
  id: string;
  email: string;
  role: AdminRole;
  /** Null for operators. */
  account_id: string | null;
  created_at: string;
  expires_at: string;
}

export class MadeInvitationView extends InvitationView {
  /** The address of the page on which it is accepted. It is shown this once. */
  link: string;
}

export function memberView({ person, role, since }: Member): MemberView {
  const { id, email, name, disabledAt } = person;
  return { user_id: id, email, name, role, disabled: disabledAt !== undefined, since: isoTime(since) };
}

export function invitationView({ id, email, role, accountId, createdAt, expiresAt }: Invitation): InvitationView {
  return { id, email, role, account_id: accountId ?? null, created_at: isoTime(createdAt), expires_at: isoTime(expiresAt) };
}

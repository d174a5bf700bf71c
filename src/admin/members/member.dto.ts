import { IsBoolean, IsIn } from '../../common/validation/class-validator.js';
import { type AdminRole, type MemberRole, memberRoles } from '../../auth/administration/administrator.js';
import type { Invitation } from '../../people/invitations/invitation-store.js';
import type { Member } from '../../people/member-store.js';
import { IsClientId, IsText, isoTime, MayBeAbsent } from '../fields.js';
import { SearchDto } from '../page.dto.js';

/** Which members are listed. */
export class MembersDto extends SearchDto {
  @MayBeAbsent(IsIn(memberRoles))
  role?: MemberRole;
}

export class ChangeMemberDto {
  @MayBeAbsent(IsIn(memberRoles))
  role?: MemberRole;
}

export class InviteDto {
  @MayBeAbsent(IsClientId())
  id?: string;

  @IsText(320)
  email: string;

  /** False: the link is shown, and nothing is mailed. */
  @MayBeAbsent(IsBoolean())
  mail = true;

  /** Of every member, and of no operator. */
  @MayBeAbsent(IsIn(memberRoles))
  role?: MemberRole;
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
  /** About the time of their last request, in whichever account; null where they have never signed in. */
  last_seen_at: string | null;
  /** Grows with each change of the person, also in other accounts; the ETag. */
  version: string;
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
  /** The address of the page on which it is accepted. It is shown this once: null in the answer to a repetition. */
  link: string | null;
  /** The mail server of the configuration has taken it as well, at this request. */
  mailed: boolean;
}

export function memberView({ person, role, since, seenAt }: Member): MemberView {
  const { id, email, name, disabledAt, version } = person;
  return {
    user_id: id,
    email,
    name,
    role,
    disabled: disabledAt !== undefined,
    since: isoTime(since),
    last_seen_at: isoTime(seenAt),
    version: String(version),
  };
}

export function invitationView({ id, email, role, accountId, createdAt, expiresAt }: Invitation): InvitationView {
  return { id, email, role, account_id: accountId ?? null, created_at: isoTime(createdAt), expires_at: isoTime(expiresAt) };
}

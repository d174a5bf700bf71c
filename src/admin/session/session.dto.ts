import type { MemberRole } from '../../auth/administration/administrator.js';
import type { SignedIn } from '../../people/sign-in/sign-in.service.js';
import type { OpenedBy, Session } from '../../people/sessions/session-store.js';
import { IsText, isoTime, MayBeAbsent } from '../fields.js';

export class SignInDto {
  @IsText(320)
  email: string;

  @IsText(1_024)
  password: string;
}

export class LinkDto {
  /** What the address of the link has as `link`. */
  @IsText(200)
  token: string;
}

export class LinkRequestDto {
  @IsText(320)
  email: string;
}

export class PasswordDto {
  /** The password before. It may be absent where there is none, and for half an hour after a sign-in by link. */
  @MayBeAbsent(IsText(1_024))
  current?: string;

  /** 10 to 256 characters. */
  @IsText(1_024)
  password: string;
}

export class ChangeOwnUserDto {
  @MayBeAbsent(IsText(200))
  name?: string;
}

/** How somebody can sign in. */
export class SignInOptionsView {
  password: boolean;
  oidc: readonly OidcOptionView[];
  /** Whoever has forgotten their password can have a link sent. */
  link_by_mail: boolean;
  /** False where nobody can sign in yet. */
  has_people: boolean;
}

/** A provider of OpenID Connect: `GET /admin/v1/session/oidc/ID/start` leads there. */
export class OidcOptionView {
  id: string;
  label: string;
}

export class OwnUserView {
  id: string;
  email: string;
  name: string;
  operator: boolean;
  has_password: boolean;
}

export class MembershipView {
  account_id: string;
  account_name: string;
  role: MemberRole;
}

/** Who is signed in. */
export class SessionView {
  user: OwnUserView;
  memberships: readonly MembershipView[];
  /** What the header `x-csrf-token` of each request that changes something must have. */
  csrf_token: string;
  /** When the session ends unless there is another request. */
  expires_at: string;
}

/** A browser in which somebody is signed in. */
export class OpenSessionView {
  id: string;
  opened_by: OpenedBy;
  /** What the browser calls itself. */
  user_agent: string;
  /** From where it was opened. */
  address: string | null;
  created_at: string;
  /** About the time of the last request. */
  seen_at: string;
  expires_at: string;
  /** It is the one of this request. */
  current: boolean;
}

export function sessionView({ person, memberships, csrfToken, endsAt }: SignedIn): SessionView {
  const { id, email, name, operator, hasPassword } = person;
  return {
    user: { id, email, name, operator, has_password: hasPassword },
    memberships: memberships.map(({ accountId, accountName, role }) => ({ account_id: accountId, account_name: accountName, role })),
    csrf_token: csrfToken,
    expires_at: isoTime(endsAt),
  };
}

export function openSessionView(session: Session, current: string | undefined): OpenSessionView {
  const { id, openedBy, userAgent, address, createdAt, seenAt, expiresAt } = session;
  return {
    id,
    opened_by: openedBy,
    user_agent: userAgent,
    address: address ?? null,
    created_at: isoTime(createdAt),
    seen_at: isoTime(seenAt),
    expires_at: isoTime(expiresAt),
    current: id === current,
  };
}

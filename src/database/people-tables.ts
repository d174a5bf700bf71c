import type { DefaultedInt, Int, OptionalInt } from './columns.js';

/** Somebody who signs in to the dashboard. Rows stay; who has left is disabled. */
export interface PersonTable {
  id: string;
  /** As `normalEmail` writes it, or as it did in an earlier version. */
  email: string;
  name: string;
  /** Argon2id in the PHC format; null where no password was set. */
  password: string | null;
  /** 1 for operators. */
  operator: Int;
  created_at: Int;
  disabled_at: OptionalInt;
  /** The value of the counter `person` at the last change, also of a membership. */
  version: Int;
}

export interface MembershipTable {
  account_id: string;
  person_id: string;
  role: 'owner' | 'admin' | 'developer' | 'viewer';
  created_at: Int;
}

/** A browser in which a person is signed in. */
export interface SessionTable {
  id: string;
  /** HMAC-SHA-256 with the pepper, in hex, of what the cookie has. */
  digest: string;
  person_id: string;
  opened_by: 'password' | 'link' | 'invitation' | 'oidc';
  /** The beginning of the browser's name for itself, for display. */
  user_agent: string;
  /** From where it was opened. */
  address: string | null;
  created_at: Int;
  /** About the time of the last request. */
  seen_at: Int;
  expires_at: Int;
  ended_at: OptionalInt;
  /** As `person.version`. */
  version: Int;
}

/** Signs one person in once; the row goes with its use. */
export interface SignInLinkTable {
  /** As `session.digest`. */
  digest: string;
  person_id: string;
  created_at: Int;
  expires_at: Int;
  /** 1 where somebody asked for it who was not signed in. */
  asked_for: DefaultedInt;
}

/** Makes somebody a member of an account, or an operator, once. */
export interface InvitationTable {
  id: string;
  /** As `session.digest`. */
  digest: string;
  /** As `person.email`. */
  email: string;
  role: 'operator' | 'owner' | 'admin' | 'developer' | 'viewer';
  /** Null for operators, and for nobody else. */
  account_id: string | null;
  created_at: Int;
  /** 0 once it was used. */
  expires_at: Int;
}

/** What a provider of OpenID Connect calls a person. */
export interface OidcIdentityTable {
  issuer: string;
  subject: string;
  person_id: string;
  created_at: Int;
}

/** What may be done only so often, such as failed attempts to sign in, until it is forgotten. */
export interface SignInFailureTable {
  /** HMAC-SHA-256 with the pepper, in hex. */
  subject: string;
  failures: Int;
  until: Int;
}

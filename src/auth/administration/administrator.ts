import 'fastify';

/** The roles of an account's members, from the one that may do most to the one that may do least. */
export const memberRoles = ['owner', 'admin', 'developer', 'viewer'] as const;

/** Operators look after the gateway and all accounts; members look after one account. No role is both. */
export const roles = ['operator', ...memberRoles] as const;

export type MemberRole = (typeof memberRoles)[number];
export type AdminRole = (typeof roles)[number];

/** Who uses the administration API: a token or a person, with a role. */
export interface Administrator {
  readonly kind: 'token' | 'user';
  /** Of the token or the person. */
  readonly id: string;
  readonly role: AdminRole;
  /**
   * The account of a member, and NO_ACCOUNT for a person who is none of the account in the address; undefined for
   * operators, and for nobody else.
   */
  readonly accountId: string | undefined;
  /** The id of the session; absent for tokens. */
  readonly sessionId?: string;
}

/** No account has this id. */
export const NO_ACCOUNT = '';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the check of token or session before the body is parsed; absent outside of the administration API. */
    administrator?: Administrator;
    /** From where the administrator asks; undefined where a trusted proxy does not say. */
    clientAddress?: string | undefined;
  }
  interface FastifyContextConfig {
    /** The roles that may use a route of the administration API; absent: none. */
    roles?: readonly AdminRole[];
    /** The route is about who asks alone: members need no account in its address. */
    aboutItself?: 'anybody' | 'people';
  }
}

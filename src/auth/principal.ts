import 'fastify';
import type { PrincipalRules } from './rules/principal-rules.js';

export const environments = ['live', 'test'] as const;

export type Environment = (typeof environments)[number];

/** Who sends a request: a key, the account (the customer) that owns it, and its environment. */
export interface Principal {
  readonly keyId: string;
  readonly accountId: string;
  readonly environment: Environment;
  /** Absent where nothing restricts the key. */
  readonly rules?: PrincipalRules | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the check of the key before the body is parsed; absent on public routes. */
    principal?: Principal;
  }
}

import 'fastify';

export const environments = ['live', 'test'] as const;

export type Environment = (typeof environments)[number];

/** Who a request belongs to: a key, its account (the customer), its environment. */
export interface Principal {
  readonly keyId: string;
  readonly accountId: string;
  readonly environment: Environment;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the key check before the body is parsed; absent on public routes. */
    principal?: Principal;
  }
}

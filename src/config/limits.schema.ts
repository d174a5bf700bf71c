import * as z from 'zod';

export const limitsSchema = z
  .strictObject({
    unpaid_leavings: z
      .int()
      .min(0)
      .default(10)
      .describe(
        'Requests a minute that a key may leave before their first token at no cost, in this process; further ones pay their prompt.',
      ),
    keys_per_account: z.int().min(1).default(10_000).describe('Keys of an account that are neither revoked nor expired.'),
    projects_per_account: z.int().min(1).default(1_000).describe('Projects of an account that are not archived.'),
    rules_per_account: z
      .int()
      .min(1_024)
      .default(8 * 1024 * 1024)
      .describe('Bytes of the rules and metadata of these keys and projects together, as JSON: all gateways have them in memory.'),
    rules_total: z
      .int()
      .min(1_024)
      .default(64 * 1024 * 1024)
      .describe('Bytes of these and of the rules of all accounts together; one account may have eight times what is free of them.'),
    tokens_per_account: z
      .int()
      .min(1)
      .default(1_000)
      .describe('Tokens of the administration API of an account, and those of operators, that are neither revoked nor expired.'),
    administration_at_once: z
      .int()
      .min(1)
      .default(20)
      .describe('Requests of one token or person to the administration API that are open at the same time, in this process.'),
    administration_per_minute: z.int().min(1).default(3_000).describe('The same in a minute, of which all may come at once.'),
  })
  .prefault({})
  .describe('What a key may do, beside its rules.');

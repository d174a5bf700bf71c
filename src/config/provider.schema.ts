import * as z from 'zod';
import { milliseconds } from './milliseconds.js';
import { COMPATIBLE } from './provider-type.js';

const decimalPrice = z
  .union([z.number().nonnegative(), z.string().regex(/^\d+(\.\d{1,9})?$/)])
  .describe('Credits per 1,000 tokens, at most 9 decimals.');

const pricingSchema = z.strictObject({ prompt: decimalPrice, completion: decimalPrice });

const capabilitiesSchema = z.strictObject({
  chat: z.boolean(),
  completion: z.boolean(),
  function_calling: z.boolean(),
  vision: z.boolean(),
  embeddings: z.boolean(),
  json_mode: z.boolean(),
});

export const strategySchema = z.enum(['priority', 'weighted', 'cheapest', 'latency', 'throughput', 'sticky']);

/** What an operator may override of a model at one provider. The rest comes from the provider. */
const offerFields = {
  upstream_model: z.string().min(1).optional().describe("The provider's own name where it differs from the id."),
  created: z.int().min(0).optional().describe('Unix timestamp in seconds, as the catalogue shows it; 0 where it is unknown.'),
  pricing: pricingSchema.optional(),
  context_length: z.int().min(1).optional().describe('Tokens of prompt and output together.'),
  max_tokens: z.int().min(1).optional().describe('Tokens of output at most.'),
  capabilities: capabilitiesSchema
    .partial()
    .optional()
    .describe('What the model can do, where the provider says it wrongly or not at all.'),
  parameters: z
    .array(z.string())
    .optional()
    .describe('Parameters that it takes, `*` for all that the wire format does not know; no others.'),
  completions_via_chat: z.boolean().optional().describe('Answer legacy completions through the chat operation.'),
  continues: z
    .boolean()
    .optional()
    .describe('A conversation that ends with a message of the assistant is answered with the rest of that message alone.'),
  active: z.boolean().optional().describe('false switches it off.'),
};

const offeredModelSchema = z.strictObject(offerFields);

export const modelSchema = z.strictObject({
  ...offerFields,
  offers: z
    .array(
      z.strictObject({
        ...offerFields,
        provider: z.string().min(1),
        model: z.string().min(1).optional().describe("Its id in that provider's list where it differs."),
        weight: z.number().positive().optional().describe('Share of the traffic under the weighted strategy.'),
      }),
    )
    .min(1)
    .optional()
    .describe('Who offers it, in order of preference. Absent: all providers that list it.'),
  strategy: strategySchema.optional().describe('How one of several offers is chosen; default routing.strategy.'),
});

export const providerSchema = z.strictObject({
  type: z
    .string()
    .default(COMPATIBLE)
    .describe(
      "What the provider is. Absent: the entry's own name where that is a known type, otherwise any address that speaks the OpenAI format.",
    ),
  name: z.string().min(1).optional().describe('Human name, as the catalogue shows it.'),
  base_url: z.url({ protocol: /^https?$/ }).describe('Where the provider is. May be left out where the type has an address.'),
  api_key: z.string().min(1).optional().describe('Our key at the provider; better as ${NAME} than in clear.'),
  headers: z.record(z.string(), z.string()).default({}).describe('Further headers of every request, which win over our own.'),
  proxy: z
    .string()
    .refine((proxy) => proxy === 'none' || /^https?:$/.test(URL.parse(proxy)?.protocol ?? ''), 'must be none or the http URL of a proxy')
    .optional()
    .describe('Proxy that connections go through. Absent: HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment; none: no proxy.'),
  allow_link_local: z.boolean().default(false).describe("Connect even where the address is link-local or a cloud's metadata service."),
  free: z.boolean().default(false).describe('Serve without charging: models without a price are then free instead of inactive.'),
  prefix: z.string().default('').describe('Put before each model id, for example `local/`.'),
  models: z
    .record(z.string(), offeredModelSchema)
    .optional()
    .describe("Models by id, which follows the prefix; nothing else is offered. Absent: the provider's own list."),
  open: z
    .strictObject({
      pricing: pricingSchema.optional(),
      context_length: z.int().min(1),
      max_tokens: z.int().min(1),
      capabilities: capabilitiesSchema.partial().optional(),
      parameters: z.array(z.string()).optional(),
    })
    .optional()
    .describe("Lets any of the provider's own names pass as `provider/name`, on these terms, whether it is listed or not."),
  options: z.record(z.string(), z.unknown()).default({}).describe('Settings of a type that a module has brought; its documents name them.'),
  timeouts: z
    .strictObject({
      connect: milliseconds(10_000, 'Until the request can be sent.'),
      first_byte: milliseconds(300_000, 'From then until the answer begins.'),
      idle: milliseconds(120_000, 'Between two reads of the answer.'),
      total: milliseconds(1_800_000, 'From start to end.'),
    })
    .prefault({}),
});

export type ProviderConfig = z.infer<typeof providerSchema>;
/** A model that an entry of `providers` names. */
export type OfferedModelConfig = z.infer<typeof offeredModelSchema>;
export type ModelConfig = z.infer<typeof modelSchema>;

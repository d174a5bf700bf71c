import * as z from 'zod';
import { schemeHint } from './config-problems.js';
import { flag, milliseconds, optionalFlag } from './setting-kinds.js';
import { pricingSchema } from './pricing.schema.js';
import { COMPATIBLE } from './provider-type.js';
import { type Abilities, abilityNames } from '../wire/model.js';
import { strategies } from '../wire/routing-strategy.js';

const capabilitiesSchema = z.strictObject(
  Object.fromEntries(abilityNames.map((name) => [name, z.boolean()])) as Record<keyof Abilities, z.ZodBoolean>,
);

const tokensOfPart = z.int().min(1).optional();

const inputCeilingsSchema = z
  .strictObject({ image: tokensOfPart, audio: tokensOfPart, video: tokensOfPart, file: tokensOfPart })
  .optional()
  .describe('Tokens that one image, sound, video or file counts at most. A model that is paid for takes no parts without a ceiling.');

const cacheBreakpointSchema = z.enum(['tools', 'system', 'last_turns']);

export const strategySchema = z.enum(strategies);

/** What an operator may override of a model at one provider. The rest comes from the provider. */
const offerFields = {
  upstream_model: z.string().min(1).optional().describe("The provider's own name where it differs from the id."),
  created: z.int().min(0).optional().describe('Unix timestamp in seconds, as the catalogue shows it; 0 where it is unknown.'),
  pricing: pricingSchema.optional(),
  context_length: z.int().min(1).optional().describe('Tokens of prompt and output together.'),
  max_tokens: z.int().min(1).optional().describe('Tokens of output at most.'),
  input_ceilings: inputCeilingsSchema,
  capabilities: capabilitiesSchema
    .partial()
    .optional()
    .describe('What the model can do, where the provider says it wrongly or not at all.'),
  embeddings: z
    .strictObject({
      dimensions: z.int().min(1).max(65_536).optional().describe('Numbers of an embedding, where a request does not say how many.'),
      inputs: z.int().min(1).max(2_048).optional().describe('Inputs of one call at most; requests with more become several calls.'),
      tokens: z.int().min(1).optional().describe('Tokens of one call at most, of all of its inputs together.'),
      token_ids: z.boolean().optional().describe('Whether inputs may be arrays of token ids.'),
    })
    .optional()
    .describe('What one call for embeddings may have, and what its answer has.'),
  parameters: z
    .array(z.string())
    .optional()
    .describe('Parameters that it takes, beyond the wire format too; no others. `*` as in `providers.*.extra_parameters`.'),
  completions_via_chat: optionalFlag('Answer legacy completions through the chat operation.'),
  hidden_reasoning: optionalFlag(
    'It reasons, and `max_tokens` does not limit the reasoning: its whole output limit is held for each request.',
  ),
  continues: optionalFlag('A conversation that ends with a message of the assistant is answered with the rest of that message alone.'),
  bills_aborted: optionalFlag(
    'false: the provider bills nothing for a request that is left before its first token; then it costs nothing.',
  ),
  token_id_prompts: optionalFlag('Whether prompts of legacy completions may be token ids.'),
  lower_max_tokens: optionalFlag(
    'true: a `max_tokens` beyond its own is lowered to it instead of being refused. Absent: routing.lower_max_tokens.',
  ),
  system_messages: z
    .enum(['one', 'anywhere'])
    .optional()
    .describe(
      'one: messages of system and developer are joined to one of system at the beginning, which is all that many templates of open models take; anywhere: they go on as they came. Absent: what is known of the provider or the model.',
    ),
  cache_breakpoints: z
    .array(cacheBreakpointSchema)
    .max(3)
    .optional()
    .describe(
      "Where the gateway marks requests for the provider's cache that have no mark of their own: after the tools, after the system prompt, after the last two turns. Only where cache_write_5m has a price. Absent: nowhere.",
    ),
  active: optionalFlag('false switches it off.'),
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
    .refine((proxy) => proxy === 'none' || /^https?:$/.test(URL.parse(proxy)?.protocol ?? ''), {
      error: ({ input }) => `must be none or the http URL of a proxy${schemeHint(input)}`,
    })
    .optional()
    .describe('Proxy that connections go through. Absent: HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment; none: no proxy.'),
  allow_link_local: flag(false, "Connect even where the address is link-local or a cloud's metadata service."),
  allow_private_addresses: flag(true, 'Connect to this machine and to private networks; false: to public addresses alone.'),
  allow_account_ids: flag(
    false,
    'Pass on ids that point into our account there (`file_id`, `container`, `previous_response_id` ...), whoever sends them.',
  ),
  allow_internal_media: flag(
    false,
    'Pass on any address of images, sound, video and files: inside of its network, and of its own files too.',
  ),
  free: flag(false, 'Serve without charging: models without a price are then free instead of inactive.'),
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
      input_ceilings: inputCeilingsSchema,
      capabilities: capabilitiesSchema.partial().optional(),
      parameters: z.array(z.string()).optional(),
      system_messages: offerFields.system_messages,
    })
    .optional()
    .describe("Lets any of the provider's own names pass as `provider/name`, on these terms, whether it is listed or not."),
  input_ceilings: inputCeilingsSchema,
  extra_parameters: z
    .array(z.string().min(1).max(100))
    .default([])
    .describe(
      'Parameters beyond the wire format that go on to it, besides those that are known to change neither price nor reach; `*` for all but those that are known to.',
    ),
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
/** A place of a request where the gateway may set a mark of caching. */
export type CacheBreakpoint = z.infer<typeof cacheBreakpointSchema>;
export type ModelConfig = z.infer<typeof modelSchema>;

export const sandboxSchema = z
  .strictObject({
    live: optionalFlag(
      'true: live keys reach all models of the sandbox; false: none. Absent: those that do not fail on purpose, while no other provider is there.',
    ),
  })
  .prefault({})
  .describe('The built-in provider of tests.');

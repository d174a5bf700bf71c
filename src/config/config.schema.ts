import * as z from 'zod';
import { COMPATIBLE } from './provider-type.js';

/** A time in milliseconds. */
const ms = (fallback: number, what: string) => z.int().min(1).default(fallback).describe(`${what} Milliseconds.`);
const MAX_WORKERS = 256;
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

const strategySchema = z.enum(['priority', 'weighted', 'cheapest', 'latency', 'throughput', 'sticky']);

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

const modelSchema = z.strictObject({
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
      connect: ms(10_000, 'Until the request can be sent.'),
      first_byte: ms(300_000, 'From then until the answer begins.'),
      idle: ms(120_000, 'Between two reads of the answer.'),
      total: ms(1_800_000, 'From start to end.'),
    })
    .prefault({}),
});

export const configSchema = z.strictObject({
  server: z
    .strictObject({
      host: z.string().default('127.0.0.1').describe('Address to listen on. Also read from HOST.'),
      workers: z
        .union([z.int().min(1).max(MAX_WORKERS), z.literal('max')], `must be a whole number from 1 to ${MAX_WORKERS}, or max`)
        .default(1)
        .describe(
          'Processes that serve on the one port and share a PostgreSQL; max: one for each core. Also read from SWITCHYARD_WORKERS.',
        ),
      port: z.int().min(0).max(65_535).default(8080).describe('0: any free one. Also read from PORT.'),
      public_url: z.url().optional().describe('Address shown to people and clients where it differs from host and port, without /v1.'),
      body_limit: z
        .int()
        .min(1024)
        .default(32 * 1024 * 1024)
        .describe('Bytes of a request.'),
      request_timeout: ms(60_000, 'Time for a request to arrive whole.'),
      keep_alive_timeout: ms(72_000, 'An idle connection of a client is kept so long.'),
      drain_delay: z
        .int()
        .min(0)
        .default(0)
        .describe(
          "Time between SIGTERM and the end of new connections, in which readiness already fails: a load balancer's time to notice.",
        ),
      drain_timeout: ms(30_000, 'Time that open requests are given after that.'),
      heartbeat: ms(15_000, 'Silence on a stream after which a comment is sent.'),
      stall_timeout: ms(60_000, 'A client that reads nothing for so long is cut off.'),
      max_buffered: z
        .int()
        .min(16_384)
        .default(1024 * 1024)
        .describe('Bytes that may wait in memory for one slow client.'),
      max_open_requests: z.int().min(1).default(10_000).describe('Requests that are answered at the same time; more are refused with 503.'),
    })
    .prefault({})
    .describe('The address that clients call.'),
  store: z
    .strictObject({
      data_dir: z.string().min(1).default('data').describe('Folder of the embedded store and of journals.'),
      database_url: z.string().optional().describe('postgres://...; absent: SQLite in data_dir. Also read from DATABASE_URL.'),
      lease_ttl: ms(30_000, 'Time after which the credits that a silent gateway had leased return to their accounts.'),
      keep_answers: z
        .boolean()
        .default(true)
        .describe(
          'Keeps answers to requests with an Idempotency-Key for 24 hours, encrypted, to repeat them; false: a repeat is refused with 409.',
        ),
    })
    .prefault({})
    .describe('Where accounts, keys, credits and records are kept.'),
  keys: z
    .strictObject({
      prefix: z
        .string()
        .regex(/^[a-z][a-z0-9]{0,15}$/)
        .default('sy')
        .describe('Beginning of every API key.'),
      pepper: z.string().min(32).optional().describe('Secret of at least 32 characters; the embedded default makes its own.'),
      test_keys_reach_providers: z.boolean().default(false).describe('Lets test keys through to real providers.'),
      starter_credits: z
        .string()
        .regex(/^\d+(\.\d{1,9})?$/)
        .default('10')
        .describe('Credits of a first account, for the embedded default.'),
    })
    .prefault({})
    .describe('API keys.'),
  providers: z
    .record(z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/), providerSchema)
    .default({})
    .describe('Where models are, by the id of the provider.'),
  models: z.record(z.string(), modelSchema).default({}).describe('Overrides by model id, whichever provider offers it.'),
  catalogue: z
    .strictObject({
      models_dev: z
        .string()
        .min(1)
        .optional()
        .describe('File in the shape of https://models.dev/api.json: prices, limits and capabilities that count before the built-in ones.'),
    })
    .prefault({})
    .describe('What is known of models.'),
  routing: z
    .strictObject({
      max_concurrency: z.int().min(1).default(1_000).describe('Requests of one offer that run at the same time in this process.'),
      max_queue: z.int().min(0).default(1_000).describe('Requests of one offer that wait behind those; more go elsewhere or are refused.'),
      retries: z
        .int()
        .min(0)
        .max(10)
        .default(1)
        .describe("Rounds over a model's offers after the first, before the first chunk of the answer."),
      max_retry_wait: z.int().min(0).default(2_000).describe("A provider's retry-after beyond this is not waited for."),
      hedge: z
        .boolean()
        .default(false)
        .describe("Ask a second offer when the first is later than 95 of 100 of its latest answers; the loser's cost is the house's."),
      resume: z.boolean().default(false).describe('Lets another offer of the model go on with a stream that its provider has cut.'),
      strategy: strategySchema.default('priority').describe('How one of several offers of a model is chosen.'),
      aliases: z.record(z.string().min(1), z.string().min(1)).default({}).describe('Further ids of models: alias to model id.'),
      auto: z
        .strictObject({ models: z.array(z.string().min(1)).min(1) })
        .optional()
        .describe(
          'Puts the model `auto` into the catalogue: one of these models answers, chosen by `strategy` of models.auto or of this section.',
        ),
      client_headers: z.boolean().default(true).describe('Lets clients steer the choice by request headers.'),
      best_of_ranking: z.enum(['lowest', 'highest']).default('lowest').describe('Log probability per token of what best_of returns.'),
      strict_parameters: z.boolean().default(false).describe('Refuse a parameter that the provider cannot take, instead of dropping it.'),
      test_provider: z.string().default('sandbox').describe('Provider that answers test keys.'),
      first_token_timeout: ms(300_000, 'Silence of a provider before its first chunk.'),
      idle_timeout: ms(120_000, 'Silence of a provider between chunks.'),
      total_timeout: ms(1_800_000, 'An answer takes no longer.'),
      probe_interval: z
        .int()
        .min(0)
        .default(30_000)
        .describe('Providers without traffic, or with a paused offer, are asked so often whether they answer; 0: never.'),
      max_choices: z.int().min(1).default(128).describe('Choices of one request: prompts x max(n, best_of).'),
    })
    .prefault({})
    .describe('Which offer answers, and when another one is asked.'),
  limits: z.strictObject({}).prefault({}),
  dashboard: z.strictObject({}).prefault({}),
  observability: z
    .strictObject({
      request_retention: z.int().min(1).max(3650).default(30).describe('Days that request records are kept.'),
      store_text: z.boolean().default(false).describe('Keeps what was asked and answered, in clear, as long as the record of the request.'),
      metrics_token: z
        .string()
        .min(16)
        .optional()
        .describe('Whoever has it may read /metrics from anywhere; without it they are answered to this machine alone.'),
      otlp_endpoint: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe(
          'Where traces are sent by OTLP over HTTP, without /v1/traces; absent: there are none. Also read from OTEL_EXPORTER_OTLP_ENDPOINT.',
        ),
      otlp_headers: z.record(z.string(), z.string()).default({}).describe('Headers for otlp_endpoint.'),
      service_name: z.string().min(1).default('switchyard').describe('Our name in traces.'),
      trace_ratio: z
        .number()
        .min(0)
        .max(1)
        .default(1)
        .describe("Share of the requests that are traced; a client's own traceparent decides for its request."),
      propagate_traces: z.boolean().default(false).describe('Passes traceparent on to providers.'),
      log_level: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info').describe('The log is JSON lines on standard error.'),
    })
    .prefault({})
    .describe('Log, metrics, traces and records.'),
  modules: z
    .array(z.string().min(1))
    .max(100)
    .default([])
    .describe(
      'Packages, or files and folders by a path from this file that begins with a dot, that bring types of providers of their own.',
    ),
});

export type Config = z.infer<typeof configSchema>;
export type ProviderConfig = z.infer<typeof providerSchema>;
/** A model that an entry of `providers` names. */
export type OfferedModelConfig = z.infer<typeof offeredModelSchema>;
export type ModelConfig = z.infer<typeof modelSchema>;

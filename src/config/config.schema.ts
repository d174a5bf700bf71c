import * as z from 'zod';
import { dashboardSchema } from './dashboard.schema.js';
import { addressRange, browserOrigin, flag, milliseconds } from './setting-kinds.js';
import { limitsSchema } from './limits.schema.js';
import { modelSchema, providerSchema, sandboxSchema, strategySchema } from './provider.schema.js';

export { type ModelConfig, type OfferedModelConfig, type ProviderConfig, providerSchema } from './provider.schema.js';

const MAX_WORKERS = 256;

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
      admin_port: z
        .int()
        .min(0)
        .max(65_535)
        .optional()
        .describe('Port of the administration API, on the same host, which `port` then does not answer. Absent: both are one.'),
      public_url: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe('Address shown to people and clients where it differs from host and port, without /v1.'),
      trusted_proxies: z
        .array(z.string().refine((text) => addressRange.safeParse(text).success, 'must be an address or a range such as 10.0.0.0/8'))
        .max(200)
        .default([])
        .describe('Addresses and ranges of proxies that are believed when they name their client in X-Forwarded-For.'),
      cors_origins: z
        .array(browserOrigin)
        .max(200)
        .default([])
        .describe('Origins of the browser apps that may call the operations, such as https://app.example.com. Empty: none.'),
      body_limit: z
        .int()
        .min(1024)
        .default(32 * 1024 * 1024)
        .describe('Bytes of a request.'),
      body_budget: z
        .int()
        .min(1024 * 1024)
        .optional()
        .describe(
          "Bytes that all requests under way in a process may have together, those of one account half of them; more are refused with 503. Absent: a sixth of Node's heap limit.",
        ),
      answer_budget: z
        .int()
        .min(1024 * 1024)
        .optional()
        .describe(
          "Bytes that may wait in a process between providers and clients, are gathered for the end of a response, or wait for the store or the reader of an export; beyond them, or beyond half of them for one account, an answer is given up. Absent: a sixth of Node's heap limit.",
        ),
      request_timeout: milliseconds(60_000, 'Time for a request to arrive whole.'),
      keep_alive_timeout: milliseconds(72_000, 'An idle connection of a client is kept so long.'),
      drain_delay: z
        .int()
        .min(0)
        .default(0)
        .describe(
          "Time between SIGTERM and the end of new connections, in which readiness already fails: a load balancer's time to notice.",
        ),
      drain_timeout: milliseconds(30_000, 'Time that open requests are given after that.'),
      heartbeat: milliseconds(15_000, 'Silence on a stream after which a comment, or in the format of Anthropic a ping, is sent.'),
      early_heartbeat: flag(true, 'Sends heartbeats before the first event too: an error after them is the last event, with status 200.'),
      stall_timeout: milliseconds(60_000, 'A client that reads nothing for so long is cut off; it pays for what was delivered.'),
      max_buffered: z
        .int()
        .min(16_384)
        .default(1024 * 1024)
        .describe('Bytes that a provider may send on for a slow client after it was told to pause; one that sends more has failed.'),
      max_open_requests: z
        .int()
        .min(1)
        .default(10_000)
        .describe(
          'Requests that are answered at the same time; more are refused with 503, those beyond eight ninths from one account with 429.',
        ),
    })
    .refine(({ port, admin_port }) => port === 0 || port !== admin_port, { path: ['admin_port'], error: 'must not be server.port' })
    .prefault({})
    .describe('The address that clients call.'),
  store: z
    .strictObject({
      data_dir: z.string().min(1).default('data').describe('Folder of the embedded store and of journals.'),
      shared_data_dir: flag(
        false,
        'Uses the folder even where other users of the machine can write to it, or where its file system has no modes.',
      ),
      database_url: z.string().optional().describe('postgres://...; absent: SQLite in data_dir. Also read from DATABASE_URL.'),
      lease_ttl: milliseconds(30_000, 'Time after which the credits that a silent gateway had leased return to their accounts.'),
      flush_interval: z
        .int()
        .min(1)
        .max(5_000)
        .default(1_000)
        .describe('Milliseconds between two transactions while few requests come: what a power cut may lose, and how old balances are.'),
      keep_answers: flag(
        true,
        'Keeps answers to requests with an Idempotency-Key for 24 hours, encrypted, to repeat them; false: a repeat is refused with 409.',
      ),
      max_answers_bytes: z
        .int()
        .min(2 ** 21)
        .max(2 ** 40)
        .default(2 ** 28)
        .describe(
          'Bytes of those answers that are kept of one account; beyond them its oldest are let go, and a repeat of them is refused with 409.',
        ),
      max_answers_total: z
        .int()
        .min(2 ** 21)
        .max(2 ** 50)
        .default(2 ** 32)
        .describe('Bytes of the same of all accounts together; one account may have eight times what is free of them.'),
      keep_responses: flag(
        false,
        'Keeps the inputs and outputs of /v1/responses, encrypted, unless the client says `store: false`: for `previous_response_id`, `background` and reading them later.',
      ),
      response_retention: z.int().min(1).max(3_650).default(30).describe('Days for which those are kept.'),
      max_responses: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(10_000)
        .describe('Responses that are kept of one account; beyond them its oldest are deleted.'),
      max_responses_bytes: z
        .int()
        .min(2 ** 24)
        .max(2 ** 40)
        .default(2 ** 30)
        .describe('Bytes of those responses, with their inputs, of one account; beyond them its oldest are deleted.'),
      max_responses_total: z
        .int()
        .min(2 ** 24)
        .max(2 ** 50)
        .default(2 ** 34)
        .describe('Bytes of the same of all accounts together; one account may have eight times what is free of them.'),
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
      test_keys_reach_providers: flag(false, 'Lets test keys through to real providers.'),
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
  stored_providers: z
    .strictObject({
      allow_private_addresses: flag(
        false,
        'Lets providers of the store be on this machine and in private networks; link-local addresses and metadata services are refused in any case.',
      ),
    })
    .prefault({})
    .describe('Providers that operators add through the administration API.'),
  models: z.record(z.string(), modelSchema).default({}).describe('Overrides by model id, whichever provider offers it.'),
  catalogue: z
    .strictObject({
      models_dev: z
        .string()
        .min(1)
        .optional()
        .describe('File in the shape of https://models.dev/api.json: prices, limits and capabilities that count before the built-in ones.'),
      missing_prices: z
        .enum(['warn', 'refuse'])
        .default('warn')
        .describe('What becomes of an offer of which a request can use what has no price, such as searches; refuse: it is inactive.'),
    })
    .prefault({})
    .describe('What is known of models.'),
  sandbox: sandboxSchema,
  routing: z
    .strictObject({
      max_concurrency: z
        .int()
        .min(1)
        .default(1_000)
        .describe('Requests of one offer that run at the same time in this process. One account alone gets eight ninths of them.'),
      max_queue: z
        .int()
        .min(0)
        .default(1_000)
        .describe('Requests of one offer that wait behind those, shared alike; more go elsewhere or are refused.'),
      retries: z
        .int()
        .min(0)
        .max(10)
        .default(1)
        .describe("Rounds over a model's offers after the first, before the first chunk of the answer."),
      max_retry_wait: z.int().min(0).default(2_000).describe("A provider's retry-after beyond this is not waited for."),
      hedge: flag(
        false,
        "Ask a second offer when the first is later than 95 of 100 of its latest answers; the loser's cost is the house's.",
      ),
      resume: flag(false, 'Lets another offer of the model go on with a stream that its provider has cut.'),
      strategy: strategySchema.default('priority').describe('How one of several offers of a model is chosen.'),
      aliases: z.record(z.string().min(1), z.string().min(1)).default({}).describe('Further ids of models: alias to model id.'),
      auto: z
        .strictObject({ models: z.array(z.string().min(1)).min(1) })
        .optional()
        .describe(
          'Puts the model `auto` into the catalogue: one of these models answers, chosen by `strategy` of models.auto or of this section.',
        ),
      client_headers: flag(true, 'Lets clients steer the choice by request headers.'),
      best_of_ranking: z.enum(['lowest', 'highest']).default('lowest').describe('Log probability per token of what best_of returns.'),
      strict_parameters: flag(false, 'Refuse a parameter that the provider cannot take, instead of dropping it.'),
      lower_max_tokens: flag(false, "Lower a max_tokens beyond the model's to it instead of refusing it: coding agents ask for 32,000."),
      test_provider: z.string().default('sandbox').describe('Provider that answers test keys.'),
      first_token_timeout: milliseconds(300_000, 'Silence of a provider before its first chunk.'),
      idle_timeout: milliseconds(120_000, 'Silence of a provider between chunks.'),
      total_timeout: milliseconds(1_800_000, 'An answer takes no longer; what was delivered is paid for.'),
      probe_interval: z
        .int()
        .min(0)
        .default(30_000)
        .describe('Providers without traffic, or with a paused offer, are asked so often whether they answer; 0: never.'),
      calibrate: flag(true, "Learns from providers' own counts what to charge where they give none; false: one token for 6 bytes."),
      max_choices: z.int().min(1).default(128).describe('Choices of one request: prompts x max(n, best_of).'),
    })
    .prefault({})
    .describe('Which offer answers, and when another one is asked.'),
  limits: limitsSchema,
  webhooks: z
    .strictObject({
      allow_private_addresses: flag(
        false,
        'Sends messages also to this machine and to private networks; link-local addresses and metadata services are refused in any case.',
      ),
      allow_http: flag(false, 'Sends messages also without TLS.'),
      provider_settle: milliseconds(
        10_000,
        'A provider must be down, or up again, for so long before it is told; a change, six times as long after the one before.',
      ),
    })
    .prefault({})
    .describe('Messages to addresses of accounts and operators about what has happened.'),
  dashboard: dashboardSchema,
  observability: z
    .strictObject({
      request_retention: z.int().min(1).max(3650).default(30).describe('Days that request records are kept.'),
      audit_retention: z.int().min(1).max(36_500).optional().describe('Days that lines of the audit log are kept; absent: for ever.'),
      store_text: flag(false, 'Keeps what was asked and answered, in clear, as long as the record of the request.'),
      metrics_token: z
        .string()
        .min(16)
        .optional()
        .describe(
          'Whoever has it may read /metrics from anywhere, and nobody else; without it programs on this machine may. Set it behind a proxy.',
        ),
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
      propagate_traces: flag(false, 'Passes traceparent on to providers.'),
      log_level: z
        .enum(['silent', 'error', 'warn', 'info', 'debug'])
        .default('info')
        .describe('The log goes to standard error: readable lines where that is a terminal, JSON lines elsewhere.'),
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

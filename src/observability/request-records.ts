import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Insertable } from 'kysely';
import { type EndedRequest, OpenRequests } from '../common/open-requests.js';
import { ConfigService } from '../config/config.service.js';
import { Database } from '../database/database.js';
import type { RequestRecordTable } from '../database/schema.js';
import { WriteBehind } from './write-behind.js';

type Row = Insertable<RequestRecordTable>;

const SWEEP_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MAX_TEXT = 256;

/** One row a request, refused ones too; kept for `observability.request_retention` days. */
@Injectable()
export class RequestRecords implements OnApplicationShutdown {
  readonly #logger = new Logger(RequestRecords.name);
  readonly #rows: WriteBehind<Row>;
  readonly #sweeper: NodeJS.Timeout;

  constructor(
    private readonly database: Database,
    private readonly config: ConfigService,
    openRequests: OpenRequests,
  ) {
    this.#rows = new WriteBehind({
      what: 'request records',
      // SQLite takes 32,766 variables in a statement.
      batch: 500,
      maxWaiting: 20_000,
      write: (rows) =>
        database.db
          .insertInto('request_record')
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
    });
    openRequests.onEnd((ended) => this.#add(ended));
    this.#sweeper = setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#sweeper);
    await this.#rows.close();
  }

  #add(ended: EndedRequest): void {
    const operation = operationOf(ended.request);
    if (operation) this.#rows.add(rowOf(ended, operation));
  }

  /** Deletes what is older than its retention, kept texts too. Never rejects. */
  async sweep(): Promise<void> {
    const oldest = BigInt(Date.now() - this.config.current.observability.request_retention * DAY_MS);
    try {
      for (const table of ['request_record', 'request_text'] as const)
        await this.database.db.deleteFrom(table).where('created_at', '<', oldest).execute();
    } catch (error) {
      this.#logger.warn(`old request records were not deleted: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Routes outside the specification are not recorded. */
function operationOf({ routeOptions, exchange }: FastifyRequest): string | undefined {
  if (exchange?.record) return exchange.record.operation;
  switch (routeOptions.url) {
    case '/v1/chat/completions':
      return 'chat';
    case '/v1/completions':
      return 'completion';
    case '/v1/models':
      return 'models';
    default:
      return undefined;
  }
}

function rowOf({ request, reply, ms, answered }: EndedRequest, operation: string): Row {
  const record = request.exchange?.record;
  const clientId = request.headers['x-request-id'];
  const status = reply.raw.statusCode;
  return {
    request_id: request.id,
    created_at: Date.now() - Math.round(ms),
    duration_ms: Math.round(ms),
    client_request_id: typeof clientId === 'string' ? clientId.slice(0, MAX_TEXT) : null,
    key_id: request.principal?.keyId ?? null,
    account_id: request.principal?.accountId ?? null,
    environment: request.principal?.environment ?? null,
    operation,
    model: record?.model ?? modelOf(request) ?? null,
    streamed: record?.streamed ? 1 : 0,
    status,
    outcome: record?.outcome ?? (status >= 400 ? 'refused' : answered ? 'completed' : 'client_left'),
    error_code: request.errorCode ?? null,
    attempts: JSON.stringify(record?.attempts ?? []),
    prompt_tokens: record?.usage?.prompt_tokens ?? null,
    completion_tokens: record?.usage?.completion_tokens ?? null,
    price_prompt: record?.price?.prompt ?? null,
    price_completion: record?.price?.completion ?? null,
    dropped_parameters: JSON.stringify([...(record?.dropped ?? [])]),
  };
}

function modelOf({ body }: FastifyRequest): string | undefined {
  const model = (body as { model?: unknown } | null | undefined)?.model;
  return typeof model === 'string' ? model.slice(0, MAX_TEXT) : undefined;
}

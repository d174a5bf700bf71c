import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { messageOf } from '../common/message-of.js';
import { type EndedRequest, OpenRequests } from '../http/server/open-requests.js';
import { firstRequestId } from '../common/request-id.js';
import { ConfigService } from '../config/config.service.js';
import { Database } from '../database/database.js';
import { RowsInsert } from '../database/insert-rows.js';
import { jsonRow, type JsonRow } from '../database/json-rows.js';
import type { RequestRecordTable } from '../database/schema.js';
import { attemptsText } from './attempts-text.js';
import { requestedModel } from './requested-model.js';
import { WriteBehind } from './write-behind.js';

/** The columns in the order of `rowOf`. */
const columns = {
  request_id: 'text',
  created_at: 'int',
  duration_ms: 'int',
  client_request_id: 'text',
  key_id: 'text',
  account_id: 'text',
  environment: 'text',
  operation: 'text',
  model: 'text',
  streamed: 'int',
  status: 'int',
  outcome: 'text',
  error_code: 'text',
  attempts: 'text',
  prompt_tokens: 'int',
  completion_tokens: 'int',
  price_prompt: 'int',
  price_completion: 'int',
  dropped_parameters: 'text',
} as const satisfies Record<keyof RequestRecordTable, 'text' | 'int'>;

const insert = new RowsInsert('request_record', columns, { unlessThere: true });

const SWEEP_MS = 3_600_000;
/** How many rows one statement deletes, because the ledger waits while it runs. */
const MAX_SWEPT = 1_000;
const DAY_MS = 86_400_000;
/** How many characters of a client's text a record has. */
const MAX_TEXT_LENGTH = 256;

/** Stores one row for each request, refused ones too, and keeps it for `observability.request_retention` days. */
@Injectable()
export class RequestRecords implements OnApplicationShutdown {
  readonly #logger = new Logger(RequestRecords.name);
  readonly #rows: WriteBehind<string>;
  readonly #sweeper: NodeJS.Timeout;
  #closing = false;

  constructor(
    private readonly database: Database,
    private readonly config: ConfigService,
    openRequests: OpenRequests,
  ) {
    this.#rows = new WriteBehind({
      what: 'request records',
      batch: 500,
      maxWaiting: 20_000,
      write: (rows) => database.batch([insert.of(database, rows)]),
    });
    openRequests.onEnd((ended) => this.#add(ended));
    this.#sweeper = setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#sweeper);
    await this.#rows.close();
  }

  #add(ended: EndedRequest): void {
    const operation = operationOf(ended.request);
    if (!operation) return;
    try {
      this.#rows.add(jsonRow(rowOf(ended, operation)));
    } catch (error) {
      this.#logger.warn(`the record of request ${ended.request.id} cannot be stored: ${messageOf(error)}`);
    }
  }

  /** Deletes records and kept texts that are older than their retention. Never rejects. */
  async sweep(): Promise<void> {
    const oldest = firstRequestId(Date.now() - this.config.current.observability.request_retention * DAY_MS);
    try {
      for (const table of ['request_record', 'request_text'] as const) while (!this.#closing && (await this.#sweepSome(table, oldest)));
    } catch (error) {
      this.#logger.warn(`old request records were not deleted: ${messageOf(error)}`);
    }
  }

  /** @returns whether there may be more */
  async #sweepSome(table: 'request_record' | 'request_text', oldest: string): Promise<boolean> {
    const { numDeletedRows } = await this.database.db
      .deleteFrom(table)
      .where('request_id', 'in', (rows) =>
        rows.selectFrom(table).select('request_id').where('request_id', '<', oldest).orderBy('request_id').limit(MAX_SWEPT),
      )
      .executeTakeFirst();
    return numDeletedRows === BigInt(MAX_SWEPT);
  }
}

/** The operation of a request; undefined for routes outside the specification, which are not recorded. */
function operationOf(request: FastifyRequest): string | undefined {
  const { record } = request.requestContext ?? {};
  if (record) return record.operation;
  switch (request.routeOptions.url) {
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

function rowOf({ request, reply, ms, answered }: EndedRequest, operation: string): JsonRow {
  const { principal, requestContext } = request;
  const record = requestContext?.record;
  const clientId = request.headers['x-request-id'];
  const status = reply.raw.statusCode;
  const duration = Math.round(ms);
  return [
    request.id,
    Date.now() - duration,
    duration,
    typeof clientId === 'string' ? clientId.slice(0, MAX_TEXT_LENGTH) : null,
    principal?.keyId ?? null,
    principal?.accountId ?? null,
    principal?.environment ?? null,
    operation,
    record?.model ?? requestedModel(request, MAX_TEXT_LENGTH) ?? null,
    record?.streamed ? 1 : 0,
    status,
    record?.outcome ?? (status >= 400 ? 'refused' : answered ? 'completed' : 'client_left'),
    request.errorCode ?? null,
    record ? attemptsText(record.attempts) : '[]',
    record?.usage?.prompt_tokens ?? null,
    record?.usage?.completion_tokens ?? null,
    record?.price?.prompt ?? null,
    record?.price?.completion ?? null,
    record?.dropped.size ? JSON.stringify([...record.dropped]) : '[]',
  ];
}

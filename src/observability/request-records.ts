import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../common/time/clock.js';
import { messageOf } from '../common/message-of.js';
import { operationOf } from '../http/requests/operation.decorator.js';
import { type EndedRequest, OpenRequests } from '../http/server/open-requests.js';
import { Database } from '../database/database.js';
import { RowsInsert } from '../database/insert-rows.js';
import { joinRows, jsonRow, type JsonRow } from '../database/json-rows.js';
import { attemptsText } from './attempts-text.js';
import { droppedText } from './dropped-text.js';
import { recordColumns } from './record-columns.js';
import { RefusalSample } from './refusal-sample.js';
import { requestedModel } from './requested-model.js';
import { WriteBehind } from './write-behind.js';

/** How many characters of a client's text a record has. */
const MAX_TEXT_LENGTH = 256;

/** How many characters of the message that the client has got. */
const MAX_MESSAGE_LENGTH = 512;

const { began_at: created_at, ...others } = recordColumns;
const insert = new RowsInsert(
  'request_record',
  {
    request_id: 'text',
    key_id: 'text',
    account_id: 'text',
    environment: 'text',
    operation: 'text',
    model: 'text',
    outcome: 'text',
    prompt_tokens: 'int',
    completion_tokens: 'int',
    price_prompt: 'int',
    price_completion: 'int',
    created_at,
    ...others,
  },
  { unlessThere: true },
);

/**
 * Stores what is known of each request, refused ones too: in its usage row where its charge is stored with it, or else
 * in a row of its own. Of requests without a valid key it stores a sample.
 */
@Injectable()
export class RequestRecords implements OnApplicationShutdown {
  readonly #logger = new Logger(RequestRecords.name);
  readonly #rows: WriteBehind<string>;

  constructor(
    database: Database,
    openRequests: OpenRequests,
    private readonly sample: RefusalSample,
    private readonly clock: Clock,
  ) {
    this.#rows = new WriteBehind(
      {
        what: 'request records',
        batch: 500,
        interval: 1_500,
        maxWaiting: 20_000,
        write: (rows) => database.batch([insert.of(database, rows)]),
      },
      clock,
    );
    openRequests.onEnd((ended) => this.#addSettled(ended));
  }

  onApplicationShutdown(): Promise<void> {
    return this.#rows.close();
  }

  /** The record of a request whose usage is waited for is stored when it has come, as the ledger has it. */
  #addSettled(ended: EndedRequest): void {
    const { settled, background } = ended.request.requestContext?.record ?? {};
    if (background) this.#addInBackground(ended, background);
    else if (settled) void settled.then(() => this.#add(ended));
    else this.#add(ended);
  }

  /** The time of such a request is that until the end of its generation. */
  #addInBackground(ended: EndedRequest, end: Promise<void>): void {
    const answeredAt = this.clock.monotonic();
    void end.then(() => this.#add({ ...ended, ms: ended.ms + this.clock.monotonic() - answeredAt }));
  }

  #add(ended: EndedRequest): void {
    const { request } = ended;
    // Other routes than those of the operations are not recorded.
    const operation = operationOf(request);
    if (!operation || !this.sample.keeps(request)) return;
    try {
      const record = jsonRow(recordOf(ended, this.clock.now()));
      if (request.requestContext?.record?.keeper?.keepRecord(record)) return;
      this.#rows.add(joinRows(jsonRow(requestOf(ended, operation)), record), request.principal?.accountId);
    } catch (error) {
      this.#logger.warn(`the record of request ${request.id} cannot be stored: ${messageOf(error)}`);
    }
  }
}

/** In the order of recordColumns. */
function recordOf({ request, reply, ms }: EndedRequest, now: number): JsonRow {
  const record = request.requestContext?.record;
  const clientId = request.headers['x-request-id'];
  const duration = Math.round(ms);
  return [
    now - duration,
    duration,
    typeof clientId === 'string' ? clientId.slice(0, MAX_TEXT_LENGTH) : null,
    record?.streamed ? 1 : 0,
    reply.raw.statusCode,
    request.answeredError?.code ?? null,
    request.answeredError?.message.slice(0, MAX_MESSAGE_LENGTH) ?? null,
    record ? attemptsText(record.attempts) : '[]',
    record ? droppedText(record.dropped) : '[]',
  ];
}

/** What the usage row would say of it, in the order of the columns. */
function requestOf({ request, reply, answered }: EndedRequest, operation: string): JsonRow {
  const { principal, requestContext } = request;
  const record = requestContext?.record;
  return [
    request.id,
    principal?.keyId ?? null,
    principal?.accountId ?? null,
    principal?.environment ?? null,
    operation,
    record?.model ?? requestedModel(request, MAX_TEXT_LENGTH) ?? null,
    record?.outcome ?? (reply.raw.statusCode >= 400 ? 'refused' : answered ? 'completed' : 'client_left'),
    record?.usage?.prompt_tokens ?? null,
    record?.usage?.completion_tokens ?? null,
    record?.price?.prompt ?? null,
    record?.price?.completion ?? null,
  ];
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type Kysely, type Selectable, sql } from 'kysely';
import { ApiError } from '../common/api-error.js';
import { KeyedTurns } from './keyed-turns.js';
import { firstRequestId } from '../common/requests/request-id.js';
import { Database } from '../database/database.js';
import type { Schema } from '../database/schema.js';
import type { StoredResponseTable } from '../database/stored-response-table.js';
import { jsonBytes } from '../json/json-bytes.js';
import { JsonText } from '../json/json-text.js';
import type { ResponseObject } from '../wire/response.js';
import { WrittenJson } from '../wire/written-json.js';
import { requireRoomFor, type ResponseSpace } from './response-space.js';
import { RunningResponses } from './running-responses.js';
import { SealedResponses } from './sealed-responses.js';
import {
  isRunning,
  type KeptRequest,
  MAX_TURNS,
  type NamedItem,
  type Owner,
  type StoredResponse,
  type StoredSizes,
  type Turn,
  type WrittenResponse,
} from './stored-response.js';

type Row = Selectable<StoredResponseTable>;

/** Rows that one statement deletes. */
const MAX_SWEPT = 500;

/** Reads of one account that run at the same time, and that wait. */
const READS = { atOnce: 4, waiting: 1_000 };

/** Stored responses. They are read by the connections for that, and those of an account a few at a time. */
@Injectable()
export class ResponseStore {
  readonly #reads = new KeyedTurns(READS.atOnce, READS.waiting, tooManyReads);

  constructor(
    private readonly database: Database,
    private readonly sealed: SealedResponses,
    private readonly running: RunningResponses,
  ) {}

  /**
   * Stores a response that has ended. The oldest of its account that have ended make room for it.
   * @throws OutOfSpace where they cannot
   */
  async add(request: KeptRequest, response: WrittenResponse, space: ResponseSpace): Promise<void> {
    const row = this.sealed.row(request, response);
    await this.database.db.insertInto('stored_response').values(row).execute();
    await requireRoomFor(row, space, this.database);
  }

  /** @returns undefined where the response is not stored */
  async sizes(owner: Owner, id: string): Promise<StoredSizes | undefined> {
    const row = await this.#read(owner, (db) =>
      db
        .selectFrom('stored_response')
        .select(['bytes', 'conversation_bytes'])
        .where('id', '=', id)
        .where('account_id', '=', owner.accountId)
        .where('environment', '=', owner.environment)
        .executeTakeFirst(),
    );
    return row && { bytes: Number(row.bytes), conversation: Number(row.conversation_bytes) };
  }

  async find(owner: Owner, id: string): Promise<StoredResponse | undefined> {
    const query = () =>
      this.#read(owner, (db) =>
        db
          .selectFrom('stored_response')
          .select(['id', 'status', 'background', 'node_id', 'answer', 'lease_until', this.database.clock().as('now')])
          .where('id', '=', id)
          .where('account_id', '=', owner.accountId)
          .where('environment', '=', owner.environment)
          .executeTakeFirst(),
      );
    let row = await query();
    if (row && isRunning(row.status) && row.lease_until! < row.now) {
      await this.running.endLost();
      row = await query();
    }
    if (!row) return undefined;
    return {
      id,
      status: row.status,
      background: row.background === 1n,
      open: row.node_id !== null,
      response: await asStored(this.sealed.response(owner, row), row.status),
    };
  }

  /** Whether a response is being generated; false too where it is not stored, or its process may be dead. */
  async isRunning(owner: Owner, id: string): Promise<boolean> {
    const row = await this.#read(owner, (db) =>
      db
        .selectFrom('stored_response')
        .select(['status', 'lease_until', this.database.clock().as('now')])
        .where('id', '=', id)
        .executeTakeFirst(),
    );
    return row !== undefined && isRunning(row.status) && row.lease_until! >= row.now;
  }

  /**
   * The conversation that ends with a response, oldest first; of it what is still stored.
   * @returns nothing where the response is not stored
   */
  async conversation(owner: Owner, id: string): Promise<Turn[]> {
    const { accountId, environment } = owner;
    const names = ['id', 'previous_id', 'status', 'turns', 'conversation_bytes', 'input', 'answer'] as const;
    const columns = sql.join(names.map((name) => sql.ref(`stored_response.${name}`)));
    const owned = sql`stored_response.account_id = ${accountId} and stored_response.environment = ${environment}`;
    const query = sql<Pick<Row, (typeof names)[number]>>`
      with recursive turn as (
        select ${columns}, 1 as depth from stored_response where stored_response.id = ${id} and ${owned}
        union all
        select ${columns}, turn.depth + 1 from turn join stored_response on stored_response.id = turn.previous_id
        where ${owned} and turn.depth < ${sql.lit(MAX_TURNS)}
      ) select * from turn order by depth desc`;
    const { rows } = await this.#read(owner, (db) => query.execute(db));
    const turns: Turn[] = [];
    for (const row of rows) {
      turns.push({
        id: row.id,
        previousId: row.previous_id,
        status: row.status,
        turns: Number(row.turns),
        bytes: Number(row.conversation_bytes),
        input: await parsed(this.sealed.input({ accountId }, row)),
        output: (await parsed(this.sealed.response({ accountId }, row))).output,
      });
    }
    return turns;
  }

  /**
   * The items of some responses, inputs and outputs, by their ids.
   * @param most bytes that the responses may have together
   * @returns undefined where they have more
   */
  async items(owner: Owner, ids: readonly string[], most: number): Promise<Map<string, NamedItem> | undefined> {
    const { accountId, environment } = owner;
    const owned = (db: Kysely<Schema>) =>
      db.selectFrom('stored_response').where('id', 'in', ids).where('account_id', '=', accountId).where('environment', '=', environment);
    const { bytes } = await this.#read(owner, (db) =>
      owned(db)
        .select(sql<bigint>`cast(coalesce(sum(bytes), 0) as bigint)`.as('bytes'))
        .executeTakeFirstOrThrow(),
    );
    if (bytes > BigInt(most)) return undefined;
    const items = new Map<string, NamedItem>();
    for (const row of await this.#read(owner, (db) => owned(db).select(['id', 'input', 'answer']).execute())) {
      const { output } = await parsed(this.sealed.response({ accountId }, row));
      const input = await parsed(this.sealed.input({ accountId }, row));
      for (const item of [...input, ...output]) items.set(item.id, { item, bytes: jsonBytes(item) });
    }
    return items;
  }

  /** @returns whether it was there */
  async delete({ accountId, environment }: Owner, id: string): Promise<boolean> {
    const deleted = await this.database.db
      .deleteFrom('stored_response')
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('environment', '=', environment)
      .returning('node_id')
      .executeTakeFirst();
    // The process that generates it has to hear of it.
    if (deleted && deleted.node_id !== null) await this.database.change('stored_response', async () => undefined);
    return deleted !== undefined;
  }

  /**
   * Deletes what is too old.
   * @param before milliseconds since 1970
   */
  async sweep(before: number): Promise<void> {
    const { db } = this.database;
    const old = db.selectFrom('stored_response').select('id').where('id', '<', firstRequestId(before)).orderBy('id').limit(MAX_SWEPT);
    for (;;) {
      const { numDeletedRows } = await db.deleteFrom('stored_response').where('id', 'in', old).executeTakeFirst();
      if (numDeletedRows < MAX_SWEPT) break;
    }
  }

  #read<T>({ accountId }: Owner, query: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    return this.#reads.run(accountId, () => this.database.reading(() => query(this.database.db)));
  }
}

function tooManyReads(): ApiError {
  const message = 'Too many stored responses of this account are read at the same time. Please retry.';
  return new ApiError('rate_limit_exceeded', message, { retryAfter: 1 });
}

/** Parses what has just been decrypted, or is about to be sent, in a turn of its own. */
async function parsed<Value extends object>(json: WrittenJson<Value>): Promise<Value> {
  await nextTurn();
  return json.parsed();
}

/** The response with the status that the store knows, where its process could not write down the response's end. */
async function asStored(written: WrittenJson<ResponseObject>, status: ResponseObject['status']): Promise<WrittenJson<ResponseObject>> {
  if (status === 'completed' || status === 'incomplete') return written;
  const response = await parsed(written);
  if (response.status === status) return written;
  const error =
    status === 'failed' ? ({ code: 'server_error', message: 'The gateway that generated the response has ended.' } as const) : null;
  return new WrittenJson(await new JsonText({ ...response, status, error }).bytes());
}

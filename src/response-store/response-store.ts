import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type Insertable, type Selectable, sql } from 'kysely';
import { DerivedSecrets } from '../auth/derived-secrets.js';
import type { Principal } from '../auth/principal.js';
import { seal, unseal } from '../auth/sealed-text.js';
import { firstRequestId } from '../common/request-id.js';
import { Database } from '../database/database.js';
import type { StoredResponseTable } from '../database/stored-response-table.js';
import type { InputItem, OutputItem, ResponseObject } from '../wire/response.js';

/** Responses that a conversation may have. */
export const MAX_TURNS = 500;

/** Rows that one statement deletes. */
const MAX_SWEPT = 500;

const running = ['queued', 'in_progress'] as const;

/** An item of a request's input as it is stored: with an id of the gateway, its type, and parts for content. */
export type StoredItem = InputItem & { readonly id: string; readonly type: string };

/** Whose responses they are: the keys of an account and environment share them. */
export type Owner = Pick<Principal, 'accountId' | 'environment'>;

/** What is stored of a request before it is answered. */
export interface KeptRequest {
  readonly id: string;
  readonly owner: Owner;
  readonly background: boolean;
  readonly previous?: EarlierTurns | undefined;
  /** JSON of its StoredItems. */
  readonly input: string;
}

/** What is stored of the response itself. */
export interface WrittenResponse {
  readonly status: ResponseObject['status'];
  readonly json: string;
}

/** The conversation that a request continues. */
export interface EarlierTurns {
  readonly id: string;
  readonly turns: number;
  readonly bytes: number;
}

export interface StoredResponse {
  readonly id: string;
  readonly status: ResponseObject['status'];
  readonly background: boolean;
  /** A process has not told of its end. */
  readonly open: boolean;
  readonly response: ResponseObject;
}

/** Bytes of a response with its input, and of the conversation up to it. */
export interface StoredSizes {
  readonly bytes: number;
  readonly conversation: number;
}

/** One response of a conversation with what it answers. */
export interface Turn {
  readonly id: string;
  readonly previousId: string | null;
  readonly status: ResponseObject['status'];
  readonly turns: number;
  /** Of the conversation up to it. */
  readonly bytes: number;
  readonly input: StoredItem[];
  readonly output: OutputItem[];
}

/** How a process generates a response in the background. */
export interface Running {
  /** The process. */
  readonly node: string;
  /** Milliseconds for which it has the response, unless it renews that. */
  readonly ttl: number;
  /** Responses of the account that may be generated at the same time. */
  readonly places: number;
  /** As for `ResponseStore.add`. */
  readonly most: number;
}

type Row = Selectable<StoredResponseTable>;
type NewRow = Insertable<StoredResponseTable> & { readonly input: Buffer; readonly answer: Buffer; readonly bytes: number };

/** Stored responses. Their texts are encrypted with a secret of their account, and are gone with their rows. */
@Injectable()
export class ResponseStore {
  constructor(
    private readonly database: Database,
    private readonly secrets: DerivedSecrets,
  ) {}

  /**
   * Stores a response that has ended, and deletes the oldest of its account beyond `most`.
   * @param most responses that the account may have
   */
  async add(request: KeptRequest, response: WrittenResponse, most: number): Promise<void> {
    const { db } = this.database;
    await this.database.batch([db.insertInto('stored_response').values(this.#row(request, response)), this.#beyond(request.owner, most)]);
  }

  /**
   * Stores a response that a process is about to generate.
   * @returns false where the account has no place left
   */
  begin(request: KeptRequest, response: WrittenResponse, { node, ttl, places, most }: Running): Promise<boolean> {
    const { accountId } = request.owner;
    return this.database.transaction(async (trx) => {
      // Of two that come at the same time one counts the other.
      await this.database.forUpdate(trx.selectFrom('account').select('id').where('id', '=', accountId)).execute();
      const { count } = await trx
        .selectFrom('stored_response')
        .select(({ fn }) => fn.countAll<bigint>().as('count'))
        .where('account_id', '=', accountId)
        .where('node_id', 'is not', null)
        .where('status', 'in', running)
        .where('lease_until', '>', this.database.clock())
        .executeTakeFirstOrThrow();
      if (count >= BigInt(places)) return false;
      const row = { ...this.#row(request, response), node_id: node, lease_until: sql<bigint>`${this.database.clock(ttl)}` };
      await trx.insertInto('stored_response').values(row).execute();
      await this.#beyond(request.owner, most, trx).execute();
      return true;
    });
  }

  /** The first output of a response in the background has come. */
  async progress(id: string, node: string): Promise<void> {
    await this.database.db
      .updateTable('stored_response')
      .set({ status: 'in_progress' })
      .where('id', '=', id)
      .where('node_id', '=', node)
      .where('status', '=', 'queued')
      .execute();
  }

  /**
   * Renews what a process has of the responses that it generates.
   * @returns the ids of those that still are to be generated
   */
  async renew(node: string, ids: readonly string[], ttl: number): Promise<Set<string>> {
    const rows = await this.database.db
      .updateTable('stored_response')
      .set({ lease_until: this.database.clock(ttl) })
      .where('id', 'in', ids)
      .where('node_id', '=', node)
      .where('status', 'in', running)
      .returning('id')
      .execute();
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Stores the end of a response in the background. One that was cancelled meanwhile stays so, and gets the output.
   */
  async end(request: KeptRequest, node: string, response: WrittenResponse): Promise<void> {
    const { answer, bytes, conversation_bytes } = this.#row(request, response);
    const ended = this.database.db
      .updateTable('stored_response')
      .set({ answer, bytes, conversation_bytes, node_id: null, lease_until: null })
      .where('id', '=', request.id)
      .where('node_id', '=', node);
    const { numUpdatedRows } = await ended.set({ status: response.status }).where('status', 'in', running).executeTakeFirst();
    if (numUpdatedRows === 0n) await ended.where('status', '=', 'cancelled').execute();
  }

  /** @returns undefined where the response is not stored */
  async sizes({ accountId, environment }: Owner, id: string): Promise<StoredSizes | undefined> {
    const row = await this.database.db
      .selectFrom('stored_response')
      .select(['bytes', 'conversation_bytes'])
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('environment', '=', environment)
      .executeTakeFirst();
    return row && { bytes: Number(row.bytes), conversation: Number(row.conversation_bytes) };
  }

  async find(owner: Owner, id: string): Promise<StoredResponse | undefined> {
    const query = () =>
      this.database.db
        .selectFrom('stored_response')
        .select(['id', 'status', 'background', 'node_id', 'answer', 'lease_until', this.database.clock().as('now')])
        .where('id', '=', id)
        .where('account_id', '=', owner.accountId)
        .where('environment', '=', owner.environment)
        .executeTakeFirst();
    let row = await query();
    if (row && isRunning(row.status) && row.lease_until! < row.now) {
      await this.endLost();
      row = await query();
    }
    if (!row) return undefined;
    const response = this.#unseal(owner, id, 'answer', row.answer) as ResponseObject;
    return {
      id,
      status: row.status,
      background: row.background === 1n,
      open: row.node_id !== null,
      response: asStored(response, row.status),
    };
  }

  /**
   * The conversation that ends with a response, oldest first; of it what is still stored.
   * @returns nothing where the response is not stored
   */
  async conversation({ accountId, environment }: Owner, id: string): Promise<Turn[]> {
    const names = ['id', 'previous_id', 'status', 'turns', 'conversation_bytes', 'input', 'answer'] as const;
    const columns = sql.join(names.map((name) => sql.ref(`stored_response.${name}`)));
    const owned = sql`stored_response.account_id = ${accountId} and stored_response.environment = ${environment}`;
    const { rows } = await sql<Pick<Row, (typeof names)[number]>>`
      with recursive turn as (
        select ${columns}, 1 as depth from stored_response where stored_response.id = ${id} and ${owned}
        union all
        select ${columns}, turn.depth + 1 from turn join stored_response on stored_response.id = turn.previous_id
        where ${owned} and turn.depth < ${sql.lit(MAX_TURNS)}
      ) select * from turn order by depth desc`.execute(this.database.db);
    const turns: Turn[] = [];
    for (const row of rows) {
      turns.push({
        id: row.id,
        previousId: row.previous_id,
        status: row.status,
        turns: Number(row.turns),
        bytes: Number(row.conversation_bytes),
        input: this.#unseal({ accountId }, row.id, 'input', row.input) as StoredItem[],
        output: (this.#unseal({ accountId }, row.id, 'answer', row.answer) as ResponseObject).output,
      });
      await nextTurn();
    }
    return turns;
  }

  /**
   * The items of some responses, inputs and outputs, by their ids.
   * @param most bytes that the responses may have together
   * @returns undefined where they have more
   */
  async items(
    { accountId, environment }: Owner,
    ids: readonly string[],
    most: number,
  ): Promise<Map<string, StoredItem | OutputItem> | undefined> {
    const owned = this.database.db
      .selectFrom('stored_response')
      .where('id', 'in', ids)
      .where('account_id', '=', accountId)
      .where('environment', '=', environment);
    const { bytes } = await owned.select(sql<bigint>`cast(coalesce(sum(bytes), 0) as bigint)`.as('bytes')).executeTakeFirstOrThrow();
    if (bytes > BigInt(most)) return undefined;
    const items = new Map<string, StoredItem | OutputItem>();
    for (const row of await owned.select(['id', 'input', 'answer']).execute()) {
      const input = this.#unseal({ accountId }, row.id, 'input', row.input) as StoredItem[];
      const { output } = this.#unseal({ accountId }, row.id, 'answer', row.answer) as ResponseObject;
      for (const item of [...input, ...output]) items.set(item.id, item);
      await nextTurn();
    }
    return items;
  }

  /** Ends a response in the background, wherever it is generated. */
  async cancel({ accountId, environment }: Owner, id: string): Promise<void> {
    await this.database.change('stored_response', (trx) =>
      trx
        .updateTable('stored_response')
        .set({ status: 'cancelled' })
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('environment', '=', environment)
        .where('status', 'in', running)
        .execute(),
    );
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

  /** Gives up what processes have not told of for too long. */
  async endLost(): Promise<void> {
    await this.#lost().where('lease_until', '<', this.database.clock()).execute();
  }

  /** The same on the embedded store at its start, when every process that generated one is dead. */
  async recover(): Promise<void> {
    if (this.database.engine === 'sqlite') await this.#lost().execute();
  }

  /**
   * Deletes what is too old, and the oldest of each account beyond so many bytes.
   * @param before milliseconds since 1970
   */
  async sweep(before: number, bytes: number): Promise<void> {
    const { db } = this.database;
    const oldest = firstRequestId(before);
    const old = db.selectFrom('stored_response').select('id').where('id', '<', oldest).orderBy('id').limit(MAX_SWEPT);
    const each = db
      .selectFrom('stored_response')
      .select(['id', sql<bigint>`sum(bytes) over (partition by account_id order by id desc)`.as('total')]);
    const much = db.selectFrom(each.as('each')).select('id').where('total', '>', BigInt(bytes)).orderBy('id').limit(MAX_SWEPT);
    for (const some of [old, much])
      for (;;) {
        const { numDeletedRows } = await db.deleteFrom('stored_response').where('id', 'in', some).executeTakeFirst();
        if (numDeletedRows < MAX_SWEPT) break;
      }
  }

  #beyond({ accountId }: Owner, most: number, db: Pick<Database['db'], 'deleteFrom'> = this.database.db) {
    return db
      .deleteFrom('stored_response')
      .where('id', 'in', (rows) =>
        rows
          .selectFrom('stored_response')
          .select('id')
          .where('account_id', '=', accountId)
          .orderBy('id', 'desc')
          .limit(MAX_SWEPT)
          .offset(most),
      );
  }

  #lost() {
    const ended = { status: 'failed', node_id: null, lease_until: null } as const;
    return this.database.db.updateTable('stored_response').set(ended).where('node_id', 'is not', null).where('status', 'in', running);
  }

  #seal({ accountId }: Pick<Owner, 'accountId'>, id: string, part: Part, text: string): Buffer {
    return seal(text, this.#secret(accountId), `${id}/${part}`);
  }

  #unseal({ accountId }: Pick<Owner, 'accountId'>, id: string, part: Part, sealed: Uint8Array): unknown {
    return JSON.parse(unseal(sealed, this.#secret(accountId), `${id}/${part}`));
  }

  #secret(accountId: string): Buffer {
    return this.secrets.derive('stored response', accountId);
  }

  #row({ id, owner, background, previous, input }: KeptRequest, { status, json }: WrittenResponse): NewRow {
    const sealed = {
      input: this.#seal(owner, id, 'input', input),
      answer: this.#seal(owner, id, 'answer', json),
    };
    const bytes = sealed.input.length + sealed.answer.length;
    return {
      id,
      account_id: owner.accountId,
      environment: owner.environment,
      status,
      background: background ? 1 : 0,
      previous_id: previous?.id ?? null,
      turns: (previous?.turns ?? 0) + 1,
      bytes,
      conversation_bytes: (previous?.bytes ?? 0) + bytes,
      node_id: null,
      lease_until: null,
      ...sealed,
    };
  }
}

type Part = 'input' | 'answer';

export function isRunning(status: ResponseObject['status']): boolean {
  return status === 'queued' || status === 'in_progress';
}

/** The response with the status that the store knows, where its process could not write down the response's end. */
function asStored(response: ResponseObject, status: ResponseObject['status']): ResponseObject {
  if (response.status === status) return response;
  const error =
    status === 'failed' ? ({ code: 'server_error', message: 'The gateway that generated the response has ended.' } as const) : null;
  return { ...response, status, error };
}

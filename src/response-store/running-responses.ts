import { Injectable } from '@nestjs/common';
import { type Kysely, sql } from 'kysely';
import { Database } from '../database/database.js';
import type { Schema } from '../database/schema.js';
import { makeRoomFor, OutOfSpace, requireRoomFor, type ResponseSpace } from './response-space.js';
import { SealedResponses } from './sealed-responses.js';
import type { KeptRequest, Owner, WrittenResponse } from './stored-response.js';

const running = ['queued', 'in_progress'] as const;

/** How a process generates a response in the background. */
interface Running {
  /** The process. */
  readonly node: string;
  /** Milliseconds for which it has the response, unless it renews that. */
  readonly ttl: number;
  /** Responses of the account that may be generated at the same time. */
  readonly places: number;
  readonly space: ResponseSpace;
}

/** Stored responses that processes generate in the background, each under a lease. */
@Injectable()
export class RunningResponses {
  constructor(
    private readonly database: Database,
    private readonly sealed: SealedResponses,
  ) {}

  /**
   * Stores a response that a process is about to generate.
   * @throws OutOfSpace where the account has no place left, or those that run already take all its space
   */
  async begin(request: KeptRequest, response: WrittenResponse, { node, ttl, places, space }: Running): Promise<void> {
    const { accountId } = request.owner;
    const row = this.sealed.row(request, response);
    await this.database.transaction(async (trx) => {
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
      if (count >= BigInt(places)) throw new OutOfSpace(`${places} responses still run`);
      const lease_until = sql<bigint>`${this.database.clock(ttl)}`;
      await trx
        .insertInto('stored_response')
        .values({ ...row, node_id: node, lease_until })
        .execute();
    });
    await requireRoomFor(row, space, this.database);
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
   * Stores the end of a response in the background, for which the oldest of its account make room. One that was
   * cancelled meanwhile stays so, and gets the output.
   * @param unstored how it has ended where they cannot: then its input is not kept either
   */
  async end(request: KeptRequest, node: string, response: WrittenResponse, unstored: WrittenResponse, space: ResponseSpace): Promise<void> {
    const { status, ...row } = this.sealed.row(request, response);
    const update = this.database.db.updateTable('stored_response').where('id', '=', request.id);
    const ended = update.set(row).where('node_id', '=', node);
    const { numUpdatedRows } = await ended.set({ status }).where('status', 'in', running).executeTakeFirst();
    if (numUpdatedRows === 0n) await ended.where('status', '=', 'cancelled').execute();
    if (await makeRoomFor(row, space, this.database)) return;
    const { status: failed, ...without } = this.sealed.row({ ...request, input: '[]' }, unstored);
    await update.set(numUpdatedRows === 0n ? without : { ...without, status: failed }).execute();
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

  /** Gives up what processes have not told of for too long. */
  async endLost(): Promise<void> {
    await this.database.transaction((trx) => this.#lost(trx).where('lease_until', '<', this.database.clock()).execute());
  }

  /** The same on the embedded store at its start, when every process that generated one is dead. */
  async recover(): Promise<void> {
    if (this.database.engine === 'sqlite') await this.#lost(this.database.db).execute();
  }

  #lost(db: Pick<Kysely<Schema>, 'updateTable'>) {
    const ended = { status: 'failed', node_id: null, lease_until: null } as const;
    return db.updateTable('stored_response').set(ended).where('node_id', 'is not', null).where('status', 'in', running);
  }
}

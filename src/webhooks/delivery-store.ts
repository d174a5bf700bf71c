import { Injectable } from '@nestjs/common';
import { type Selectable, sql } from 'kysely';
import { Database } from '../database/database.js';
import { MAX_STORED } from '../database/outbox.js';
import type { WebhookDeliveryTable } from '../database/webhook-tables.js';
import type { WaitingMessages } from './webhook-figures.js';
import { REQUEST_TIMEOUT_MS } from './webhook-request.js';

/** A message for one endpoint, and the attempt at it that may be made now. */
export interface Delivery {
  readonly endpointId: string;
  /** The event's. */
  readonly id: string;
  readonly type: string;
  /** JSON. */
  readonly data: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** From 1. */
  readonly attempt: number;
}

/** How an attempt has ended. */
export interface Ending {
  readonly status?: number | undefined;
  readonly error?: string | undefined;
}

/** Milliseconds after which an attempt whose gateway has told nothing of its end is made again. */
const CLAIM_MS = 6 * REQUEST_TIMEOUT_MS;

/** Days that a message is kept after its end. */
const KEPT_DAYS = 7;

/** Messages that wait for one endpoint at most, and as many that have ended; of more the oldest are dropped. */
export const MAX_KEPT = MAX_STORED / 2;

const MAX_ERROR = 300;

/**
 * The messages in the store. An attempt belongs to the gateway that has claimed it, until the claim runs out: a message
 * is delivered at least once, whichever gateways die.
 */
@Injectable()
export class DeliveryStore {
  constructor(private readonly database: Database) {}

  /** Endpoints with messages that are due. */
  async due(): Promise<string[]> {
    const rows = await this.database.db
      .selectFrom('webhook_delivery')
      .select('endpoint_id')
      .distinct()
      .where('next_at', '<=', this.database.clock())
      .execute();
    return rows.map(({ endpoint_id }) => endpoint_id);
  }

  /** Claims an attempt at each of the oldest messages that are due: nobody else gets the same. */
  async claim(endpointId: string, limit: number): Promise<Delivery[]> {
    const { db, engine } = this.database;
    const oldest = db
      .selectFrom('webhook_delivery')
      .select('id')
      .where('endpoint_id', '=', endpointId)
      .where('next_at', '<=', this.database.clock())
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit);
    const rows = await db
      // PostgreSQL may run a subquery that locks rows for each row anew, which would lock more of them.
      .with('oldest', () => (engine === 'postgres' ? oldest.forUpdate().skipLocked() : oldest))
      .updateTable('webhook_delivery')
      .set((update) => ({ attempts: update('attempts', '+', 1n), next_at: this.database.clock(CLAIM_MS) }))
      .where('endpoint_id', '=', endpointId)
      .where('id', 'in', (from) => from.selectFrom('oldest').select('oldest.id'))
      .returningAll()
      .execute();
    return rows.map(toDelivery);
  }

  async delivered({ endpointId, id }: Delivery, status: number): Promise<void> {
    const { db } = this.database;
    const set = { delivered_at: this.database.clock(), next_at: null, last_status: status, last_error: null };
    await db.updateTable('webhook_delivery').set(set).where('endpoint_id', '=', endpointId).where('id', '=', id).execute();
    await db
      .updateTable('webhook_endpoint')
      .set({ failing_since: null })
      .where('id', '=', endpointId)
      .where('failing_since', 'is not', null)
      .execute();
  }

  /** @param wait milliseconds to the next attempt; undefined: there is none, and the endpoint is noted as failing */
  async failed({ endpointId, id, attempt }: Delivery, { status, error }: Ending, wait: number | undefined): Promise<void> {
    const { db } = this.database;
    const next_at = wait === undefined ? null : this.database.clock(wait);
    await db
      .updateTable('webhook_delivery')
      .set({ next_at, last_status: status ?? null, last_error: error?.slice(0, MAX_ERROR) ?? null })
      .where('endpoint_id', '=', endpointId)
      .where('id', '=', id)
      // Another gateway may have made the next attempt meanwhile, and the endpoint may have been disabled.
      .where('attempts', '=', BigInt(attempt))
      .where('next_at', 'is not', null)
      .execute();
    if (wait === undefined)
      await db.updateTable('webhook_endpoint').set({ failing_since: this.database.clock() }).where('id', '=', endpointId).execute();
  }

  /** Gives back an attempt that was not made. */
  async release({ endpointId, id, attempt }: Delivery): Promise<void> {
    await this.database.db
      .updateTable('webhook_delivery')
      .set({ next_at: this.database.clock(), attempts: BigInt(attempt - 1) })
      .where('endpoint_id', '=', endpointId)
      .where('id', '=', id)
      .where('attempts', '=', BigInt(attempt))
      .where('next_at', 'is not', null)
      .execute();
  }

  /** What waits in the whole store. */
  async waiting(): Promise<WaitingMessages> {
    const { count, oldest } = await this.database.db
      .selectFrom('webhook_delivery')
      .select(({ fn }) => [
        fn.countAll<bigint>().as('count'),
        sql<bigint | null>`${this.database.clock()} - ${fn.min('created_at')}`.as('oldest'),
      ])
      .where('next_at', 'is not', null)
      .executeTakeFirstOrThrow();
    return { count: Number(count), oldestMs: Math.max(0, Number(oldest ?? 0)) };
  }

  /**
   * Deletes messages that ended long ago or have no endpoint any more, what waits beyond the most that may, and secrets
   * that sign no more.
   * @returns how many that waited were dropped
   */
  async sweep(): Promise<number> {
    const { db } = this.database;
    await db
      .deleteFrom('webhook_delivery')
      .where((where) =>
        where.or([
          where.and([where('next_at', 'is', null), where('created_at', '<', sql<bigint>`${this.database.clock(-KEPT_DAYS * 86_400_000)}`)]),
          where('endpoint_id', 'not in', where.selectFrom('webhook_endpoint').select('id')),
        ]),
      )
      .execute();
    await db
      .updateTable('webhook_endpoint')
      .set({ old_secret: null, old_secret_until: null })
      .where('old_secret_until', '<', BigInt(this.database.now()))
      .execute();
    await this.#thinOut('is');
    return this.#thinOut('is not');
  }

  /** @param waits null is what the next attempt of a message is that has ended */
  async #thinOut(waits: 'is' | 'is not'): Promise<number> {
    const { db } = this.database;
    const crowded = await db
      .selectFrom('webhook_delivery')
      .select('endpoint_id')
      .where('next_at', waits, null)
      .groupBy('endpoint_id')
      .having(({ fn }) => fn.countAll(), '>', MAX_KEPT)
      .execute();
    let dropped = 0;
    for (const { endpoint_id } of crowded) {
      const some = db.selectFrom('webhook_delivery').where('endpoint_id', '=', endpoint_id).where('next_at', waits, null);
      const kept = some.select('id').orderBy('created_at', 'desc').orderBy('id', 'desc').limit(MAX_KEPT);
      const { numDeletedRows } = await db
        .deleteFrom('webhook_delivery')
        .where('endpoint_id', '=', endpoint_id)
        .where('next_at', waits, null)
        .where('id', 'not in', kept)
        .executeTakeFirst();
      dropped += Number(numDeletedRows);
    }
    return dropped;
  }
}

function toDelivery(row: Selectable<WebhookDeliveryTable>): Delivery {
  const { endpoint_id: endpointId, id, type, data, created_at, attempts } = row;
  return { endpointId, id, type, data, createdAt: Number(created_at), attempt: Number(attempts) };
}

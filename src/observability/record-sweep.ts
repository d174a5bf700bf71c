import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, type Timer } from '../common/time/clock.js';
import { messageOf } from '../common/message-of.js';
import { firstRequestId } from '../common/requests/request-id.js';
import { ConfigService } from '../config/config.service.js';
import { Database } from '../database/database.js';
import { recordNames } from './record-columns.js';

const SWEEP_MS = 3_600_000;
/** How many rows one statement changes, because the ledger waits while it runs. */
const MAX_SWEPT = 1_000;
const DAY_MS = 86_400_000;

const SWEPT = 'usage_records_swept';

/** The id of the last usage row whose record was deleted: no row up to it has one. Empty where there is none. */
export async function lastSwept({ db }: Database): Promise<string> {
  const swept = await db.selectFrom('setting').select('value').where('name', '=', SWEPT).executeTakeFirst();
  return swept?.value ?? '';
}

const nothing = Object.fromEntries(recordNames.map((name) => [name, null])) as Record<(typeof recordNames)[number], null>;

/**
 * Keeps records and texts of requests for `observability.request_retention` days, and lines of the audit log with used
 * invitations for `observability.audit_retention` days where that is set. Usage is kept for ever.
 */
@Injectable()
export class RecordSweep implements OnApplicationShutdown {
  readonly #logger = new Logger(RecordSweep.name);
  readonly #sweeper: Timer;
  #closing = false;

  constructor(
    private readonly database: Database,
    private readonly config: ConfigService,
    private readonly clock: Clock,
  ) {
    this.#sweeper = clock.setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  onApplicationShutdown(): void {
    this.#closing = true;
    this.clock.clear(this.#sweeper);
  }

  /** Deletes what is older than its retention. Never rejects. */
  async sweep(): Promise<void> {
    const { request_retention, audit_retention } = this.config.current.observability;
    const oldest = firstRequestId(this.clock.now() - request_retention * DAY_MS);
    try {
      for (const table of ['request_record', 'request_text'] as const) while (!this.#closing && (await this.#sweepSome(table, oldest)));
      while (!this.#closing && (await this.#sweepUsage(oldest)));
      if (audit_retention === undefined) return;
      while (!this.#closing && (await this.#sweepAudit(audit_retention)));
      while (!this.#closing && (await this.#sweepInvitations(audit_retention)));
    } catch (error) {
      this.#logger.warn(`old records were not deleted: ${messageOf(error)}`);
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

  /**
   * @param days that lines are kept; their ids are UUIDv7, as those of requests
   * @returns whether there may be more
   */
  async #sweepAudit(days: number): Promise<boolean> {
    const oldest = firstRequestId(this.clock.now() - days * DAY_MS);
    const { numDeletedRows } = await this.database.db
      .deleteFrom('audit')
      .where('id', 'in', (lines) => lines.selectFrom('audit').select('id').where('id', '<', oldest).orderBy('id').limit(MAX_SWEPT))
      .executeTakeFirst();
    return numDeletedRows === BigInt(MAX_SWEPT);
  }

  /**
   * Used invitations are kept for the names of their lines in the audit log.
   * @returns whether there may be more
   */
  async #sweepInvitations(days: number): Promise<boolean> {
    const oldest = BigInt(this.clock.now() - days * DAY_MS);
    const old = this.database.db.selectFrom('invitation').select('id').where('expires_at', '=', 0n).where('created_at', '<', oldest);
    const { numDeletedRows } = await this.database.db
      .deleteFrom('invitation')
      .where('id', 'in', old.orderBy('id').limit(MAX_SWEPT))
      .executeTakeFirst();
    return numDeletedRows === BigInt(MAX_SWEPT);
  }

  /**
   * Usage rows stay, and many are old: it goes on where it was the last time.
   * @returns whether there may be more
   */
  async #sweepUsage(oldest: string): Promise<boolean> {
    const { db } = this.database;
    const after = await lastSwept(this.database);
    const rows = await db
      .selectFrom('usage')
      .select('request_id')
      .where('request_id', '>', after)
      .where('request_id', '<', oldest)
      .orderBy('request_id')
      .limit(MAX_SWEPT)
      .execute();
    const last = rows.at(-1)?.request_id;
    if (last === undefined) return false;
    await this.database.batch([
      db
        .updateTable('usage')
        .set(nothing)
        .where('request_id', '>', after)
        .where('request_id', '<=', last)
        .where('attempts', 'is not', null),
      db
        .insertInto('setting')
        .values({ name: SWEPT, value: last })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: last })),
    ]);
    return rows.length === MAX_SWEPT;
  }
}

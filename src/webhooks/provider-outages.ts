import { randomUUIDv7 } from 'node:crypto';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { sql } from 'kysely';
import { Clock, type Timer } from '../common/time/clock.js';
import { messageOf } from '../common/message-of.js';
import { ConfigService } from '../config/config.service.js';
import { Database } from '../database/database.js';
import { recordEvent } from '../database/outbox.js';
import { WebhookEndpoints } from './webhook-endpoints.js';

/** Milliseconds after which a process that has said nothing more does not count: it has died. */
const SAID_MS = 60_000;

/** A change of a provider is told no sooner after the one before than so many times `webhooks.provider_settle`. */
const LEAST_GAP = 6;

/**
 * Tells once of a provider that is down, and once when it is up again, whichever gateways find it so: it is down as
 * long as one of them says so.
 */
@Injectable()
export class ProviderOutages implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger('Webhooks');
  readonly #nodeId = randomUUIDv7();
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly endpoints: WebhookEndpoints,
    private readonly config: ConfigService,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.#schedule();
  }

  async onModuleDestroy(): Promise<void> {
    this.clock.clear(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  /** Whether anybody is to be told. */
  get wanted(): boolean {
    return this.endpoints.wants('provider.down', 'provider.up');
  }

  /** What this process finds. It has to say again that a provider is down, well within a minute. */
  async say(provider: string, down: boolean): Promise<void> {
    const { db } = this.database;
    const until = this.database.clock(SAID_MS);
    const own = { provider, node_id: this.#nodeId };
    if (down) {
      const insert = db.insertInto('provider_outage').values({ ...own, until });
      await insert.onConflict((conflict) => conflict.columns(['provider', 'node_id']).doUpdateSet({ until })).execute();
    } else await db.deleteFrom('provider_outage').where('provider', '=', provider).where('node_id', '=', own.node_id).execute();
    await this.#settle(provider);
  }

  #schedule(): void {
    this.#timer = this.clock
      .setTimeout(() => {
        this.#running = this.#settleAll();
      }, this.config.current.webhooks.provider_settle)
      .unref();
  }

  /** Finds what was too early to tell of, and processes that have died, now and later. Never rejects. */
  async #settleAll(): Promise<void> {
    try {
      if (this.wanted) await this.#settleKnown();
    } catch (error) {
      this.#logger.warn(`What is known of providers cannot be settled: ${messageOf(error)}`);
    }
    if (this.#timer) this.#schedule();
  }

  async #settleKnown(): Promise<void> {
    const { db } = this.database;
    await db
      .deleteFrom('provider_outage')
      .where('until', '<=', sql<bigint>`${this.database.clock()}`)
      .execute();
    const down = db.selectFrom('provider_status').select('provider').where('down', '=', 1n);
    for (const { provider } of await down.union(db.selectFrom('provider_outage').select('provider')).execute())
      await this.#settle(provider);
  }

  /** Tells where what was told last is not so any more. */
  async #settle(provider: string): Promise<void> {
    const gap = BigInt(LEAST_GAP * this.config.current.webhooks.provider_settle);
    await this.database.transaction(async (trx) => {
      await trx
        .insertInto('provider_status')
        .values({ provider, down: 0n, changed_at: 0n })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const status = await this.database
        .forUpdate(
          trx
            .selectFrom('provider_status')
            .select(['down', 'changed_at', sql<bigint>`${this.database.clock()}`.as('now')])
            .where('provider', '=', provider),
        )
        .executeTakeFirstOrThrow();
      const said = await trx
        .selectFrom('provider_outage')
        .select('node_id')
        .where('provider', '=', provider)
        .where('until', '>', status.now)
        .executeTakeFirst();
      const down = said ? 1n : 0n;
      if (down === status.down || status.now - status.changed_at < gap) return;
      await trx.updateTable('provider_status').set({ down, changed_at: status.now }).where('provider', '=', provider).execute();
      await recordEvent(this.database, { type: said ? 'provider.down' : 'provider.up', data: { provider } }).execute(trx);
    });
  }
}

import { randomUUIDv7 } from 'node:crypto';
import { hostname } from 'node:os';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Selectable } from 'kysely';
import { Clock, type Timer } from '../common/time/clock.js';
import { messageOf } from '../common/message-of.js';
import { ConfigService } from '../config/config.service.js';
import { likelyOrigin } from '../config/dashboard-origin.js';
import { version } from '../config/version.js';
import { Database } from '../database/database.js';
import type { GatewayTable } from '../database/performance-tables.js';
import { OpenRequests } from '../http/server/open-requests.js';

const BEAT_MS = 10_000;
/** Milliseconds after which a process that says nothing is taken for dead. */
const LOST_MS = 3 * BEAT_MS + 5_000;
/** Milliseconds for which a dead one is still listed. */
const KEPT_MS = 3_600_000;

/** A process of a gateway. Times are milliseconds since 1970, by the store's clock. */
export interface GatewayProcess {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly startedAt: number;
  readonly seenAt: number;
  /** When it was last seen. */
  readonly openRequests: number;
  readonly alive: boolean;
  /** Whether it is the one that answers. */
  readonly self: boolean;
}

/** Tells the store that this process serves, and reads which others do. */
@Injectable()
export class Gateways implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #logger = new Logger(Gateways.name);
  readonly #id = randomUUIDv7();
  readonly #row: Pick<Selectable<GatewayTable>, 'id' | 'host' | 'version' | 'pages'> & { readonly pid: number };
  #timer: Timer | undefined;
  #beating: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly openRequests: OpenRequests,
    config: ConfigService,
    private readonly clock: Clock,
  ) {
    this.#row = { id: this.#id, host: hostname(), pid: process.pid, version: version(), pages: likelyOrigin(config.current) };
  }

  onApplicationBootstrap(): void {
    this.#beat();
    this.#timer = this.clock.setInterval(() => this.#beat(), BEAT_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    this.clock.clear(this.#timer);
    await this.#beating;
    const gone = this.database.db.deleteFrom('gateway').where('id', '=', this.#id).execute();
    await gone.catch((error: unknown) => this.#logger.warn(`the end of this process was not stored: ${messageOf(error)}`));
  }

  /** Those that serve, and those that have died lately, oldest first. */
  async list(): Promise<GatewayProcess[]> {
    const rows = await this.database.db
      .selectFrom('gateway')
      .selectAll()
      .select(this.database.clock().as('now'))
      .orderBy('started_at')
      .orderBy('id')
      .execute();
    return rows.map(({ id, host, pid, version: of, started_at, seen_at, open_requests, now }) => ({
      id,
      host,
      pid: Number(pid),
      version: of,
      startedAt: Number(started_at),
      seenAt: Number(seen_at),
      openRequests: id === this.#id ? this.openRequests.size : Number(open_requests),
      alive: id === this.#id || now - seen_at < BigInt(LOST_MS),
      self: id === this.#id,
    }));
  }

  #beat(): void {
    this.#beating = this.#write().catch((error: unknown) =>
      this.#logger.debug(`the store was not told that this process serves: ${messageOf(error)}`),
    );
  }

  async #write(): Promise<void> {
    const { db } = this.database;
    const now = this.database.clock();
    const open_requests = this.openRequests.size;
    await db
      .insertInto('gateway')
      .values({ ...this.#row, started_at: now, seen_at: now, open_requests })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now, open_requests }))
      .execute();
    await db.deleteFrom('gateway').where('seen_at', '<', this.database.clock(-KEPT_MS)).execute();
  }
}

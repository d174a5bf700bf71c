import { Injectable, type OnApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../common/time/clock.js';
import { ConfigService } from '../config/config.service.js';
import { openDatabase } from '../database/open-database.js';
import { type Verification, verifyLedger } from './verify-ledger.js';

/** Milliseconds that a verification may take. */
const LIMIT_MS = 600_000;

/** Verifies the ledger beside the requests: through a connection of its own, because SQLite has one that they wait for. */
@Injectable()
export class LedgerVerification implements OnModuleDestroy, OnApplicationShutdown {
  readonly #closing = new AbortController();
  #running: Promise<Verification> | undefined;

  constructor(
    private readonly config: ConfigService,
    private readonly clock: Clock,
  ) {}

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * As of the moment in which it begins. Whoever asks while one runs gets the same.
   * @throws StoreError, and the reason of an AbortSignal after LIMIT_MS or where the gateway stops
   */
  run(): Promise<Verification> {
    this.#running ??= this.#verify().finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** Before the requests that are open are waited for. */
  onModuleDestroy(): void {
    this.#closing.abort();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  async #verify(): Promise<Verification> {
    const database = await openDatabase(this.config.current.store);
    try {
      return await verifyLedger(database, AbortSignal.any([this.#closing.signal, this.clock.timeout(LIMIT_MS)]));
    } finally {
      await database.close();
    }
  }
}

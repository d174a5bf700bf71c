import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { randomUUIDv7 as uuidv7 } from 'node:crypto';
import type { Environment, Principal } from '../../auth/principal.js';
import { ManualClock } from '../../common/testing/manual-clock.js';
import { ConfigService } from '../../config/config.service.js';
import type { Database } from '../../database/database.js';
import { TemporaryStore } from '../../database/testing/temporary-store.js';
import { usageOf } from '../../wire/usage.js';
import { CreditStore } from '../credit-store.js';
import type { HoldRequest, Outcome, Settlement } from '../hold/ledger.js';
import { LeaseLedger } from '../leases/lease-ledger.js';
import { LedgerFigures } from '../leases/ledger-figures.js';
import { verifyLedger } from '../verify-ledger.js';
import { NoDelivery } from './no-delivery.js';
import { storeCustomer } from './store-customer.js';

/** One nano-credit a prompt token and a completion token, so that amounts are token counts. */
export const ONE_NANO = { prompt: 1_000n, completion: 1_000n };

/** A ledger on a real SQLite file, with customers and keys. */
export class LedgerBench {
  database: Database;
  ledger: LeaseLedger;
  #ended = false;

  private constructor(
    readonly store: TemporaryStore,
    /** The ledger's, not the store's. */
    readonly clock: ManualClock,
  ) {}

  static async start(store = new TemporaryStore(), figures = new LedgerFigures(), clock = ManualClock.running()): Promise<LedgerBench> {
    Logger.overrideLogger(false);
    const bench = new LedgerBench(store, clock);
    bench.database = await store.open();
    bench.ledger = new LeaseLedger(bench.database, new ConfigService(store.config), new NoDelivery(), figures, undefined, clock);
    await bench.ledger.onModuleInit();
    return bench;
  }

  /** What the next process finds if this one is killed now: the same files, a moment later. */
  async afterCrash(figures?: LedgerFigures): Promise<LedgerBench> {
    const store = new TemporaryStore();
    cpSync(this.store.dataDir, store.dataDir, { recursive: true });
    return LedgerBench.start(store, figures);
  }

  /** As the process ends when it is asked to. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.ledger.onApplicationShutdown();
  }

  async stop(): Promise<void> {
    await this.end();
    await this.store.remove();
  }

  /** @returns the path of a configuration file that names its store */
  configFile(more: object = {}): string {
    const file = join(this.store.dataDir, '..', 'switchyard.yaml');
    // A JSON file is a YAML file.
    writeFileSync(file, JSON.stringify({ ...this.store.settings, ...more }));
    return file;
  }

  /** A customer with so many nano-credits, and a key. */
  customer(credits: bigint, environment: Environment = 'live'): Promise<Principal> {
    return storeCustomer(this.database, this.store.config, credits, environment);
  }

  async grant({ accountId, environment }: Principal, amount: bigint): Promise<void> {
    await new CreditStore(this.database).grant({ accountId, environment, amount });
  }

  async balance({ accountId, environment }: Principal) {
    const balances = await new CreditStore(this.database).balances(accountId);
    const { posted, leased } = balances.find((balance) => balance.environment === environment)!;
    return { posted, leased };
  }

  async usage(requestId: string) {
    return this.database.db.selectFrom('usage').selectAll().where('request_id', '=', requestId).execute();
  }

  /**
   * Resolves when everything settled so far is in the store: settlements are written before anything is asked for.
   * Makes a customer.
   */
  async written(): Promise<void> {
    await this.ledger.hold(request(await this.customer(1n), { maxTokens: 1 }));
  }

  /** Resolves when the store knows of a request that is open. */
  async known({ accountId }: Principal): Promise<void> {
    const rows = () => this.database.db.selectFrom('inflight').select('request_id').where('account_id', '=', accountId).execute();
    while ((await rows()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  verify() {
    return verifyLedger(this.database);
  }
}

/** At one nano-credit a token a request holds `maxTokens`. */
export function request(principal: Principal, changes: Partial<HoldRequest> = {}): HoldRequest {
  return {
    requestId: uuidv7(),
    principal,
    operation: 'chat',
    model: 'model',
    price: ONE_NANO,
    promptTokens: 0,
    choices: 1,
    maxTokens: 10,
    maxTokensMayShrink: false,
    ...changes,
  };
}

export function settlement(outcome: Outcome, promptTokens: number, completionTokens: number): Settlement {
  return { outcome, usage: usageOf(promptTokens, completionTokens), estimated: false, provider: 'provider' };
}

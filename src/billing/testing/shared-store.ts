import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUIDv7 } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { configSchema } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import type { Database } from '../../database/database.js';
import { openDatabase } from '../../database/open-database.js';
import { TemporaryPostgres } from '../../database/testing/temporary-postgres.js';
import { LeaseLedger } from '../leases/lease-ledger.js';
import { LedgerFigures } from '../leases/ledger-figures.js';
import { verifyLedger } from '../verify-ledger.js';
import { BudgetedCustomer } from './budgeted-customer.js';
import { NoDelivery } from './no-delivery.js';

/** The ledger of a gateway, and its own connections to the store. */
export interface LedgerOfGateway {
  readonly ledger: LeaseLedger;
  readonly database: Database;
}

/** The ledgers of several gateways on one PostgreSQL. */
export class SharedStore {
  readonly #folder = mkdtempSync(join(tmpdir(), 'switchyard-budgets-'));
  readonly #ends: (() => Promise<void>)[] = [];

  private constructor(
    private readonly postgres: TemporaryPostgres,
    readonly database: Database,
  ) {}

  static async start(): Promise<SharedStore> {
    Logger.overrideLogger(false);
    const postgres = await TemporaryPostgres.start();
    return new SharedStore(postgres, await openDatabase({ data_dir: 'unused', database_url: postgres.url }));
  }

  async stop(): Promise<void> {
    await this.database.close();
    await this.postgres.stop();
    rmSync(this.#folder, { recursive: true });
  }

  /** One with a million nano-credits. */
  customer(): Promise<BudgetedCustomer> {
    return BudgetedCustomer.create(this.database, configSchema.parse({ keys: { pepper: 'p'.repeat(32) } }), 1_000_000n);
  }

  async gateway(): Promise<LedgerOfGateway> {
    const database = await openDatabase({ data_dir: 'unused', database_url: this.postgres.url });
    const store = { data_dir: join(this.#folder, randomUUIDv7()), database_url: this.postgres.url, lease_ttl: 60_000 };
    const ledger = new LeaseLedger(database, new ConfigService(configSchema.parse({ store })), new NoDelivery(), new LedgerFigures());
    await ledger.onModuleInit();
    this.#ends.push(async () => {
      await ledger.onApplicationShutdown();
      await database.close();
    });
    return { ledger, database };
  }

  /** Ends the gateways, and expects that the ledger holds and that nothing of a budget is shared out any more. */
  async endGateways(): Promise<void> {
    await Promise.all(this.#ends.splice(0).map((end) => end()));
    expect((await verifyLedger(this.database)).findings).toEqual([]);
    expect(await this.database.db.selectFrom('budget_share').selectAll().execute()).toEqual([]);
  }
}

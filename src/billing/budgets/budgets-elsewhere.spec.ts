import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUIDv7 as uuidv7 } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { Principal } from '../../auth/principal.js';
import { configSchema } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import { openDatabase } from '../../database/open-database.js';
import type { Database } from '../../database/database.js';
import { describePostgres } from '../../database/testing/describe-engines.js';
import { TemporaryPostgres } from '../../database/testing/temporary-postgres.js';
import type { Hold, HoldRequest } from '../hold/ledger.js';
import { LeaseLedger } from '../leases/lease-ledger.js';
import { LedgerFigures } from '../leases/ledger-figures.js';
import { BudgetedCustomer } from '../testing/budgeted-customer.js';
import { request, settlement } from '../testing/ledger-bench.js';
import { NoDelivery } from '../testing/no-delivery.js';
import { verifyLedger } from '../verify-ledger.js';

describePostgres('budgets that several gateways share', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-budgets-'));
  const ending: (() => Promise<void>)[] = [];
  let postgres: TemporaryPostgres;
  let database: Database;
  let customer: BudgetedCustomer;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    postgres = await TemporaryPostgres.start();
    database = await openDatabase({ data_dir: 'unused', database_url: postgres.url });
  });
  beforeEach(async () => {
    customer = await BudgetedCustomer.create(database, configSchema.parse({ keys: { pepper: 'p'.repeat(32) } }), 1_000_000n);
  });
  afterEach(async () => {
    await Promise.all(ending.splice(0).map((end) => end()));
    expect((await verifyLedger(database)).findings).toEqual([]);
    expect(await database.db.selectFrom('budget_share').selectAll().execute()).toEqual([]);
  });
  afterAll(async () => {
    await database.close();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  async function gateway(): Promise<LeaseLedger> {
    const own = await openDatabase({ data_dir: 'unused', database_url: postgres.url });
    const store = { data_dir: join(folder, uuidv7()), database_url: postgres.url, lease_ttl: 60_000 };
    const ledger = new LeaseLedger(own, new ConfigService(configSchema.parse({ store })), new NoDelivery(), new LedgerFigures());
    await ledger.onModuleInit();
    ending.push(async () => {
      await ledger.onApplicationShutdown();
      await own.close();
    });
    return ledger;
  }
  const hold = async (ledger: LeaseLedger, principal: Principal, maxTokens: number, changes: Partial<HoldRequest> = {}): Promise<Hold> =>
    ledger.hold(request(principal, { maxTokens, ...changes }));

  it.each(['key', 'project', 'account'] as const)('of a %s let as many requests through as they can pay for, and no more', async (kind) => {
    const gateways = await Promise.all([gateway(), gateway(), gateway()]);
    const principal = await customer.key({ [kind]: { day: '0.000000850', ever: '0.000002' } });
    for (let round = 0; round < 4; round++) {
      const holds = await Promise.allSettled(Array.from({ length: 60 }, (_, index) => hold(gateways[index % 3]!, principal, 100)));
      const made = holds.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      for (const one of holds) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'budget_exceeded' });
      expect(made).toHaveLength(8 - round);
      for (const [index, one] of made.entries()) one.settle(settlement(index === 0 ? 'completed' : 'provider_failed', 0, 100));
    }
  });

  it('are told of once when they are reached, whichever gateways find it', async () => {
    const endpoint = { id: 'whk', url: 'https://example.com', events: '["budget.reached"]', secret: new Uint8Array() };
    await database.db
      .insertInto('webhook_endpoint')
      .values({ ...endpoint, created_at: 1, version: 1 })
      .execute();
    const gateways = await Promise.all([gateway(), gateway(), gateway()]);
    const principal = await customer.key({ key: { day: '0.000000950' }, account: { ever: '0.000000850' } });
    const ask = async (index: number) => (await hold(gateways[index % 3]!, principal, 10)).settle(settlement('completed', 0, 10));
    for (let round = 0; round < 5; round++) await Promise.allSettled(Array.from({ length: 30 }, (_, index) => ask(index)));
    const told = await database.db.selectFrom('webhook_delivery').select('data').where('endpoint_id', '=', 'whk').execute();
    expect(told.map(({ data }) => JSON.parse(data) as object)).toMatchObject([{ scope: 'account', spent: '0.00000085' }]);
  });

  it('ask each other for what they do not use, before they refuse or shorten an answer', async () => {
    const [one, two] = [await gateway(), await gateway()];
    const principal = await customer.key({ key: { month: '0.000000800' } });
    (await hold(one, principal, 720)).settle(settlement('completed', 0, 20));
    const shortened = await hold(two, principal, 10_000, { maxTokensMayShrink: true });
    expect(shortened.amount).toBe(780n);
    await expect(hold(one, principal, 1)).rejects.toMatchObject({ code: 'budget_exceeded', advice: { retryAfter: 1 } });
    shortened.settle(settlement('completed', 0, 30));
    expect((await hold(one, principal, 750)).settle(settlement('completed', 0, 750))).toBe(750n);
    await expect(hold(two, principal, 1)).rejects.toMatchObject({ code: 'budget_exceeded', advice: { retry: false } });
  });
});

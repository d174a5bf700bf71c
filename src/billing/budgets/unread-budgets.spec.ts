import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUIDv7 } from 'node:crypto';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { Principal } from '../../auth/principal.js';
import { configSchema } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import type { Database } from '../../database/database.js';
import { UnexpectedChanges } from '../../database/store-error.js';
import { newRequestId } from '../../common/request-id.js';
import { balanceName } from '../balance-key.js';
import type { Ending } from '../hold/request-facts.js';
import { Stretch } from './budget-period.js';
import { KnownBudgets } from './known-budgets.js';
import { UnreadBudgets } from './unread-budgets.js';
import { openDatabase } from '../../database/open-database.js';
import { describePostgres } from '../../database/testing/describe-engines.js';
import { TemporaryPostgres } from '../../database/testing/temporary-postgres.js';
import { LeaseLedger } from '../leases/lease-ledger.js';
import { LedgerFigures } from '../leases/ledger-figures.js';
import { BudgetedCustomer } from '../testing/budgeted-customer.js';
import { request, settlement } from '../testing/ledger-bench.js';
import { NoDelivery } from '../testing/no-delivery.js';
import { verifyLedger } from '../verify-ledger.js';

interface Gateway {
  readonly ledger: LeaseLedger;
  readonly database: Database;
}

/** Nano-credits, as the text of a limit. */
const nano = (amount: number): string => `0.${String(amount).padStart(9, '0')}`;

describePostgres('budgets that are charged without reading them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-budgets-'));
  const ends: (() => Promise<void>)[] = [];
  let postgres: TemporaryPostgres;
  let database: Database;
  let customer: BudgetedCustomer;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    postgres = await TemporaryPostgres.start();
    database = await openDatabase({ data_dir: 'unused', database_url: postgres.url });
  });
  beforeEach(async () => (customer = await newCustomer()));
  afterEach(endAll);
  afterAll(async () => {
    await database.close();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  const newCustomer = () => BudgetedCustomer.create(database, configSchema.parse({ keys: { pepper: 'p'.repeat(32) } }), 1_000_000n);

  async function endAll(): Promise<void> {
    jest.restoreAllMocks();
    await Promise.all(ends.splice(0).map((end) => end()));
    expect((await verifyLedger(database)).findings).toEqual([]);
    expect(await database.db.selectFrom('budget_share').selectAll().execute()).toEqual([]);
  }

  async function gateway(): Promise<Gateway> {
    const own = await openDatabase({ data_dir: 'unused', database_url: postgres.url });
    const store = { data_dir: join(folder, randomUUIDv7()), database_url: postgres.url, lease_ttl: 60_000 };
    const ledger = new LeaseLedger(own, new ConfigService(configSchema.parse({ store })), new NoDelivery(), new LedgerFigures());
    await ledger.onModuleInit();
    ends.push(async () => {
      await ledger.onApplicationShutdown();
      await own.close();
    });
    return { ledger, database: own };
  }

  const written = async ({ ledger }: Gateway): Promise<void> => {
    while (ledger.unwritten > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  /** So many requests in one transaction, each of which costs as many nano-credits. */
  const spend = async (at: Gateway, principal: Principal, requests: number, cost = 10): Promise<void> => {
    const holds = await Promise.all(Array.from({ length: requests }, async () => at.ledger.hold(request(principal, { maxTokens: cost }))));
    for (const hold of holds) hold.settle(settlement('completed', 0, cost));
    await written(at);
  };
  const spentEver = async ({ accountId }: Principal): Promise<number> => {
    const row = await database.db.selectFrom('budget').select('spent').where('account_id', '=', accountId).where('name', 'like', '%/ever').executeTakeFirstOrThrow(); // prettier-ignore
    return Number(row.spent);
  };

  it('take one batch of statements that reads nothing, once a transaction has read them', async () => {
    const one = await gateway();
    const principal = await customer.key({ key: { day: nano(100_000) }, account: { ever: nano(100_000) } });
    await spend(one, principal, 20);
    const [batches, transactions] = [jest.spyOn(one.database, 'batch'), jest.spyOn(one.database, 'transaction')];
    await spend(one, principal, 20);
    expect(batches).toHaveBeenCalledTimes(1);
    expect(transactions).toHaveBeenCalledTimes(1);
  });

  it('count in a budget that another gateway has made meanwhile', async () => {
    const [one, two] = [await gateway(), await gateway()];
    const before = await customer.key({ key: { day: nano(100_000) } });
    await spend(one, before, 20);
    await spend(two, customer.changed(before, { key: { day: nano(100_000), ever: nano(50_000) } }), 5);
    await spend(one, before, 20);
    expect(await spentEver(before)).toBe(450);
  });

  it('are never exceeded where another gateway has lowered them', async () => {
    const [one, two] = [await gateway(), await gateway()];
    const before = await customer.key({ key: { ever: nano(100_000) } });
    await spend(one, before, 20);
    await spend(two, customer.changed(before, { key: { ever: nano(1_000) } }), 5);
    await spend(one, before, 20);
    expect(await spentEver(before)).toBe(450);
    await expect(two.ledger.hold(request(customer.changed(before, { key: { ever: nano(1_000) } }), { maxTokens: 551 }))).rejects.toMatchObject({ code: 'budget_exceeded' }); // prettier-ignore
  });

  it('pay no more than is left where requests that they do not limit have spent the rest', async () => {
    const [one, two] = [await gateway(), await gateway()];
    const limited = await customer.key({ account: { ever: nano(1_000) } });
    await spend(one, limited, 20);
    const holds = await Promise.all(Array.from({ length: 20 }, async () => one.ledger.hold(request(limited, { maxTokens: 20 }))));
    await spend(two, await customer.key({}), 1, 700);
    for (const hold of holds) hold.settle(settlement('completed', 0, 20));
    await written(one);
    const paid = await database.db.selectFrom('usage').select(({ fn }) => [fn.sum('amount').as('amount'), fn.sum('uncollected').as('uncollected')]).where('key_id', '=', limited.keyId).executeTakeFirstOrThrow(); // prettier-ignore
    expect([Number(paid.amount), Number(paid.uncollected)]).toEqual([300, 300]);
    expect(await spentEver(limited)).toBe(1_000);
  });

  it('are read where they would come to their end', async () => {
    const one = await gateway();
    const limited = await customer.key({ key: { ever: nano(1_000) } });
    await spend(one, limited, 2);
    const share = await database.db.selectFrom('budget_share').selectAll().executeTakeFirstOrThrow();
    const known = new KnownBudgets();
    known.learn([balanceName(limited)], [[limited.keyId, Stretch.of({ version: 1n, names: [share.budget] }, 0, Infinity)]]);
    const requestId = newRequestId();
    const ending = {
      request: { requestId, principal: limited, shares: [share.id] },
      charge: { amount: 5n, excess: 0n },
    } as unknown as Ending;
    const held = new Map([[share.id, { account: share.budget, granted: share.amount, spent: 0n, recalled: share.recalled }]]);
    const budgets = UnreadBudgets.of([ending], known, held)!;
    budgets.spending.spend(requestId, 5n, 5n);
    const left = (nanoCredits: bigint) => database.db.updateTable('budget').set({ spent: 1_000n - nanoCredits }).where('name', '=', share.budget).execute(); // prettier-ignore
    await left(5n);
    await expect(database.batch(budgets.changes(database, 1_000)!)).rejects.toThrow(UnexpectedChanges);
    await left(980n);
  });

  it('come to what was charged, whatever two gateways do with them', async () => {
    const step = fc.record({
      at: fc.nat(1),
      key: fc.nat(2),
      budgets: fc.record({ key: fc.constantFrom(undefined, 300, 2_000), account: fc.constantFrom(undefined, 500, 3_000) }),
      requests: fc.integer({ min: 1, max: 12 }),
      cost: fc.integer({ min: 0, max: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
        const gateways = [await gateway(), await gateway()];
        customer = await newCustomer();
        const keys = await Promise.all([customer.key({}), customer.key({}), customer.key({})]);
        for (const { at, key, budgets, requests, cost } of steps) {
          const limits = {
            ...(budgets.key !== undefined && { key: { ever: nano(budgets.key) } }),
            ...(budgets.account !== undefined && { account: { day: nano(budgets.account), ever: nano(budgets.account) } }),
          };
          const { ledger } = gateways[at]!;
          const principal = customer.changed(keys[key]!, limits);
          const holds = await Promise.allSettled(Array.from({ length: requests }, async () => ledger.hold(request(principal, { maxTokens: cost + 1 })))); // prettier-ignore
          for (const hold of holds) if (hold.status === 'fulfilled') hold.value.settle(settlement('completed', 0, cost));
        }
        // Verifies the ledger: budgets have spent what was charged, and shared out nothing any more.
        await endAll();
      }),
      { numRuns: 6 },
    );
  });
});

import { jest } from '@jest/globals';
import fc from 'fast-check';
import type { Principal } from '../../auth/principal.js';
import { UnexpectedChanges } from '../../database/store-error.js';
import { newRequestId } from '../../common/request-id.js';
import { balanceName } from '../balance-key.js';
import type { Ending } from '../hold/request-facts.js';
import { Stretch } from './budget-period.js';
import { KnownBudgets } from './known-budgets.js';
import { UnreadBudgets } from './unread-budgets.js';
import { describePostgres } from '../../database/testing/describe-engines.js';
import type { BudgetedCustomer } from '../testing/budgeted-customer.js';
import { request, settlement } from '../testing/ledger-bench.js';
import { type LedgerOfGateway, SharedStore } from '../testing/shared-store.js';

/** Nano-credits, as the text of a limit. */
const nano = (amount: number): string => `0.${String(amount).padStart(9, '0')}`;

describePostgres('budgets that are charged without reading them', () => {
  let store: SharedStore;
  let customer: BudgetedCustomer;

  beforeAll(async () => {
    store = await SharedStore.start();
  });
  beforeEach(async () => {
    customer = await store.customer();
  });
  afterEach(endAll);
  afterAll(() => store.stop());

  function endAll(): Promise<void> {
    jest.restoreAllMocks();
    return store.endGateways();
  }

  const written = async ({ ledger }: LedgerOfGateway): Promise<void> => {
    while (ledger.unwritten > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  /** So many requests in one transaction, each of which costs as many nano-credits. */
  const spend = async (at: LedgerOfGateway, principal: Principal, requests: number, cost = 10): Promise<void> => {
    const holds = await Promise.all(Array.from({ length: requests }, async () => at.ledger.hold(request(principal, { maxTokens: cost }))));
    for (const hold of holds) hold.settle(settlement('completed', 0, cost));
    await written(at);
  };
  const spentEver = async ({ accountId }: Principal): Promise<number> => {
    const row = await store.database.db.selectFrom('budget').select('spent').where('account_id', '=', accountId).where('name', 'like', '%/ever').executeTakeFirstOrThrow(); // prettier-ignore
    return Number(row.spent);
  };

  it('take one batch of statements that reads nothing, once a transaction has read them', async () => {
    const one = await store.gateway();
    const principal = await customer.key({ key: { day: nano(100_000) }, account: { ever: nano(100_000) } });
    await spend(one, principal, 20);
    const [batches, transactions] = [jest.spyOn(one.database, 'batch'), jest.spyOn(one.database, 'transaction')];
    await spend(one, principal, 20);
    expect(batches).toHaveBeenCalledTimes(1);
    expect(transactions).toHaveBeenCalledTimes(1);
  });

  it('count in a budget that another gateway has made meanwhile', async () => {
    const [one, two] = [await store.gateway(), await store.gateway()];
    const before = await customer.key({ key: { day: nano(100_000) } });
    await spend(one, before, 20);
    await spend(two, customer.changed(before, { key: { day: nano(100_000), ever: nano(50_000) } }), 5);
    await spend(one, before, 20);
    expect(await spentEver(before)).toBe(450);
  });

  it('are never exceeded where another gateway has lowered them', async () => {
    const [one, two] = [await store.gateway(), await store.gateway()];
    const before = await customer.key({ key: { ever: nano(100_000) } });
    await spend(one, before, 20);
    await spend(two, customer.changed(before, { key: { ever: nano(1_000) } }), 5);
    await spend(one, before, 20);
    expect(await spentEver(before)).toBe(450);
    await expect(two.ledger.hold(request(customer.changed(before, { key: { ever: nano(1_000) } }), { maxTokens: 551 }))).rejects.toMatchObject({ code: 'budget_exceeded' }); // prettier-ignore
  });

  it('pay no more than is left where requests that they do not limit have spent the rest', async () => {
    const [one, two] = [await store.gateway(), await store.gateway()];
    const limited = await customer.key({ account: { ever: nano(1_000) } });
    await spend(one, limited, 20);
    const holds = await Promise.all(Array.from({ length: 20 }, async () => one.ledger.hold(request(limited, { maxTokens: 20 }))));
    await spend(two, await customer.key({}), 1, 700);
    for (const hold of holds) hold.settle(settlement('completed', 0, 20));
    await written(one);
    const paid = await store.database.db.selectFrom('usage').select(({ fn }) => [fn.sum('amount').as('amount'), fn.sum('uncollected').as('uncollected')]).where('key_id', '=', limited.keyId).executeTakeFirstOrThrow(); // prettier-ignore
    expect([Number(paid.amount), Number(paid.uncollected)]).toEqual([300, 300]);
    expect(await spentEver(limited)).toBe(1_000);
  });

  it('are read where they would come to their end', async () => {
    const one = await store.gateway();
    const limited = await customer.key({ key: { ever: nano(1_000) } });
    await spend(one, limited, 2);
    const share = await store.database.db.selectFrom('budget_share').selectAll().executeTakeFirstOrThrow();
    const known = new KnownBudgets();
    known.learn([balanceName(limited)], [[limited.keyId, Stretch.of({ version: 1n, names: [share.budget] }, 0, Infinity)]]);
    const requestId = newRequestId();
    const ending = {
      request: { requestId, principal: limited, shares: [share.id] },
      charge: { amount: 5n, excess: 0n },
    } as unknown as Ending;
    const held = new Map([[share.id, { account: share.budget, granted: share.amount, spent: 0n, recalled: share.recalled }]]);
    const budgets = UnreadBudgets.of([ending], known, held)!;
    const left = (nanoCredits: bigint) => store.database.db.updateTable('budget').set({ spent: 1_000n - nanoCredits }).where('name', '=', share.budget).execute(); // prettier-ignore
    await left(5n);
    await expect(store.database.batch(budgets.changes(store.database, 1_000)!)).rejects.toThrow(UnexpectedChanges);
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
        const gateways = [await store.gateway(), await store.gateway()];
        customer = await store.customer();
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

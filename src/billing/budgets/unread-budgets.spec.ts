import { jest } from '@jest/globals';
import fc from 'fast-check';
import { started } from '../../common/testing/started.js';
import type { Principal } from '../../auth/principal.js';
import { UnexpectedChanges } from '../../database/store-error.js';
import { firstRequestId, newRequestId } from '../../common/requests/request-id.js';
import { balanceName } from '../balance-key.js';
import type { Ending } from '../hold/request-facts.js';
import { Stretch } from '../hold/budget-period.js';
import { KnownBudgets } from './known-budgets.js';
import { UnreadBudgets } from './unread-budgets.js';
import { describePostgres } from '../../database/testing/describe-engines.js';
import type { BudgetedCustomer } from '../testing/budgeted-customer.js';
import { request, settlement } from '../testing/ledger-bench.js';
import { type LedgerOfGateway, SharedStore } from '../testing/shared-store.js';

/** Nano-credits, as the text of a limit. */
const nano = (amount: number): string => `0.${String(amount).padStart(9, '0')}`;

describe('the shares that pay for a batch', () => {
  const one: Principal = { accountId: 'a', environment: 'live', keyId: 'one' };
  const two = { ...one, keyId: 'two' };
  const uncounted = { ...one, accountId: 'b', keyId: 'three' };
  const ofOne = ['one a'];
  const shares = new Map(
    ['one a', 'one b', 'two a'].map((id) => [id, { account: id.slice(0, 3), granted: 100n, spent: 0n, recalled: 0n }]),
  );
  const known = new KnownBudgets();
  known.learn(
    [balanceName(one)],
    [one, two].map(({ keyId }) => [keyId, Stretch.of({ version: 1n, names: [keyId] }, 0, 1_000)]),
  );
  const ending = (principal: Principal, amount: bigint, heldFrom?: readonly string[], time = 500): Ending => {
    const held = { requestId: `${firstRequestId(time)}-7000`, principal, shares: heldFrom };
    return { request: held, charge: { amount, excess: 0n } } as unknown as Ending;
  };

  it('are those of the key of each request, of what it was held from', () => {
    const endings = [
      ending(one, 5n, ofOne),
      ending(one, 2n, ofOne),
      ending(two, 7n, ['two a']),
      ending(one, 11n, ['one b']),
      ending(uncounted, 13n),
    ];
    const paid = UnreadBudgets.of(endings, known, shares)!.shares;
    expect([...paid].map(([id, { spent }]) => [id, spent])).toEqual([['one a', 7n], ['one b', 11n], ['two a', 7n]]); // prettier-ignore
  });

  it('are not known for another day, nor where the request was not held from one', () => {
    expect(UnreadBudgets.of([ending(one, 5n, ofOne), ending(one, 5n, ofOne, 1_500)], known, shares)).toBeUndefined();
    expect(UnreadBudgets.of([ending(one, 5n, ofOne), ending(one, 5n, ['two a'])], known, shares)).toBeUndefined();
    expect(UnreadBudgets.of([ending(uncounted, 13n), ending(one, 5n)], known, shares)).toBeUndefined();
  });
});

describePostgres('budgets that are charged without reading them', () => {
  const store = started(() => SharedStore.start(), 'stop');
  let customer: BudgetedCustomer;
  beforeEach(async () => {
    customer = await store.customer();
  });
  afterEach(endAll);

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
    const shares = new Map([[share.id, { account: share.budget, granted: share.amount, spent: 0n, recalled: share.recalled }]]);
    const charged = (...amounts: bigint[]) => {
      const held = { principal: limited, shares: [share.id] };
      const endings = amounts.map((amount) => ({ request: { ...held, requestId: newRequestId() }, charge: { amount, excess: 0n } }));
      return UnreadBudgets.of(endings as unknown as Ending[], known, shares)!;
    };
    const budgets = charged(5n);
    const left = (nanoCredits: bigint) => store.database.db.updateTable('budget').set({ spent: 1_000n - nanoCredits }).where('name', '=', share.budget).execute(); // prettier-ignore
    await left(5n);
    await expect(store.database.batch(budgets.changes(store.database, 1_000)!)).rejects.toThrow(UnexpectedChanges);
    await left(980n);
    // The share is used up, or does not pay for all.
    for (const more of [0n, 1n]) expect(charged(share.amount - 5n, 5n + more).changes(store.database, 1_000)).toBeUndefined();
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

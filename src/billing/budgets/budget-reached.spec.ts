import type { Principal } from '../../auth/principal.js';
import { requestIdAt } from '../../common/testing/request-id-at.js';
import type { Database } from '../../database/database.js';
import { describeStores } from '../../database/testing/describe-engines.js';
import type { HoldRequest } from '../hold/ledger.js';
import { BudgetedCustomer } from '../testing/budgeted-customer.js';
import { LedgerBench, request, settlement } from '../testing/ledger-bench.js';

const NOON = Date.parse('2026-11-23T12:00:00Z');
const DAY = 86_400_000;
/** Nano-credits, as the text of a limit. */
const nano = (amount: number): string => `0.${String(amount).padStart(9, '0')}`;
const exceeded = expect.objectContaining({ code: 'budget_exceeded' });

async function wantBudgets({ db }: Database): Promise<void> {
  const endpoint = { id: 'whk', url: 'https://example.com', events: '["budget.reached"]', secret: new Uint8Array() };
  await db
    .insertInto('webhook_endpoint')
    .values({ ...endpoint, created_at: 1, version: 1 })
    .execute();
}

describeStores('a budget that is reached', (create) => {
  let bench: LedgerBench;
  let customer: BudgetedCustomer;
  beforeEach(async () => {
    bench = await LedgerBench.start(await create());
    customer = await BudgetedCustomer.create(bench.database, bench.store.config, 100_000n);
    await wantBudgets(bench.database);
  });
  afterEach(async () => {
    await bench.end();
    expect((await bench.verify()).findings).toEqual([]);
    await bench.stop();
  });

  const hold = async (principal: Principal, maxTokens: number, changes: Partial<HoldRequest> = {}) =>
    bench.ledger.hold(request(principal, { maxTokens, ...changes }));
  const spend = async (principal: Principal, tokens: number, changes?: Partial<HoldRequest>) =>
    (await hold(principal, tokens, changes)).settle(settlement('completed', 0, tokens));
  const told = async () => {
    await bench.written();
    const rows = await bench.database.db.selectFrom('webhook_delivery').select(['type', 'data']).orderBy('created_at').orderBy('id').execute(); // prettier-ignore
    expect(rows.every(({ type }) => type === 'budget.reached')).toBe(true);
    return rows.map(({ data }) => JSON.parse(data) as Record<string, string>);
  };
  const amounts = async () => (await told()).map(({ amount, spent }) => [amount, spent]);

  it.each([
    ['key', 'day', '2026-11-24T00:00:00.000Z'],
    ['project', 'month', '2026-12-01T00:00:00.000Z'],
    ['account', 'ever', null],
  ] as const)('of a %s for each %s is told of once, with which one it is and when it renews', async (kind, window, renews_at) => {
    const principal = await customer.key({ [kind]: { [window]: nano(100) } });
    const at = () => ({ requestId: requestIdAt(NOON) });
    await spend(principal, 60, at());
    expect(await told()).toEqual([]);
    await spend(principal, 40, at());
    const [event, ...more] = await told();
    expect(event).toEqual({
      account_id: principal.accountId,
      environment: 'live',
      scope: kind,
      project_id: kind === 'project' ? expect.stringMatching(/^proj_/) : null,
      key_id: kind === 'key' ? principal.keyId : null,
      window,
      amount: nano(100).replace(/0+$/, ''),
      spent: nano(100).replace(/0+$/, ''),
      renews_at,
    });
    expect(more).toEqual([]);
    for (let again = 0; again < 3; again++) await expect(hold(principal, 1, at())).rejects.toEqual(exceeded);
    expect(await told()).toHaveLength(1);
  });

  it('is told of when the first request is refused because it could cost more than is left', async () => {
    const principal = await customer.key({ key: { day: nano(100) } });
    const open = await hold(principal, 95);
    // What the whole budget could not pay for says nothing of the budget, and what is held may come back.
    await expect(hold(principal, 101)).rejects.toEqual(exceeded);
    await expect(hold(principal, 50)).rejects.toEqual(exceeded);
    expect(await told()).toEqual([]);
    open.settle(settlement('completed', 0, 95));
    await expect(hold(principal, 6)).rejects.toEqual(exceeded);
    expect(await amounts()).toEqual([['0.0000001', '0.000000095']]);
    await spend(principal, 5);
    await expect(hold(principal, 6)).rejects.toEqual(exceeded);
    expect(await told()).toHaveLength(1);
  });

  it('is told of in each of its periods, and for each budget', async () => {
    const principal = await customer.key({ key: { day: nano(100), month: nano(150) }, account: { ever: nano(150) } });
    const on = (day: number) => ({ requestId: requestIdAt(NOON + day * DAY) });
    await spend(principal, 100, on(0));
    await spend(principal, 50, on(1));
    await expect(hold(principal, 1, on(1))).rejects.toEqual(exceeded);
    expect((await told()).map(({ scope, window }) => `${scope} ${window}`).sort()).toEqual(['account ever', 'key day', 'key month']);
    const raised = customer.changed(principal, { key: { day: nano(100) } });
    await spend(raised, 50, on(1));
    expect((await told()).map(({ renews_at }) => renews_at)).toContain('2026-11-25T00:00:00.000Z');
  });

  it('is told of again only when it was raised and is reached again', async () => {
    const principal = await customer.key({ key: { ever: nano(100) } });
    await spend(principal, 100);
    expect(await told()).toHaveLength(1);
    await expect(hold(customer.changed(principal, { key: { ever: nano(50) } }), 1)).rejects.toEqual(exceeded);
    const raised = customer.changed(principal, { key: { ever: nano(150) } });
    await spend(raised, 49);
    expect(await amounts()).toEqual([['0.0000001', '0.0000001']]);
    await spend(raised, 1);
    expect(await amounts()).toEqual([['0.0000001', '0.0000001'], ['0.00000015', '0.00000015']]); // prettier-ignore
  });

  it('is told of where it is made, or lowered, when more was spent', async () => {
    const free = await customer.key({});
    await spend(free, 60);
    const limited = await customer.key({ account: { ever: nano(50) } });
    await expect(hold(limited, 1)).rejects.toEqual(exceeded);
    expect(await amounts()).toEqual([['0.00000005', '0.00000006']]);
    const other = await customer.key({ key: { ever: nano(100) } });
    await spend(other, 60);
    await expect(hold(customer.changed(other, { key: { ever: nano(60) } }), 1)).rejects.toEqual(exceeded);
    expect(await amounts()).toContainEqual(['0.00000006', '0.00000006']);
  });

  it('is not told of where nobody is held to it any more, where it is raised in time, or where it allows nothing', async () => {
    const principal = await customer.key({ key: { ever: nano(100) } });
    const open = await hold(principal, 60);
    // The rest of the share of before is enough: the store has not heard of the new limit.
    const raised = await hold(customer.changed(principal, { key: { ever: nano(150) } }), 40);
    for (const one of [open, raised]) one.settle(settlement('completed', 0, one === open ? 60 : 40));
    expect(await told()).toEqual([]);
    await spend(customer.changed(principal, {}), 100);
    await spend(await customer.key({ key: { ever: nano(0) } }), 100, { price: { prompt: 0n, completion: 0n } });
    expect(await told()).toEqual([]);
  });
});

describe('a budget that is reached, after a crash', () => {
  it('is told of once by the process that replays the journal', async () => {
    const bench = await LedgerBench.start();
    await wantBudgets(bench.database);
    const customer = await BudgetedCustomer.create(bench.database, bench.store.config, 100_000n);
    const principal = await customer.key({ key: { ever: nano(100) } });
    const told = (of: LedgerBench) => of.database.db.selectFrom('webhook_delivery').select('data').execute();
    (await bench.ledger.hold(request(principal, { maxTokens: 100 }))).settle(settlement('completed', 0, 100));
    // The journal has it, and the store has not.
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await told(bench)).toEqual([]);
    const next = await bench.afterCrash();
    expect(await told(next)).toHaveLength(1);
    await expect(next.ledger.hold(request(principal, { maxTokens: 1 }))).rejects.toEqual(exceeded);
    await next.end();
    expect(await told(next)).toHaveLength(1);
    await Promise.all([bench.stop(), next.stop()]);
  });
});

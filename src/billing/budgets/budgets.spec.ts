import { jest } from '@jest/globals';
import { parseCredits } from '../../common/prices/credits.js';
import { requestIdAt } from '../../common/testing/request-id-at.js';
import { describeStores } from '../../database/testing/describe-engines.js';
import type { Hold, HoldRequest } from '../hold/ledger.js';
import { LeaseStore } from '../leases/lease-store.js';
import type { Principal } from '../../auth/principal.js';
import { BudgetedCustomer } from '../testing/budgeted-customer.js';
import { LedgerBench, request, settlement } from '../testing/ledger-bench.js';

/** Nano-credits, as the text of a limit. */
const nano = (amount: number): string => `0.${String(amount).padStart(9, '0')}`;
const NOON = Date.parse('2026-11-23T12:00:00Z');
const DAY = 86_400_000;

describeStores('budgets', (create) => {
  let bench: LedgerBench;
  let customer: BudgetedCustomer;
  const holds: Hold[] = [];
  beforeEach(async () => {
    bench = await LedgerBench.start(await create());
    customer = await BudgetedCustomer.create(bench.database, bench.store.config, 100_000n);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const one of holds.splice(0)) one.settle(settlement('shutdown', 0, 0));
    await bench.end();
    expect((await bench.verify()).findings).toEqual([]);
    const left = await bench.database.db.selectFrom('budget_share').selectAll().execute();
    expect(left).toEqual([]);
    await bench.stop();
  });

  const hold = async (principal: Principal, maxTokens: number, changes: Partial<HoldRequest> = {}): Promise<Hold> => {
    const made = await bench.ledger.hold(request(principal, { maxTokens, ...changes }));
    holds.push(made);
    return made;
  };
  const spend = async (principal: Principal, tokens: number, changes: Partial<HoldRequest> = {}) =>
    (await hold(principal, tokens, changes)).settle(settlement('completed', 0, tokens));
  const spent = async (name: string) => {
    await bench.written();
    const rows = await bench.database.db.selectFrom('budget').select(['name', 'spent']).where('name', 'like', `${name}%`).execute();
    return Object.fromEntries(rows.map((row) => [row.name.slice(row.name.indexOf('/live/') + 6), Number(row.spent)]));
  };
  const refused = (message: string, advice: object) =>
    expect.objectContaining({ status: 402, type: 'payment_required', code: 'budget_exceeded', message: expect.stringContaining(message), advice }); // prettier-ignore

  it.each([
    ['key', 'day', 'the key’s daily budget of 0.0000001 credits. It renews at 2026-11-24T00:00:00Z.', { retry: false, retryAfter: 43_200 }],
    [
      'key',
      'month',
      'the key’s monthly budget of 0.0000001 credits. It renews at 2026-12-01T00:00:00Z.',
      { retry: false, retryAfter: 7.5 * 86_400 },
    ],
    [
      'project',
      'day',
      'the project’s daily budget of 0.0000001 credits. It renews at 2026-11-24T00:00:00Z.',
      { retry: false, retryAfter: 43_200 },
    ],
    ['account', 'ever', 'the account’s budget of 0.0000001 credits. It does not renew.', { retry: false }],
  ] as const)('of a %s for each %s are refused with which one it is, and when it renews', async (kind, window, message, advice) => {
    jest.spyOn(Date, 'now').mockReturnValue(NOON);
    const principal = await customer.key({ [kind]: { [window]: nano(100) } });
    const at = { requestId: requestIdAt(NOON) };
    await spend(principal, 60, at);
    await expect(hold(principal, 41, { requestId: requestIdAt(NOON) })).rejects.toEqual(refused(message, advice));
    const last = await hold(principal, 40, { requestId: requestIdAt(NOON) });
    // What other requests hold comes back sooner than the budget.
    await expect(hold(principal, 1, { requestId: requestIdAt(NOON) })).rejects.toEqual(refused(message, { retryAfter: 1 }));
    await expect(hold(principal, 101, { requestId: requestIdAt(NOON) })).rejects.toEqual(refused(message, { retry: false }));
    last.settle(settlement('provider_failed', 0, 0));
    await spend(principal, 40, { requestId: requestIdAt(NOON) });
    await expect(hold(principal, 1, { requestId: requestIdAt(NOON) })).rejects.toEqual(refused(message, advice));
  });

  it('renew with the day and the month in which requests come', async () => {
    const principal = await customer.key({ key: { day: nano(100), month: nano(250) } });
    const on = (day: number) => ({ requestId: requestIdAt(NOON + day * DAY) });
    await spend(principal, 100, on(0));
    await expect(hold(principal, 1, on(0))).rejects.toEqual(refused('daily', expect.anything()));
    await spend(principal, 100, on(1));
    await spend(principal, 50, on(2));
    await expect(hold(principal, 1, on(3))).rejects.toEqual(refused('monthly', expect.anything()));
    await spend(principal, 100, on(8));
    // A request of before midnight that is let in after it.
    await expect(hold(principal, 1, on(1))).rejects.toEqual(refused('daily', expect.anything()));
    expect(await spent(`key/${principal.keyId}`)).toEqual({
      'day/2026-11-23': 100,
      'day/2026-11-24': 100,
      'day/2026-11-25': 50,
      'day/2026-11-26': 0,
      'day/2026-12-01': 100,
      'month/2026-11': 250,
      'month/2026-12': 100,
    });
  });

  it.each(['key', 'project', 'account'] as const)('of a %s are never exceeded, however many ask at once', async (kind) => {
    const principal = await customer.key({ [kind]: { ever: nano(105) } });
    const results = await Promise.allSettled(Array.from({ length: 200 }, () => hold(principal, 10)));
    const made = results.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    expect(made).toHaveLength(10);
    for (const one of made) one.settle(settlement('completed', 0, 10));
    await expect(hold(principal, 6)).rejects.toEqual(refused('budget of 0.000000105', { retry: false }));
    await spend(principal, 5);
  });

  it('lower the tokens of a request that names none, to the least of what they and the account can pay', async () => {
    const principal = await customer.key({ key: { day: nano(80) }, project: { month: nano(50) }, account: { ever: nano(70) } });
    const shrinking = { maxTokensMayShrink: true };
    const one = await hold(principal, 1_000, shrinking);
    expect([one.maxTokens, one.amount]).toEqual([50, 50n]);
    await expect(hold(principal, 1_000, { ...shrinking })).rejects.toEqual(refused('the project’s monthly', { retryAfter: 1 }));
    one.settle(settlement('completed', 0, 20));
    await expect(hold(principal, 1_000, { ...shrinking, leastTokens: 31 })).rejects.toEqual(refused('the project’s', expect.anything()));
    expect((await hold(principal, 1_000, shrinking)).amount).toBe(30n);
    // Only what the balance lacks is the balance's refusal, and nothing stays held in the budgets.
    const poor = await BudgetedCustomer.create(bench.database, bench.store.config, 10n);
    const other = await poor.key({ key: { day: nano(50) } });
    await expect(hold(other, 11)).rejects.toMatchObject({ code: 'insufficient_credits' });
    expect((await hold(other, 1_000, shrinking)).amount).toBe(10n);
  });

  it('pay what is charged, whatever the ending, and get the rest back', async () => {
    const principal = await customer.key({ key: { day: nano(100) }, account: { ever: nano(1_000) } });
    for (const [outcome, cost] of [
      ['completed', 30],
      ['client_left', 30],
      ['provider_failed', 0],
      ['shutdown', 0],
    ] as const) {
      const one = await hold(principal, 40);
      expect(one.settle(settlement(outcome, 0, 30))).toBe(BigInt(cost));
    }
    await spend(principal, 40);
    expect(await spent('')).toMatchObject({ ever: 100 });
    await expect(hold(principal, 1)).rejects.toMatchObject({ code: 'budget_exceeded' });
  });

  it('pay what a provider counts beyond the hold as far as they go, and the rest is uncollected', async () => {
    const principal = await customer.key({ key: { day: nano(100) }, account: { ever: nano(1_000) } });
    const [one, two] = [await hold(principal, 10), await hold(principal, 10)];
    expect(one.settle(settlement('completed', 0, 60))).toBe(60n);
    await bench.written();
    expect(two.settle(settlement('completed', 0, 60))).toBe(60n);
    expect(await spent('')).toMatchObject({ ever: 100 });
    const rows = await bench.database.db.selectFrom('usage').select(['amount', 'uncollected']).where('key_id', '=', principal.keyId).orderBy('request_id').execute(); // prettier-ignore
    expect(rows).toEqual([{ amount: 60n, uncollected: 0n }, { amount: 40n, uncollected: 20n }]); // prettier-ignore
  });

  it('count what was spent before they were made, what is open then, and what keys spend that are not restricted', async () => {
    const free = await customer.key({});
    await spend(free, 30);
    const open = await hold(free, 25);
    const limited = await customer.key({ account: { day: nano(100) }, project: { ever: nano(90) } });
    expect((await hold(limited, 1_000, { maxTokensMayShrink: true })).settle(settlement('completed', 0, 20))).toBe(20n);
    open.settle(settlement('completed', 0, 25));
    expect(await spent('')).toEqual({ [`day/${new Date().toISOString().slice(0, 10)}`]: 75, ever: 75 });
    // What was shared out meanwhile comes back first, when leases are renewed.
    await bench.clock.until(async () => (await bench.database.db.selectFrom('budget_share').selectAll().execute()).length === 0, 1_000);
    const last = await hold(limited, 1_000, { maxTokensMayShrink: true });
    expect(last.amount).toBe(15n);
    // It is not held to the budgets, and counts in them.
    await spend(free, 40);
    expect(await spent('')).toMatchObject({ ever: 115 });
    expect(last.settle(settlement('completed', 0, 15))).toBe(15n);
    // It was spent by then.
    expect(await spent('')).toMatchObject({ ever: 115 });
    await expect(hold(limited, 1)).rejects.toMatchObject({ code: 'budget_exceeded' });
  });

  it('let more through once they are raised, and less once they are lowered', async () => {
    const first = await customer.key({ key: { ever: nano(100) } });
    await spend(first, 60);
    await expect(hold(first, 41)).rejects.toMatchObject({ code: 'budget_exceeded' });
    const raised = customer.changed(first, { key: { ever: nano(150) } });
    await spend(raised, 41);
    const lowered = customer.changed(first, { key: { ever: nano(120) } });
    await expect(hold(lowered, 20)).rejects.toMatchObject({ code: 'budget_exceeded' });
    await spend(lowered, 19);
    await expect(hold(customer.changed(first, { key: { ever: nano(50) } }), 1)).rejects.toMatchObject({ code: 'budget_exceeded' });
  });

  it('are shared by the keys of a line', async () => {
    const first = await customer.key({ key: { day: nano(100) } });
    const second = await customer.successor(first, { key: { day: nano(100) } });
    await spend(first, 60);
    await spend(second, 40);
    for (const one of [first, second]) await expect(hold(one, 1)).rejects.toMatchObject({ code: 'budget_exceeded' });
  });

  it('cost requests nothing that cost nothing', async () => {
    const principal = await customer.key({ key: { day: nano(0) } });
    expect((await hold(principal, 100, { price: { prompt: 0n, completion: 0n } })).amount).toBe(0n);
    await expect(hold(principal, 1)).rejects.toEqual(refused('daily budget of 0 credits', { retry: false }));
  });

  it('pay for what a dead process had let in, and get its shares back', async () => {
    const principal = await customer.key({ key: { ever: nano(1_000) }, account: { ever: nano(1_000) } });
    const open = await hold(principal, 300);
    open.progress(120, 30);
    await bench.known(principal);
    open.progress(130);
    const done = await hold(principal, 100);
    done.settle(settlement('completed', 0, 77));
    await bench.written();
    const stored = async () => (await bench.database.db.selectFrom('inflight').select('completion_tokens').execute())[0]?.completion_tokens;
    while ((await stored()) !== 130n) await new Promise((resolve) => setTimeout(resolve, 10));
    const reaper = new LeaseStore(bench.database, 'reaper', 60_000);
    expect(await reaper.reapDead()).toBeGreaterThan(0);
    expect(await bench.database.db.selectFrom('budget_share').selectAll().execute()).toEqual([]);
    expect(await bench.database.db.selectFrom('budget').select(['spent', 'reserved']).execute()).toEqual([
      { spent: 237n, reserved: 0n },
      { spent: 237n, reserved: 0n },
    ]);
    expect((await bench.verify()).findings).toEqual([]);
    // It was only silent: its own word corrects the charge, and counts.
    open.settle(settlement('completed', 30, 140));
    expect(await spent('')).toEqual({ ever: 247 });
  });

  it('do not pay what comes too late, where others have spent it', async () => {
    const principal = await customer.key({ key: { ever: nano(300) } });
    const open = await hold(principal, 300);
    await bench.known(principal);
    await new LeaseStore(bench.database, 'reaper', 60_000).reapDead();
    await bench.written();
    expect(await spent('')).toEqual({ ever: 0 });
    const silent = await bench.database.db.selectFrom('budget').select('name').executeTakeFirstOrThrow();
    await bench.database.db.updateTable('budget').set({ ceiling: parseCredits(nano(50)) }).where('name', '=', silent.name).execute(); // prettier-ignore
    open.settle(settlement('completed', 0, 200));
    expect(await spent('')).toEqual({ ever: 50 });
  });
});

describe('budgets after a crash', () => {
  it('have paid what the journal says, to the unit, and what is left is there at once', async () => {
    const bench = await LedgerBench.start();
    const customer = await BudgetedCustomer.create(bench.database, bench.store.config, 100_000n);
    const principal = await customer.key({ key: { ever: nano(1_000) }, project: { month: nano(1_000) }, account: { day: nano(1_000) } });
    const open = await bench.ledger.hold(request(principal, { maxTokens: 500 }));
    open.progress(200, 10);
    const beyond = await bench.ledger.hold(request(principal, { maxTokens: 400 }));
    // The journal has it, and the store has not.
    beyond.settle(settlement('completed', 0, 300));
    await new Promise((resolve) => setTimeout(resolve, 5));
    const next = await bench.afterCrash();
    const { rows } = { rows: await next.database.db.selectFrom('budget').select(['spent', 'reserved']).execute() };
    expect(rows).toEqual(Array.from({ length: 3 }, () => ({ spent: 510n, reserved: 0n })));
    expect((await next.verify()).findings).toEqual([]);
    expect((await next.ledger.hold(request(principal, { maxTokens: 490 }))).amount).toBe(490n);
    await Promise.all([bench.stop(), next.stop()]);
  });
});

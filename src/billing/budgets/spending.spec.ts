import * as fc from 'fast-check';
import * as protocol from '../protocol/lease-protocol.js';
import { longForm } from '../../common/testing/long-form.js';
import type { LedgerRows } from '../protocol/ledger-rows.js';
import { BudgetSpending, type Spender } from './spending.js';
import { requestIdAt } from '../../common/testing/request-id-at.js';
import type { Budget } from '../../auth/rules/principal-rules.js';
import { periodsOf } from '../hold/budget-period.js';

const empty = (): LedgerRows => ({ balances: new Map(), leases: new Map(), charges: new Map(), claims: new Map(), revenue: new Map() });
const NAMES = ['key', 'project', 'account'] as const;

/** A balance and three budgets, with leases and shares of two processes. */
function start(money: bigint, limits: readonly bigint[]) {
  const [rows, budgets] = [empty(), empty()];
  rows.balances.set('a', { posted: money, reserved: 0n, recall: 0n, recalling: false });
  for (const [index, name] of NAMES.entries())
    budgets.balances.set(name, { posted: limits[index]!, reserved: 0n, recall: 0n, recalling: false });
  const spenders = new Map<string, Spender[]>();
  rows.spending = new BudgetSpending(budgets, spenders);
  return { rows, budgets, spenders };
}

const amount = fc.bigInt({ min: 0n, max: 40n });
const step = fc.record({
  do: fc.constantFrom('grant', 'share', 'charge', 'again', 'correct', 'return', 'give', 'reap', 'end'),
  node: fc.nat({ max: 1 }),
  budget: fc.constantFrom(...NAMES),
  amount,
  excess: amount,
  /** Its process holds no share of this budget any more. */
  lost: fc.option(fc.constantFrom(...NAMES)),
});

describe('what budgets allow to be charged', () => {
  it('is never more than they have left, whatever leases and shares have become of, and what is charged counts in all', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 300n }),
        fc.array(amount, { minLength: 3, maxLength: 3 }),
        fc.array(step, { maxLength: 40 }),
        (money, limits, steps) => {
          const { rows, budgets, spenders } = start(money, limits);
          const provisional: string[] = [];
          for (const [index, one] of steps.entries()) {
            const [lease, share] = [`lease ${one.node}`, `${one.budget} ${one.node}`];
            const end = {
              requestId: String(index),
              account: 'a',
              leaseId: lease,
              amount: one.amount,
              excess: one.excess,
              provisional: false,
            };
            const spender = (budget: string) => ({
              budget,
              share: one.lost === budget ? undefined : `${budget} ${one.node}`,
              lowered: 0n,
            });
            if (one.do === 'charge' || one.do === 'reap') spenders.set(end.requestId, NAMES.map(spender));
            if (one.do === 'grant') protocol.grant(rows, lease, 'a', one.amount, true);
            else if (one.do === 'share') protocol.grant(budgets, share, one.budget, one.amount, true);
            else if (one.do === 'charge') protocol.charge(rows, end);
            else if (one.do === 'again')
              for (const requestId of rows.charges.keys()) protocol.charge(rows, { ...end, requestId, provisional: true });
            else if (one.do === 'correct' && provisional.length > 0) protocol.charge(rows, { ...end, requestId: provisional.pop()! });
            else if (one.do === 'return') protocol.returnUnspent(rows, lease, one.amount);
            else if (one.do === 'give') protocol.returnUnspent(budgets, share, one.amount);
            else if (one.do === 'end') protocol.reap(budgets, share, []);
            else if (one.do === 'reap' && rows.leases.has(lease)) {
              protocol.reap(rows, lease, [{ requestId: end.requestId, amount: one.amount }]);
              provisional.push(end.requestId);
            }
            const charged = [...rows.charges.values()].reduce((sum, charge) => sum + charge.amount, 0n);
            const out = [...rows.leases.values()].reduce((sum, { granted, spent }) => sum + granted - spent, 0n);
            expect(rows.balances.get('a')).toMatchObject({ posted: money - charged, reserved: out });
            for (const [at, name] of NAMES.entries()) {
              const { posted, reserved } = budgets.balances.get(name)!;
              const shared = [...budgets.leases.values()].reduce(
                (sum, { account, granted, spent }) => sum + (account === name ? granted - spent : 0n),
                0n,
              );
              expect([posted, reserved]).toEqual([limits[at]! - charged, shared]);
              expect(posted >= reserved && reserved >= 0n).toBe(true);
            }
            for (const charge of rows.charges.values()) expect(charge.amount >= 0n && charge.uncollected >= 0n).toBe(true);
          }
        },
      ),
      { numRuns: longForm ? 3_000 : 300 },
    );
  });

  it('is only counted where a request was not let in under the budget', () => {
    const { rows, budgets, spenders } = start(100n, [10n, 10n, 10n]);
    spenders.set('late', [{ budget: 'key', share: undefined, lowered: undefined }]);
    protocol.charge(rows, { requestId: 'late', account: 'a', leaseId: undefined, amount: 0n, excess: 30n, provisional: false });
    expect(rows.charges.get('late')).toMatchObject({ amount: 30n, uncollected: 0n });
    expect(budgets.balances.get('key')!.posted).toBe(-20n);
    spenders.set('next', [{ budget: 'key', share: undefined, lowered: 0n }]);
    protocol.charge(rows, { requestId: 'next', account: 'a', leaseId: undefined, amount: 0n, excess: 5n, provisional: false });
    expect(rows.charges.get('next')).toMatchObject({ amount: 0n, uncollected: 5n });
  });
});

const budget = (window: Budget['window']): Budget => ({ subject: 'key/one/live', kind: 'key', window, limit: 1n });
const at = (text: string) => Date.parse(text);

describe('the period of a budget', () => {
  it.each([
    ['day', '2026-11-23T00:00:00Z', 'key/one/live/day/2026-11-23', '2026-11-23T00:00:00Z', '2026-11-24T00:00:00Z'],
    ['day', '2028-02-29T23:59:59.999Z', 'key/one/live/day/2028-02-29', '2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z'],
    ['month', '2026-12-31T23:59:59.999Z', 'key/one/live/month/2026-12', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ] as const)('of a %s is that of UTC: %s', (window, time, name, from, until) => {
    expect(periodsOf([budget(window)], requestIdAt(at(time)))[0]).toMatchObject({ name, from: at(from), until: at(until) });
  });

  it('ever has no end', () => {
    expect(periodsOf([budget('ever')], requestIdAt(at('2026-11-23T00:00:00Z')))[0]).toMatchObject({
      name: 'key/one/live/ever',
      from: 0,
      until: Infinity,
    });
  });

  it('is the one in which a request came, also where the next has begun meanwhile', () => {
    const budgets = [budget('month'), budget('day'), budget('ever')];
    const names = (time: string) => periodsOf(budgets, requestIdAt(at(time))).map(({ name }) => name.slice('key/one/live/'.length));
    expect(names('2026-11-30T23:59:59.999Z')).toEqual(['month/2026-11', 'day/2026-11-30', 'ever']);
    expect(names('2026-12-01T00:00:00Z')).toEqual(['month/2026-12', 'day/2026-12-01', 'ever']);
    expect(names('2026-11-30T12:00:00Z')).toEqual(['month/2026-11', 'day/2026-11-30', 'ever']);
    const known = periodsOf(budgets, requestIdAt(at('2026-11-30T12:00:00Z')));
    expect(periodsOf(budgets, requestIdAt(at('2026-11-30T13:00:00Z')))).toBe(known);
  });
});

import { requestIdAt } from '../../common/testing/request-id-at.js';
import type { Budget } from '../../auth/rules/principal-rules.js';
import { periodOf, periodsOf } from './budget-period.js';

const budget = (window: Budget['window']): Budget => ({ subject: 'key/one/live', kind: 'key', window, limit: 1n });
const at = (text: string) => Date.parse(text);

describe('the period of a budget', () => {
  it.each([
    ['day', '2026-11-23T00:00:00Z', 'key/one/live/day/2026-11-23', '2026-11-23T00:00:00Z', '2026-11-24T00:00:00Z'],
    ['day', '2028-02-29T23:59:59.999Z', 'key/one/live/day/2028-02-29', '2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z'],
    ['month', '2026-12-31T23:59:59.999Z', 'key/one/live/month/2026-12', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ] as const)('of a %s is that of UTC: %s', (window, time, name, from, until) => {
    expect(periodOf(budget(window), at(time))).toMatchObject({ name, from: at(from), until: at(until) });
  });

  it('ever has no end', () => {
    expect(periodOf(budget('ever'), at('2026-11-23T00:00:00Z'))).toMatchObject({ name: 'key/one/live/ever', from: 0, until: Infinity });
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

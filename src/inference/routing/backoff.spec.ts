import fc from 'fast-check';
import { backoff } from './backoff.js';
import { RetryBudget } from './retry-budget.js';

describe('backoff', () => {
  it('stays between what the provider asked for and the bound, and grows with each retry', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.nat(60_000),
        fc.double({ min: 0, max: 0.999999, noNaN: true }),
        (retry, after, random) => {
          const wait = backoff(retry, after, () => random);
          expect(wait).toBeGreaterThanOrEqual(after);
          expect(wait).toBeLessThanOrEqual(Math.max(after, 5_000));
        },
      ),
    );
    expect(backoff(1, 0, () => 0.999)).toBeLessThan(backoff(4, 0, () => 0.999));
  });
});

describe('RetryBudget', () => {
  it('lets an outage add a fifth to the load, not multiply it', () => {
    const budget = new RetryBudget(0.2, 10);
    let retries = 0;
    for (let request = 0; request < 1_000; request++) {
      budget.firstAttempt('one');
      for (let attempt = 0; attempt < 5; attempt++) if (budget.spend('one')) retries++;
    }
    expect(retries).toBeGreaterThan(100);
    expect(retries).toBeLessThanOrEqual(1_000 * 0.2 + 10);
  });

  it('leaves half of the reserve to the others, however often one account retries', () => {
    const budget = new RetryBudget(0.2, 10);
    let retries = 0;
    for (let request = 0; request < 10; request++) {
      budget.firstAttempt('greedy');
      while (budget.spend('greedy')) retries++;
    }
    expect(retries).toBeLessThanOrEqual(5 + 10 * 0.2);
    expect(budget.emptyFor('greedy')).toBe(true);
    for (let retry = 0; retry < 4; retry++) expect(budget.spend('another')).toBe(true);
  });

  it('forgives what was taken as first attempts add it again', () => {
    const budget = new RetryBudget(0.2, 10);
    while (budget.spend('one'));
    for (let request = 0; request < 25; request++) budget.firstAttempt(request % 2 === 0 ? 'one' : 'another');
    expect(budget.emptyFor('one')).toBe(false);
    let retries = 0;
    while (budget.spend('one')) retries++;
    expect(retries).toBeGreaterThanOrEqual(2);
  });
});

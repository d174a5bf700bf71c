import { jest } from '@jest/globals';
import { MAX_USAGE_WAITS, USAGE_WAIT_MS, UsageWaits } from './usage-waits.js';

describe('UsageWaits', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const waiting = () => ({ expired: jest.fn() });

  it('lets a bounded number wait, each for a bounded time', () => {
    const waits = new UsageWaits();
    const all = Array.from({ length: MAX_USAGE_WAITS }, waiting);
    for (const one of all) expect(waits.add(one)).toBe(true);
    expect(waits.add(waiting())).toBe(false);
    waits.delete(all[0]!);
    expect(waits.add(waiting())).toBe(true);
    jest.advanceTimersByTime(USAGE_WAIT_MS);
    expect(all.map(({ expired }) => expired.mock.calls.length)).toEqual(all.map((_, index) => (index === 0 ? 0 : 1)));
    expect(waits.add(waiting())).toBe(true);
  });

  it('ends what waits before the ledger closes, and lets nothing else wait', () => {
    const waits = new UsageWaits();
    const one = waiting();
    waits.add(one);
    waits.onModuleDestroy();
    expect(one.expired).toHaveBeenCalledTimes(1);
    expect(waits.add(waiting())).toBe(false);
    jest.advanceTimersByTime(USAGE_WAIT_MS);
    expect(one.expired).toHaveBeenCalledTimes(1);
  });
});

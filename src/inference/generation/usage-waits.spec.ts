import { jest } from '@jest/globals';
import { ManualClock } from '../../common/testing/manual-clock.js';
import { MAX_USAGE_WAITS, USAGE_WAIT_MS, UsageWaits } from './usage-waits.js';

describe('UsageWaits', () => {
  const waiting = () => ({ expired: jest.fn() });

  it('lets a bounded number wait, each for a bounded time', async () => {
    const clock = new ManualClock();
    const waits = new UsageWaits(clock);
    const all = Array.from({ length: MAX_USAGE_WAITS }, waiting);
    for (const one of all) expect(waits.add(one)).toBe(true);
    expect(waits.add(waiting())).toBe(false);
    waits.delete(all[0]!);
    expect(waits.add(waiting())).toBe(true);
    await clock.advance(USAGE_WAIT_MS);
    expect(all.map(({ expired }) => expired.mock.calls.length)).toEqual(all.map((_, index) => (index === 0 ? 0 : 1)));
    expect(waits.add(waiting())).toBe(true);
  });

  it('ends what waits before the ledger closes, and lets nothing else wait', async () => {
    const clock = new ManualClock();
    const waits = new UsageWaits(clock);
    const one = waiting();
    waits.add(one);
    waits.onModuleDestroy();
    expect(one.expired).toHaveBeenCalledTimes(1);
    expect(waits.add(waiting())).toBe(false);
    await clock.advance(USAGE_WAIT_MS);
    expect(one.expired).toHaveBeenCalledTimes(1);
  });
});

import fc from 'fast-check';
import type { Clock } from '../../common/time/clock.js';
import { configSchema } from '../../config/config.schema.js';
import type { ConfigService } from '../../config/config.service.js';
import { UnpaidLeavings } from './unpaid-leavings.js';
import { jest } from '@jest/globals';
import { ManualClock } from '../../common/testing/manual-clock.js';
import { UsageWaits } from './usage-waits.js';

const leavingsOf = (unpaid_leavings: number) => {
  let now = 0;
  const config = { current: configSchema.parse({ limits: { unpaid_leavings } }) } as ConfigService;
  const leavings = new UnpaidLeavings(config, { monotonic: () => now } as Clock);
  return {
    take(key: string, tokens: number, at = now) {
      now = at;
      return leavings.take(key, tokens);
    },
  };
};

describe('UnpaidLeavings', () => {
  it('lets each key leave as often as the setting says, and no more in a minute', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), fc.array(fc.nat(59_999), { maxLength: 100 }), (most, times) => {
        const leavings = leavingsOf(most);
        const free = times.sort((a, b) => a - b).filter((at) => leavings.take('one', 0, 1_000 + at)).length;
        expect(free).toBeLessThan(2 * most + 1);
        expect(free).toBeGreaterThanOrEqual(Math.min(most, times.length));
        expect(leavings.take('other', 0, 1_000)).toBe(most > 0);
      }),
    );
  });

  it('gives back in time what was used', () => {
    const leavings = leavingsOf(2);
    const free = [0, 0, 0, 29_000, 30_100, 30_100, 200_000, 200_000, 200_000].filter((at) => leavings.take('one', 0, at));
    expect(free).toEqual([0, 0, 30_100, 200_000, 200_000]);
  });

  it('counts a long prompt as several', () => {
    const leavings = leavingsOf(10);
    expect(leavings.take('one', 100_000)).toBe(false);
    expect(leavings.take('one', 70_000)).toBe(true);
    expect(leavings.take('one', 0)).toBe(true);
    expect(leavings.take('one', 0)).toBe(false);
  });

  it('remembers a bounded number of keys', () => {
    const leavings = leavingsOf(1);
    for (let key = 0; key <= 10_000; key++) leavings.take(String(key), 0, 0);
    expect(leavings.take('10000', 0, 0)).toBe(false);
    expect(leavings.take('0', 0, 0)).toBe(true);
  });
});

describe('UsageWaits', () => {
  const waiting = () => ({ expired: jest.fn() });

  it('lets a bounded number wait, each for a bounded time', async () => {
    const clock = new ManualClock();
    const waits = new UsageWaits(clock);
    const all = Array.from({ length: 256 }, waiting);
    for (const one of all) expect(waits.add(one)).toBe(true);
    expect(waits.add(waiting())).toBe(false);
    waits.delete(all[0]!);
    expect(waits.add(waiting())).toBe(true);
    await clock.advance(2_000);
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
    await clock.advance(2_000);
    expect(one.expired).toHaveBeenCalledTimes(1);
  });
});

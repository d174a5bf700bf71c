import fc from 'fast-check';
import { ManualClock } from '../common/testing/manual-clock.js';
import { Admission } from './admission.js';
import { memoryPools } from './memory-pools.js';
import { limitKinds } from './pool.js';

const of = { subject: 's', kind: 'key', burstSeconds: 3_600 } as const;
const CAPACITY = 60;
const clock = new ManualClock();

describe('an admission', () => {
  it('gives back what was not used, once, and never more than was taken', () => {
    const tokens = fc.integer({ min: 1, max: CAPACITY });
    const uses = fc.array(fc.integer({ min: 0, max: 2 * CAPACITY }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(tokens, uses, (taken, [used, ...again]) => {
        const now = clock.monotonic();
        const pools = limitKinds.map((kind) => memoryPools(kind, of, 1, now));
        for (const pool of pools) pool.take(pool.kind === 'tokens' ? taken : 1, now);
        const admission = new Admission(pools, taken, clock);
        for (const each of [used!, ...again]) admission.settle(each);
        const left = pools.map((pool) => pool.state(clock.monotonic()).remaining);
        expect(left).toEqual([CAPACITY - 1, Math.max(0, CAPACITY - used!), 1]);
      }),
    );
  });
});

describe('the places of one process', () => {
  it('are as many as the limit says, and taken again when a request has ended', () => {
    const places = memoryPools('concurrency', of, 2, 0);
    const letsIn = (): boolean => {
      const free = places.has(1, 0);
      if (free) places.take(1, 0);
      return free;
    };
    expect([letsIn(), letsIn(), letsIn()]).toEqual([true, true, false]);
    places.giveBack(1, 0);
    expect([letsIn(), letsIn()]).toEqual([true, false]);
  });
});

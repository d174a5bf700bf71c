import fc from 'fast-check';
import { Admission } from './admission.js';
import { memoryPools } from './memory-pools.js';
import { limitKinds } from './pool.js';

/** One unit a minute comes back: none within a spec. */
const of = { subject: 's', kind: 'key', burstSeconds: 3_600 } as const;
const CAPACITY = 60;

describe('an admission', () => {
  it('gives back what was not used, once, and never more than was taken', () => {
    const tokens = fc.integer({ min: 1, max: CAPACITY });
    const uses = fc.array(fc.integer({ min: 0, max: 2 * CAPACITY }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(tokens, uses, (taken, [used, ...again]) => {
        const now = performance.now();
        const pools = limitKinds.map((kind) => memoryPools(kind, of, 1, now));
        for (const pool of pools) pool.take(pool.kind === 'tokens' ? taken : 1, now);
        const admission = new Admission(pools, taken);
        for (const each of [used!, ...again]) admission.settle(each);
        const left = pools.map((pool) => pool.state(performance.now()).remaining);
        expect(left).toEqual([CAPACITY - 1, Math.max(0, CAPACITY - used!), 1]);
      }),
    );
  });
});

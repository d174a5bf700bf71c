import fc from 'fast-check';
import { samples } from './testing/long-form.js';
import { GatheredBytes } from './gathered-bytes.js';

describe('GatheredBytes', () => {
  it('has all bytes in their order, in few buffers', () => {
    const size = fc.oneof(fc.nat(10), fc.nat(10_000), fc.nat(200_000));
    fc.assert(
      fc.property(fc.array(size, { maxLength: 60 }), (sizes) => {
        const gathered = new GatheredBytes();
        const pieces = sizes.map((length, index) => Buffer.alloc(length, index));
        for (const piece of pieces) gathered.add(piece);
        const buffers = gathered.end();
        expect(Buffer.concat(buffers).equals(Buffer.concat(pieces))).toBe(true);
        expect(gathered.length).toBe(sizes.reduce((sum, length) => sum + length, 0));
        expect(buffers.length).toBeLessThanOrEqual(8 + gathered.length / 4_096);
      }),
      { numRuns: samples(50) },
    );
  });

  it('does not copy what comes in one piece, or in large ones', () => {
    const [small, large] = [Buffer.alloc(10), Buffer.alloc(8 * 1024)];
    const gathered = new GatheredBytes();
    gathered.add(small);
    gathered.add(large);
    expect(gathered.end()[0]).toBe(small);
    expect(gathered.end()[1]).toBe(large);
  });

  it('tells tiny pieces from a few', () => {
    const gathered = new GatheredBytes();
    for (let count = 0; count < 10_000; count++) gathered.add(Buffer.from('x'));
    expect(gathered.crumbles(64)).toBe(false);
    gathered.add(Buffer.from('x'));
    expect(gathered.crumbles(64)).toBe(true);
    gathered.add(Buffer.alloc(700_000));
    expect(gathered.crumbles(64)).toBe(false);
  });
});

import fc from 'fast-check';
import { samples } from '../../common/testing/long-form.js';
import { LargeBody } from './large-body.js';

const parts = fc.array(
  fc.oneof(
    fc.constantFrom('x', '€', '😀', 'é\n').chain((text) => fc.nat(700_000).map((times) => text.repeat(times))),
    fc.nat(1_500_000).map((length) => new Uint8Array(length).fill(length)),
    fc.string({ unit: 'grapheme' }),
  ),
  { minLength: 1, maxLength: 6 },
);

async function sent(body: LargeBody): Promise<{ all: Buffer; sizes: number[] }> {
  const pieces: Buffer[] = [];
  // A piece is freed when the next one is asked for.
  for await (const piece of body) pieces.push(Buffer.from(piece));
  return { all: Buffer.concat(pieces), sizes: pieces.map(({ length }) => length) };
}

describe('LargeBody', () => {
  it('is sent in pieces of a megabyte, text as UTF-8, as often as it is asked for', async () => {
    await fc.assert(
      fc.asyncProperty(parts, async (some) => {
        const expected = Buffer.concat(some.map((part) => Buffer.from(part as string)));
        const body = new LargeBody({ [Symbol.iterator]: () => some.values() });
        await body.measure();
        expect(body.length).toBe(expected.length);
        expect(Buffer.concat(body.bytes()).equals(expected)).toBe(true);
        for (let time = 0; time < 2; time++) {
          const { all, sizes } = await sent(body);
          expect(all.equals(expected)).toBe(true);
          for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThan(1024 * 1024 - 4);
        }
      }),
      { numRuns: samples(40), endOnFailure: true },
    );
  });

  it('does not send more bytes than it had when it was measured', async () => {
    const some = ['x'];
    const body = new LargeBody({ [Symbol.iterator]: () => some.values() });
    await body.measure();
    some.push('y');
    await expect(sent(body)).rejects.toThrow('when it was measured');
  });
});

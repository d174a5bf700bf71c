import fc from 'fast-check';
import { dearest, perThousand } from './price-decimal.js';

const prompt = (value: unknown, per: 1 | 1_000 | 1_000_000) => perThousand({ prompt: value, completion: 0 }, per)?.prompt;

describe('perThousand', () => {
  it.each([
    [0.15, 1_000_000, '0.00015'],
    [0.0375, 1_000_000, '0.0000375'],
    [2.5, 1_000_000, '0.0025'],
    [100, 1_000_000, '0.1'],
    ['0.00000025', 1, '0.00025'],
    [1e-7, 1, '0.0001'],
    ['0', 1, '0'],
    [0.0001, 1_000, '0.0001'],
    [1_000, 1, '1000000'],
  ] as const)('%p for %p tokens is %p', (value, per, expected) => expect(prompt(value, per)).toBe(expected));

  it('rounds up what is finer than a billionth', () => {
    expect(prompt('0.0000001', 1_000_000)).toBe('0.000000001');
    expect(prompt('1.0000001', 1_000_000)).toBe('0.001000001');
    expect(prompt(0.1 + 0.2, 1_000_000)).toBe('0.000300001');
  });

  it.each([-1, '-1', Number.NaN, Infinity, '', 'free', null, undefined, {}, '1e999'])('knows no price in %p', (value) =>
    expect(prompt(value, 1)).toBeUndefined(),
  );

  it('is never short of the price, and less than a billionth above it', () => {
    const decimal = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.integer({ min: 0, max: 12 }));
    fc.assert(
      fc.property(decimal, ([units, places]) => {
        const text = units.toString().padStart(places + 1, '0');
        const value = places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
        const [whole = '', fraction = ''] = String(prompt(value, 1_000_000)).split('.');
        expect(fraction.length).toBeLessThanOrEqual(9);
        // Both in units of 10 to the power of -(places + 3 + 9).
        const ours = BigInt(whole + fraction.padEnd(9, '0')) * 10n ** BigInt(places + 3);
        const theirs = units * 10n ** 9n;
        expect(ours >= theirs && ours - theirs < 10n ** BigInt(places + 3)).toBe(true);
      }),
    );
  });
});

it('dearest takes each side of the dearest', () => {
  expect(
    dearest([
      { prompt: '0.1', completion: '9' },
      { prompt: 0.2, completion: '10' },
    ]),
  ).toEqual({ prompt: 0.2, completion: '10' });
  expect(dearest([])).toBeUndefined();
});

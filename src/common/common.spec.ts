import fc from 'fast-check';
import { sharedFolder } from './testing/started.js';
import { formatCredits, MAX_NANO, parseCredits } from './credits.js';
import { newRequestId } from './request-id.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withSourcePositions } from './stack-trace.js';
import { parseExistingTime } from './existing-time.js';
import { IndexedSet } from './indexed-set.js';

describe('formatCredits', () => {
  it.each([
    [0n, '0'],
    [1n, '0.000000001'],
    [-1n, '-0.000000001'],
    [1_500_000_000n, '1.5'],
    [-20_000_000_000n, '-20'],
    [100_000_000n, '0.1'],
    [1_000_000_010n, '1.00000001'],
    [MAX_NANO, '9223372036.854775807'],
  ])('writes %p nano-credits as %s', (nano, text) => expect(formatCredits(nano)).toBe(text));

  it('loses nothing, and writes no zero that says nothing', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -MAX_NANO, max: MAX_NANO }), (nano) => {
        const text = formatCredits(nano);
        expect(parseCredits(text)).toBe(nano);
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/);
      }),
    );
  });
});

describe('newRequestId', () => {
  it('gives distinct UUIDv7 of the moment, beyond the bytes that are drawn at once', () => {
    const before = Date.now();
    const ids = Array.from({ length: 1_000 }, newRequestId);
    const after = Date.now();
    expect(new Set(ids).size).toBe(1_000);
    // The random part alone must differ too: no two ids share their last 62 bits.
    expect(new Set(ids.map((id) => id.slice(19))).size).toBe(1_000);
    for (const id of ids) {
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
      expect(ms).toBeGreaterThanOrEqual(before);
      expect(ms).toBeLessThanOrEqual(after);
    }
  });
});

describe('withSourcePositions', () => {
  const folder = sharedFolder();
  const urlOf = (name: string): string => pathToFileURL(join(folder, name)).href;

  beforeAll(() => {
    // Line 2: nothing is known of columns 5 to 10; from column 11 on it is line 7, column 3 of the first source.
    const mappings = ';I,MAME';
    writeFileSync(join(folder, 'wallet.js.map'), JSON.stringify({ version: 3, sources: ['../src/wallet.ts'], names: [], mappings }));
  });

  it('names the line of the source', () => {
    const stack = `Error: no\n    at hold (${urlOf('wallet.js')}:2:11)\n    at node:internal/timers:5:1`;
    const source = new URL('../src/wallet.ts', urlOf('wallet.js')).href;
    expect(withSourcePositions(stack)).toBe(`Error: no\n    at hold (${source}:7:3)\n    at node:internal/timers:5:1`);
  });

  it('names the line of the source of CommonJS, too', () => {
    const source = join(folder, '../src/wallet.ts');
    expect(withSourcePositions(`    at hold (${join(folder, 'wallet.js')}:2:11)`)).toBe(`    at hold (${source}:7:3)`);
  });

  it('leaves what no map tells of', () => {
    const stack = `Error\n    at ${urlOf('wallet.js')}:2:5\n    at ${urlOf('wallet.js')}:1:1\n    at ${urlOf('other.js')}:2:11`;
    expect(withSourcePositions(stack)).toBe(stack);
  });
});

describe('a time of the calendar', () => {
  it.each([
    ['2027-02-28', '2027-02-28T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['0099-12-31', '0099-12-31T00:00:00.000Z'],
    ['2027-02-28T23:30:00-05:00', '2027-03-01T04:30:00.000Z'],
    ['2027-03-01T00:30:00+05:00', '2027-02-28T19:30:00.000Z'],
    ['2027-02-28T24:00:00Z', '2027-03-01T00:00:00.000Z'],
  ])('is read: %s', (text, time) => {
    expect(new Date(parseExistingTime(text)).toISOString()).toBe(time);
  });

  it.each([
    '2027-02-29',
    '2027-02-31',
    '2100-02-29',
    '2027-04-31T00:00:00Z',
    '2027-02-31T00:00:00-05:00',
    '2027-00-10',
    '2027-13-01',
    '2027-01-00',
    '2027-01-32',
    '2027-01-01T25:00:00Z',
    '2027-01-01T10:00:00+25:00',
  ])('is none: %s', (text) => {
    expect(parseExistingTime(text)).toBeNaN();
  });
});

describe('IndexedSet', () => {
  it('has what was added and not deleted, whatever the order', () => {
    const step = fc.record({ add: fc.boolean(), which: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const members = Array.from({ length: 10 }, (_, name) => ({ name, index: -1 }));
        const set = new IndexedSet<(typeof members)[number]>();
        const model = new Set<unknown>();
        for (const { add, which } of steps) {
          const member = members[which]!;
          if (add) {
            set.add(member);
            model.add(member);
          } else expect(set.delete(member)).toBe(model.delete(member));
          expect(set.size).toBe(model.size);
        }
        expect(new Set(set)).toEqual(model);
        expect([...set]).toHaveLength(model.size);
        for (const member of members) expect(set.has(member)).toBe(model.has(member));
      }),
    );
  });
});

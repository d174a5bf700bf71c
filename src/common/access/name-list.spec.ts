import fc from 'fast-check';
import { type Characters, matches, NameList } from './name-list.js';

/** Counts how often a character is looked at. */
class Counted implements Characters {
  static looks = 0;

  constructor(private readonly text: string) {}

  get length(): number {
    return this.text.length;
  }

  charCodeAt(index: number): number {
    Counted.looks++;
    return this.text.charCodeAt(index);
  }
}

function looksFor(name: string, pattern: string): number {
  Counted.looks = 0;
  const counted = matches(new Counted(name), new Counted(pattern));
  expect(counted).toBe(matches(name, pattern));
  return Counted.looks;
}

describe('a pattern', () => {
  const few = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 256 });
  const pattern = fc
    .tuple(few, few, fc.integer({ min: 1, max: 128 }))
    .map(([one, other, every]) => `${one.replace(new RegExp(`.{${every}}`, 'g'), '$&*')}*${other}`.slice(0, 256));

  it('is compared with a name in a number of steps that grows with both alone', () => {
    fc.assert(
      fc.property(
        few,
        pattern.filter((text) => text.includes('*')),
        (name, text) => {
          expect(looksFor(name, text)).toBeLessThanOrEqual(8 * (name.length + text.length) + 8);
        },
      ),
    );
  });

  it.each([
    ['a'.repeat(256), `${'*a'.repeat(127)}b`, false],
    ['a'.repeat(256), `*${'a'.repeat(127)}b*`, false],
    [`${'a'.repeat(255)}b`, `*${'a'.repeat(100)}b`, true],
    ['ab'.repeat(128), `${'*'.repeat(255)}c`, false],
    [`${'ab'.repeat(60)}c`, `*${'ab'.repeat(30)}*${'ab'.repeat(29)}c`, true],
  ])('that was made to be slow is not: %s, %s', (name, text, found) => {
    expect(new NameList([text]).has(name)).toBe(found);
    expect(looksFor(name, text)).toBeLessThanOrEqual(8 * (name.length + text.length) + 8);
  });
});

describe('a list of names', () => {
  it('has its names as they are and its patterns, each once', () => {
    const list = new NameList(['gpt-5', '**claude***', 'x*y*z', '*']);
    expect(['gpt-5', 'claude', 'anything', ''].map((name) => list.has(name))).toEqual([true, true, true, true]);
    const narrow = new NameList(['gpt-5', 'a*b', '*ab*', 'x**']);
    expect(['gpt-5', 'gpt-55', 'ab', 'a', 'aab', 'xab', 'b', 'x', 'cabc'].map((name) => narrow.has(name))).toEqual([
      true,
      false,
      true,
      false,
      true,
      true,
      false,
      true,
      true,
    ]);
  });
});

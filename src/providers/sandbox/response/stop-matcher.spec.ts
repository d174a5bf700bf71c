import fc from 'fast-check';
import { StopMatcher } from './stop-matcher.js';

/** An alphabet of few letters, so that sequences overlap. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', '😀'), maxLength: 20 });
const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '😀'), minLength: 1, maxLength: 5 }), { maxLength: 3 });

/** Cuts the text at the sequence that is complete first, the longest of several. */
function expected(whole: string, sequences: readonly string[]): { text: string; stopped: boolean } {
  for (let end = 1; end <= whole.length; end++) {
    const found = sequences.filter((stop) => whole.slice(0, end).endsWith(stop)).map((stop) => stop.length);
    if (found.length > 0) return { text: whole.slice(0, end - Math.max(...found)), stopped: true };
  }
  return { text: whole, stopped: false };
}

describe('the stop matcher', () => {
  it('lets through what precedes the first sequence, however the text is cut', () => {
    fc.assert(
      fc.property(fc.array(text), stops, (parts, sequences) => {
        const matcher = new StopMatcher(sequences);
        const out = parts.map((part) => matcher.push(part));
        const held = matcher.end();
        expect({ text: out.join('') + held, stopped: matcher.stopped }).toEqual(expected(parts.join(''), sequences));
      }),
    );
  });

  it('holds back no more than could become a sequence', () => {
    fc.assert(
      fc.property(fc.array(text), stops, (parts, sequences) => {
        const matcher = new StopMatcher(sequences);
        let pushed = '';
        let out = '';
        for (const part of parts) {
          pushed += part;
          out += matcher.push(part);
          if (matcher.stopped) return;
          const held = pushed.slice(out.length);
          expect(held === '' || sequences.some((stop) => stop.startsWith(held))).toBe(true);
        }
      }),
    );
  });

  it('lets nothing through after a sequence', () => {
    const matcher = new StopMatcher(['stop', '']);
    expect([matcher.push('a st'), matcher.push('op b'), matcher.push('c'), matcher.end()]).toEqual(['a ', '', '', '']);
  });
});

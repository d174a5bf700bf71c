import fc from 'fast-check';
import { jsonLines, MAX_LINE_BYTES } from './json-lines.js';

function read(pieces: readonly Buffer[]): string[] {
  const lines: string[] = [];
  const parser = jsonLines.parser();
  const sink = { event: (name: string, data: string): void => void lines.push(name + data) };
  for (const piece of pieces) parser.feed(piece, sink);
  parser.finish(sink);
  return lines;
}

const json = fc.json({ stringUnit: 'grapheme' }).map((text) => JSON.stringify(JSON.parse(text)));
const framing = fc.record({ ends: fc.constantFrom('\n', '\r\n', '\n\n', '\n \n'), last: fc.boolean() });

describe('jsonLines', () => {
  it('reads each line, however the bytes are cut and the lines are ended', () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1 }), framing, fc.array(fc.nat()), (lines, { ends, last }, offsets) => {
        const bytes = Buffer.from(lines.join(ends) + (last ? ends : ''));
        const cuts = offsets.map((offset) => offset % bytes.length).sort((a, b) => a - b);
        const pieces = [...cuts, bytes.length]
          .map((to, index) => bytes.subarray(cuts[index - 1] ?? 0, to))
          .filter(({ length }) => length > 0);
        expect(read(pieces)).toEqual(lines);
      }),
    );
  });

  it('gives a line as soon as it is complete, and knows what waits', () => {
    const parser = jsonLines.parser();
    const lines: string[] = [];
    const sink = { event: (_: string, data: string): void => void lines.push(data) };
    parser.feed(Buffer.from('{"a":1}\n{"b'), sink);
    expect([lines, parser.waiting]).toEqual([['{"a":1}'], 3]);
    parser.feed(Buffer.from('":2}\n'), sink);
    expect([lines, parser.waiting]).toEqual([['{"a":1}', '{"b":2}'], 0]);
  });

  it.each([
    ['without an end', ''],
    ['with an end at last', '\n'],
  ])('refuses a line that is too long, %s', (_, end) => {
    const piece = Buffer.alloc(MAX_LINE_BYTES / 2 + 1, 'x');
    const parser = jsonLines.parser();
    const sink = { event: () => undefined };
    parser.feed(piece, sink);
    expect(() => parser.feed(Buffer.concat([piece, Buffer.from(end)]), sink)).toThrow(/A line of the answer has more than 10485760 bytes/);
  });
});

import { PassThrough } from 'node:stream';
import * as fc from 'fast-check';
import { passOnLines } from './whole-lines.js';

describe('passOnLines', () => {
  const passedOn = async (pieces: readonly Buffer[]): Promise<string[]> => {
    const from = new PassThrough();
    const written: string[] = [];
    passOnLines(from, (lines) => written.push(lines));
    for (const piece of pieces) {
      from.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    from.end();
    await new Promise((resolve) => from.once('end', resolve));
    return written;
  };

  it('hands on whole lines alone, wherever the text was cut, and loses nothing', async () => {
    const cut = fc.tuple(fc.array(fc.string({ unit: 'binary' }).map((line) => line.replaceAll('\n', ''))), fc.nat(), fc.nat());
    await fc.assert(
      fc.asyncProperty(cut, async ([lines, first, second]) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const [from, to] = [first, second].map((at) => at % (bytes.length + 1)).toSorted((a, b) => a - b) as [number, number];
        const written = await passedOn([bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)]);
        expect(written.join('')).toBe(bytes.toString());
        for (const text of written) expect(text).toMatch(/\n$/);
      }),
      { numRuns: 50 },
    );
  });

  it('ends the line that a process died in', async () => {
    expect(await passedOn([Buffer.from('one\ntw')])).toEqual(['one\n', 'tw\n']);
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { GatheredLines } from './gathered-lines.js';

function setUp() {
  const written: string[] = [];
  return { written, lines: new GatheredLines({ write: (text) => written.push(text) }) };
}

describe('GatheredLines', () => {
  it('passes on in one piece and in their order what came within 50 ms', async () => {
    const { written, lines } = setUp();
    for (const line of ['a\n', 'b\n']) lines.write(line);
    expect(written).toEqual([]);
    await delay(80);
    expect(written).toEqual(['a\nb\n']);
    lines.write('c\n');
    await delay(80);
    expect(written).toEqual(['a\nb\n', 'c\n']);
  });

  it('does not wait once there is much, nor when it is told not to', async () => {
    const { written, lines } = setUp();
    for (let n = 0; n < 9; n++) lines.write(`${'x'.repeat(4095)}\n`);
    expect(written.map(({ length }) => length)).toEqual([32_768]);
    lines.flush();
    expect(written.map(({ length }) => length)).toEqual([32_768, 4_096]);
    await delay(80);
    expect(written).toHaveLength(2);
  });
});

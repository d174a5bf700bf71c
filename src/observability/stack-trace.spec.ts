import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encode } from '@jridgewell/sourcemap-codec';
import { withSourcePositions } from './stack-trace.js';

describe('withSourcePositions', () => {
  let folder: string;
  const urlOf = (name: string): string => pathToFileURL(join(folder, name)).href;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-stack-'));
    const mappings = encode([[], [[4], [10, 0, 6, 2]]]);
    writeFileSync(join(folder, 'bundle.js.map'), JSON.stringify({ version: 3, sources: ['../src/wallet.ts'], names: [], mappings }));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('names the line of the source', () => {
    const stack = `Error: no\n    at hold (${urlOf('bundle.js')}:2:11)\n    at node:internal/timers:5:1`;
    const source = new URL('../src/wallet.ts', urlOf('bundle.js')).href;
    expect(withSourcePositions(stack)).toBe(`Error: no\n    at hold (${source}:7:3)\n    at node:internal/timers:5:1`);
  });

  it('leaves what no map tells of', () => {
    const stack = `Error\n    at ${urlOf('bundle.js')}:2:5\n    at ${urlOf('bundle.js')}:1:1\n    at ${urlOf('other.js')}:2:11`;
    expect(withSourcePositions(stack)).toBe(stack);
  });
});

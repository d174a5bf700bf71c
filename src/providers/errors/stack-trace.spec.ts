import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sharedFolder } from '../../common/testing/started.js';
import { withSourcePositions } from './stack-trace.js';

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

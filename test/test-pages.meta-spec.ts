import { globSync, readFileSync } from 'node:fs';
import { blocksOf } from './support/markdown-blocks.js';

const read = (file: string): string => readFileSync(file, 'utf8');
const page = read('test/README.md');

describe('The pages on tests', () => {
  it('name scripts that there are', () => {
    const pages = [page, read('test/bench/README.md'), read('test/hostile/README.md')].join('');
    const named = Array.from(pages.matchAll(/\bnpm run ([\w:]+)/g), ([, script]) => script!);
    expect(named.length).toBeGreaterThan(10);
    expect(Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts)).toEqual(expect.arrayContaining(named));
  });

  it('choose specs that there are', () => {
    const lines = blocksOf(page, 'sh')[0]!.split('\n');
    const chosen = lines.flatMap((line) => /^npm (?:test|run test:all) -- .*?([\w/]+)(?: -t .*)?(?: +#.*)?$/.exec(line)?.[1] ?? []);
    const specs = globSync('{src,test}/**/*spec.ts');
    expect(chosen).toHaveLength(4);
    expect(chosen.filter((pattern) => !specs.some((spec) => spec.includes(pattern)))).toEqual([]);
  });
});

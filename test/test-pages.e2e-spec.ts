import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, matchesGlob } from 'node:path';
import { promisify } from 'node:util';
import { blocksOf } from './support/markdown-blocks.js';

const read = (file: string): string => readFileSync(file, 'utf8');
const page = read('test/README.md');
const benchPage = read('test/bench/README.md');
const [, programs, attacks] = page.split(/^## (?:Programs|Attack a gateway)$/m) as [string, string, string];
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** The first cells of the table whose first column has this title, without backquotes. */
function cellsOf(title: string): string[] {
  const [table] = page.slice(page.indexOf(`| ${title} `)).split('\n\n');
  const rows = table!.trim().split('\n').slice(2);
  return rows.map((row) => row.split('|')[1]!.replaceAll('`', '').trim());
}

/** What a program prints, without the build that its script begins with. */
async function run(program: string, ...options: string[]): Promise<string> {
  const [, file] = /\bnode .*?(test\/\S+)$/.exec(scripts[program]!)!;
  const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', file!, ...options]);
  return stdout;
}

const optionsIn = (text: string): string[] => text.match(/(?<![\w-])--[a-z][\w-]*/g) ?? [];

describe('The pages on tests', () => {
  it('name scripts that there are', () => {
    const named = Array.from(`${page}${benchPage}`.matchAll(/\bnpm run ([\w:]+)/g), ([, script]) => script!);
    expect(named.length).toBeGreaterThan(10);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });

  it('choose specs that there are', () => {
    const lines = blocksOf(page, 'sh')[0]!
      .split('\n')
      .map((line) => line.replace(/ +#.*| -t .*/, ''));
    const chosen = lines.flatMap((line) => /^npm (?:test|run test:all) -- .*?([\w/]+)$/.exec(line)?.[1] ?? []);
    const specs = globSync('{src,test}/**/*spec.ts');
    expect(chosen).toHaveLength(4);
    expect(chosen.filter((pattern) => !specs.some((spec) => spec.includes(pattern)))).toEqual([]);
  });

  it.each([
    ['Spec in this folder', 'test/*.e2e-spec.ts'],
    ['Spec in `long/`', 'test/long/*.spec.ts'],
  ])('name specs that there are: %s', (title, files) => {
    const specs = globSync(files).map((file) => basename(file).replace(/\.(e2e-)?spec\.ts$/, ''));
    const patterns = cellsOf(title).flatMap((cell) => cell.split(', '));
    expect(patterns.length).toBeGreaterThan(5);
    expect(patterns.filter((pattern) => !specs.some((spec) => matchesGlob(spec, pattern)))).toEqual([]);
  });

  it.each(['bench', 'chaos', 'cancellation', 'faults', 'hostile', 'torture'])(
    'name options that there are: npm run %s',
    async (program) => {
      const row = programs.split('\n').find((line) => line.includes(`\`npm run ${program}\``))!;
      const text = { bench: benchPage, hostile: attacks }[program] ?? '';
      const help = await run(program, '--help');
      for (const option of optionsIn(row + text)) expect(help).toContain(option);
    },
  );

  it('choose attacks that there are', async () => {
    const lines = blocksOf(attacks, 'sh')[0]!.trim().split('\n');
    const list = await run('hostile', '--list');
    for (const line of lines) {
      const [, pattern = ''] = /--only '([^']*)'/.exec(line) ?? [];
      expect(list).toMatch(new RegExp(pattern, 'im'));
    }
  });
});

import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, '..');
const config = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'jest.config.mjs', '.swcrc'];
const form = ['.prettierrc', '.prettierignore', '.oxlintrc.json', '.dependency-cruiser.mjs'];

jest.setTimeout(240_000);

/** In a copy of the repository, as a developer would. */
describe('npm run provider:new', () => {
  let copy: string;

  beforeAll(async () => {
    copy = mkdtempSync(join(tmpdir(), 'switchyard-copy-'));
    for (const name of ['src', ...config, ...form]) cpSync(join(repository, name), join(copy, name), { recursive: true });
    // Jest's roots are there in a copy as well, and what specs beside the source import.
    for (const name of ['test/runner', 'test/support', 'test/lint', 'test/torture/random.ts'])
      cpSync(join(repository, name), join(copy, name), { recursive: true });
    symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
    const { stdout } = await npm('run', '-s', 'provider:new', 'acme-llm');
    expect(stdout).toContain('Made src/providers/acme-llm.');
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  const npm = (...args: string[]) => run('npm', args, { cwd: copy });
  const tool = async (name: string, ...args: string[]): Promise<string> => {
    const { stdout, stderr } = await run(join(copy, 'node_modules/.bin', name), args, { cwd: copy }).catch(
      (error: { stdout: string; stderr: string }) => Promise.reject(new Error(`${name}:\n${error.stdout}${error.stderr}`)),
    );
    return stdout + stderr;
  };
  const made = 'src/providers/acme-llm';
  const lists = ['src/providers/registry/providers.module.ts', 'src/providers/registry/provider-types.ts'];

  it('makes what passes the type check, the linter, the floors and the formatter', async () => {
    await tool('tsc', '--noEmit');
    await tool('oxlint', '--type-aware', made, ...lists);
    await tool('depcruise', '--config', '.dependency-cruiser.mjs', 'src/providers');
    await tool('prettier', '--check', made, ...lists);
  });

  it('makes what passes the contract suite, and is in the lists', async () => {
    const { stderr } = await npm('test', '--', made, 'src/providers/registry/provider-types.spec.ts');
    expect(stderr).toMatch(/^Tests: \d+ passed, 0 failed, 0 skipped\. Spec files: 2 passed, 0 failed, 0 skipped\./m);
    const [modules, types] = lists.map((file) => readFileSync(join(copy, file), 'utf8'));
    expect(modules).toMatch(/builtIn: Type\[\] = \[[^\]]*AcmeLlmFactory/);
    expect(types).toMatch(/providerTypes: .* = \[[^\]]*acmeLlmType/);
  });
});

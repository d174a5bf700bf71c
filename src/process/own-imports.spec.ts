import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

describe('resolveImportsWithin', () => {
  let folder: string;

  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchyard-imports-')));
    for (const name of ['own', 'other', 'own/node_modules/package']) mkdirSync(join(folder, name), { recursive: true });
    // Node takes these for CommonJS, as a look into the file system tells it.
    writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }');
    for (const name of ['own', 'other']) {
      writeFileSync(join(folder, name, 'first.mjs'), `export * from './second.js'; export * from 'package';`);
      writeFileSync(join(folder, name, 'second.js'), 'export const loadedAs = import.meta.url;');
    }
    writeFileSync(join(folder, 'own/node_modules/package/package.json'), '{ "name": "package", "main": "main.js" }');
    writeFileSync(join(folder, 'own/node_modules/package/main.js'), 'exports.kind = "CommonJS";');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** Runs a program in a process of its own, because hooks are of all modules of a process. */
  async function printed(program: string): Promise<string> {
    const hook = JSON.stringify(join(import.meta.dirname, 'own-imports.ts'));
    const begin = `const { resolveImportsWithin } = await import(${hook});
      const end = resolveImportsWithin(new URL(${JSON.stringify(`${pathToFileURL(join(folder, 'own')).href}/`)}));
      const failed = async (file) => { try { await import(file); return 'loaded'; } catch { return 'failed'; } };
      const folder = ${JSON.stringify(folder)};`;
    const options = ['--no-warnings', '--no-experimental-detect-module', '--input-type=module', '--eval', begin + program];
    return (await run(process.execPath, options)).stdout.trim();
  }

  it('takes own modules for ES modules by their addresses, and leaves packages to Node', async () => {
    const program = `const { loadedAs, kind } = await import(folder + '/own/first.mjs'); console.log(loadedAs, kind);`;
    expect(await printed(program)).toBe(`${pathToFileURL(join(folder, 'own/second.js')).href} CommonJS`);
  });

  it('leaves the imports of other modules to Node, and all of them once it has ended', async () => {
    expect(await printed(`console.log(await failed(folder + '/other/first.mjs'))`)).toBe('failed');
    expect(await printed(`end(); console.log(await failed(folder + '/own/first.mjs'))`)).toBe('failed');
    expect(await printed(`console.log(await failed(folder + '/own/first.mjs'))`)).toBe('loaded');
  });
});

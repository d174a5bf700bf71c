import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { sharedFolder } from '../common/testing/started.js';
import { configSchema } from '../config/config.schema.js';
import { StartError } from '../config/start-error.js';
import { startupErrorMessage } from './startup-error.js';

const run = promisify(execFile);

describe('resolveImportsWithin [program]', () => {
  const folder = sharedFolder();

  beforeAll(() => {
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

describe('What is said of a start that fails', () => {
  const entry = { type: 'acme', base_url: 'http://127.0.0.1:1', api_key: 'sk-of-the-entry-1' };
  const config = configSchema.parse({ providers: { acme: entry } });

  it('is one line where the operator can mend it, and the stack of any other error', () => {
    expect(startupErrorMessage(new StartError('no such file'), config)).toBe('no such file');
    expect(startupErrorMessage(new TypeError('oh'), undefined)).toMatch(/^TypeError: oh\n +at .*own-imports\.spec\.ts:/);
  });

  it.each([
    ['EADDRINUSE', 'Port 8080 on 127.0.0.1 is in use. Choose another one with PORT or server.port, or stop what listens there.'],
    ['EACCES', 'Port 8080 on 127.0.0.1 may not be used by this user. Choose one above 1023 with PORT or server.port.'],
  ])('names the port that cannot be had, and its setting: %s', (code, message) => {
    const server = { ...config.server, admin_port: 8081 };
    const said = (port: number) =>
      startupErrorMessage(Object.assign(new Error('x'), { code, syscall: 'listen', port }), { ...config, server });
    expect(said(8080)).toBe(message);
    expect(said(8081)).toBe(message.replace('8080', '8081').replace('PORT or server.port', 'server.admin_port'));
  });

  it.each([
    ['53300', 'PostgreSQL cannot be used now: x'],
    ['57P03', 'PostgreSQL cannot be used now: x'],
    ['42501', 'PostgreSQL refuses what the gateway does: x. Its user must own the tables, on a server that is no standby.'],
    ['25006', 'PostgreSQL refuses what the gateway does: x. Its user must own the tables, on a server that is no standby.'],
  ])('is one line where PostgreSQL refuses a statement: %s', (code, message) => {
    expect(startupErrorMessage(Object.assign(new Error('x'), { code }), config)).toBe(message);
  });

  it('shows no key that a module has put into its error', () => {
    const cause = new Error('asked with sk-of-the-entry-1');
    const said = startupErrorMessage(new Error('no token for sk-of-the-entry-1', { cause }), config);
    expect(said).toMatch(/^Error: no token for \[redacted\]\n/);
    expect(said).toMatch(/\ncaused by: Error: asked with \[redacted\]\n/);
  });

  it.each([null, undefined, 'plain', 7])('may be about anything that a module throws: %p', (thrown) => {
    expect(startupErrorMessage(thrown, config)).toBe(String(thrown));
  });
});

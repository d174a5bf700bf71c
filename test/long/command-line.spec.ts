import { execFile } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyProgram } from '../support/built-program.js';

describe('the command line as a process', () => {
  let program: string;
  let cwd: string;

  beforeAll(async () => {
    program = await copyProgram();
    cwd = mkdtempSync(join(tmpdir(), 'switchyard-'));
  });
  afterAll(() => {
    rmSync(program, { recursive: true, force: true });
    rmSync(cwd, { recursive: true, force: true });
  });

  const switchyard = (...args: string[]) =>
    new Promise<{ code: number; out: string; err: string }>((done) => {
      execFile(process.execPath, [join(program, 'dist/cli/main.js'), ...args], { cwd, env: {}, timeout: 20_000 }, (error, out, err) => {
        done({ code: error ? Number(error.code) : 0, out, err });
      });
    });

  it('begins a store in an empty folder, keeps what it is told and ends by itself with the right exit code', async () => {
    expect(await switchyard('accounts', 'create', 'Acme')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Created account Acme'),
      err: '',
    });
    expect(statSync(join(cwd, 'data')).mode & 0o777).toBe(0o700);
    expect(await switchyard('credits', 'grant', '-a', 'Acme', '1.5', '--json')).toMatchObject({ code: 0, err: '' });
    const [show, key, verify] = await Promise.all([
      switchyard('credits', 'show', '--json'),
      switchyard('keys', 'create', '-a', 'Acme', '-e', 'live', '--json'),
      switchyard('ledger', 'verify'),
    ]);
    expect(JSON.parse(show.out)).toMatchObject([
      { environment: 'live', available: '1.5' },
      { environment: 'test', available: '0' },
    ]);
    expect(JSON.parse(key.out)).toMatchObject({ key: expect.stringMatching(/^sy-live-[0-9A-Za-z]{32}$/) });
    expect(verify).toEqual({ code: 0, out: 'OK: 6 balances agree with 1 transfers and 0 usage rows.\n', err: '' });
    expect(await switchyard('keys', 'revoke', 'key_nothing')).toEqual({
      code: 1,
      out: '',
      err: "switchyard: there is no key 'key_nothing': see switchyard keys list\n",
    });
    expect(await switchyard('keys', 'revoke')).toMatchObject({ code: 2, out: '' });
  });

  it('starts the gateway by its address where a process cannot be replaced, whatever its path has', async () => {
    const odd = `${program}#1`;
    renameSync(program, odd);
    program = odd;
    const windows = `data:text/javascript,Object.defineProperty(process, 'platform', { value: 'win32' })`;
    const folder = mkdtempSync(join(cwd, 'wrong-'));
    writeFileSync(join(folder, 'switchyard.yaml'), 'server: { port: far }');
    const args = ['--import', windows, join(program, 'dist/cli/main.js'), 'start'];
    const said = await new Promise<string>((done) => {
      execFile(process.execPath, args, { cwd: folder, env: {}, timeout: 20_000 }, (_error, _out, err) => done(err));
    });
    expect(said).toContain('switchyard.yaml:1:17: server.port');
  });
});

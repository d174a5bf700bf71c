import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describePostgres } from '../../src/database/testing/describe-engines.js';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.js';
import { longForm } from '../support/long-form.js';

/** Milliseconds, several times what a quiet machine needs. */
const TIMEOUT = 600_000;
const cwd = resolve(import.meta.dirname, '../..');

/**
 * Each program ends with 1 where what it expects does not hold.
 * @returns what it has printed then
 */
function problemsOf(program: string, ...options: string[]): Promise<string> {
  const command = ['--disable-warning=ExperimentalWarning', `test/chaos/${program}.ts`, ...options];
  return new Promise((done) => {
    execFile(process.execPath, command, { cwd, timeout: TIMEOUT }, (error, stdout, stderr) =>
      done(error ? `${error.message}\n${stderr}${stdout}` : ''),
    );
  });
}

// It builds where the sources are newer.
beforeAll(() => promisify(execFile)('npm', ['run', '-s', 'prestart'], { cwd }), TIMEOUT);

describe('a gateway in front of offers that fail in turn', () => {
  // By itself its gateway gives up a provider after 0.3 s, and a busy machine makes all of them as slow.
  const options = ['--within', '1500', ...(longForm ? [] : ['--requests', '4000'])];
  it('serves, charges and fails as `npm run chaos` expects', async () => expect(await problemsOf('main', ...options)).toBe(''), TIMEOUT);
});

/** At the same time: most of the one is waiting. */
describe('a gateway whose clients leave at every stage, and workers that are killed while PostgreSQL fails', () => {
  let cancellation: Promise<string>;
  let faults: Promise<string> | undefined;
  beforeAll(() => {
    // By itself it expects a tenth of a second, and a busy machine needs longer.
    cancellation = problemsOf('cancellation', '--within', '2000');
    if (TemporaryPostgres.available) faults = problemsOf('faults', ...(longForm ? [] : ['--seconds', '45']));
  });

  it('keeps nothing of them, as `npm run cancellation` expects', async () => expect(await cancellation).toBe(''), TIMEOUT);

  describePostgres('with PostgreSQL', () => {
    it('lose nothing, as `npm run faults` expects', async () => expect(await faults).toBe(''), TIMEOUT);
  });
});

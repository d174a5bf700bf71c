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

/** All at the same time: most of each is waiting. By themselves they expect what a busy machine has not the time for. */
describe('a gateway', () => {
  let [chaos, cancellation, faults]: Promise<string>[] = [];
  beforeAll(() => {
    // Fewer requests say too little of the load that a circuit breaker leaves.
    chaos = problemsOf('main', '--within', '1500', ...(longForm ? [] : ['--requests', '4000']));
    cancellation = problemsOf('cancellation', '--within', '2000', ...(longForm ? [] : ['--each', '100', '--rest', '0']));
    if (TemporaryPostgres.available) faults = problemsOf('faults', ...(longForm ? [] : ['--times', '1']));
  });

  it(
    'in front of offers that fail in turn serves, charges and fails as `npm run chaos` expects',
    async () => {
      expect(await chaos).toBe('');
    },
    TIMEOUT,
  );

  it(
    'whose clients leave at every stage keeps nothing of them, as `npm run cancellation` expects',
    async () => {
      expect(await cancellation).toBe('');
    },
    TIMEOUT,
  );

  describePostgres('whose workers are killed while PostgreSQL fails', () => {
    it('loses nothing, as `npm run faults` expects', async () => expect(await faults).toBe(''), TIMEOUT);
  });
});

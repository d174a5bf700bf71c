import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describePostgres } from '../../src/database/testing/describe-engines.js';

/** Milliseconds, several times what a quiet machine needs. */
const TIMEOUT = 600_000;

/** Each program ends with 1 where what it expects does not hold; what it has printed is then part of the failure. */
async function expectToHold(program: 'chaos' | 'cancellation' | 'faults', ...options: string[]): Promise<void> {
  const cwd = resolve(import.meta.dirname, '../..');
  await promisify(execFile)('npm', ['run', '-s', program, '--', ...options], { cwd, timeout: TIMEOUT }).catch(
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => {
      throw new Error(`npm run ${program} ended with ${code}:\n${stdout}${stderr}`);
    },
  );
}

describe('a gateway in front of offers that fail in turn', () => {
  // By itself its gateway gives up a provider after 0.3 s, and a busy machine makes all of them as slow.
  it('serves, charges and fails as `npm run chaos` expects', () => expectToHold('chaos', '--within', '1500'), TIMEOUT);
});

describe('a gateway whose clients leave at every stage', () => {
  // By itself it expects a tenth of a second, and a busy machine needs longer.
  it('keeps nothing of them, as `npm run cancellation` expects', () => expectToHold('cancellation', '--within', '2000'), TIMEOUT);
});

describePostgres('workers that are killed while PostgreSQL fails', () => {
  it('lose nothing, as `npm run faults` expects', () => expectToHold('faults'), TIMEOUT);
});

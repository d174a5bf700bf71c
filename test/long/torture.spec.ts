import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describePostgres } from '../../src/database/testing/describe-engines.js';
import { buildProgram } from '../support/built-program.js';
import { longForm } from '../support/long-form.js';

/** Milliseconds, many times what a quiet machine needs. */
const TIMEOUT = 600_000;

let built: string;
beforeAll(async () => {
  built = await buildProgram();
}, TIMEOUT);
afterAll(() => rm(built, { recursive: true, force: true }));

/** A renewal that the machine makes late is late by a smaller part of a longer lease. */
const PATIENT = ['--lease', '3000', '--late', '1000'];

/** Shorter than `npm run torture`: the seeds have most kinds of faults among their first ones. */
async function expectExact(...args: string[]): Promise<void> {
  const { code, output } = await torture('--seconds', '300', '--clients', '12', '--every', '300', ...PATIENT, ...args);
  // The whole table, where it is not as it must be.
  expect(code === 0 ? '' : output).toBe('');
  expect(output).toContain('✓ overcharged: 0.000000000 credits');
}

function torture(...args: string[]): Promise<{ code: number; output: string }> {
  const command = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '../torture/main.ts')];
  return new Promise((resolve) => {
    execFile(process.execPath, [...command, '--program', join(built, 'dist'), ...args], { timeout: TIMEOUT }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, output: error ? stdout + stderr : stdout }),
    );
  });
}

describe('a gateway on SQLite that is killed and paused', () => {
  it(
    'has charged every request as it was delivered',
    () => expectExact('--engine', 'sqlite', '--kills', longForm ? '20' : '3', '--seed', '79'),
    TIMEOUT,
  );
});

describePostgres('gateways on one PostgreSQL that are killed and paused, and lose it', () => {
  it(
    'have charged every request as it was delivered',
    () => expectExact('--engine', 'postgres', '--gateways', '2', '--kills', longForm ? '20' : '4', '--seed', '13'),
    TIMEOUT,
  );
});

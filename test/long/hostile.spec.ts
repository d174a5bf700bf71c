import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describePostgres } from '../../src/database/testing/describe-engines.js';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.js';
import { buildProgram } from '../support/built-program.js';
import { longForm } from '../support/long-form.js';

/** Milliseconds, several times what a quiet machine needs. */
const TIMEOUT = 1_200_000;
/** Milliseconds. By itself the program expects a quarter of a second, and a busy machine needs longer. */
const WITHIN = '10000';

type Store = 'sqlite' | 'postgres';

/**
 * The attacks on each store: an attack of each kind, and on PostgreSQL those in which the store has a part. In the long
 * form all that the program calls short, in two parts: most of an attack is waiting, and each has a gateway of its own.
 */
const parts: Readonly<Record<Store, readonly string[]>> = longForm
  ? { sqlite: ['^[12] ', '^(?![12] )'], postgres: ['^[12] ', '^(?![12] )'] }
  : {
      sqlite: [
        'beyond all|video_url|max_tokens 1,|6 MB|generator|1 MB in chunks|nested 5|403 by|2050|wrong key|echoed as it is|two Host' +
          '|lists of patterns|the provider refuses|31 MB, counted',
      ],
      postgres: ['a second late|mid-stream, 20|before the first|stop|silence|beside a revocation'],
    };

/** The short form of `npm run hostile` on each store, all at the same time. */
const runs = new Map<Store, Promise<string>>();

let built: string;
beforeAll(async () => {
  built = await buildProgram();
  runs.set('sqlite', hostile('sqlite'));
  if (TemporaryPostgres.available) runs.set('postgres', hostile('postgres'));
}, TIMEOUT);
afterAll(() => rm(built, { recursive: true, force: true }));

async function hostile(store: Store): Promise<string> {
  return (await Promise.all(parts[store].map((only) => partOf(store, only)))).join('');
}

/** @returns what the program has said meanwhile and its table, where a row does not hold */
function partOf(store: Store, only: string): Promise<string> {
  const command = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '../hostile/main.ts')];
  const options = ['--short', '--store', store, '--only', only, '--within', WITHIN, '--program', join(built, 'dist')];
  return new Promise((resolve) => {
    execFile(process.execPath, [...command, ...options], { timeout: TIMEOUT }, (error, stdout, stderr) =>
      resolve(error ? `${error.message}\n${stderr}${stdout}` : ''),
    );
  });
}

describe('a gateway on SQLite that is attacked', () => {
  it('holds what it promises', async () => expect(await runs.get('sqlite')).toBe(''), TIMEOUT);
});

describePostgres('a gateway on PostgreSQL that is attacked', () => {
  it('holds what it promises', async () => expect(await runs.get('postgres')).toBe(''), TIMEOUT);
});

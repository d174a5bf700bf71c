import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { systemClock } from '../common/time/clock.js';
import { Changes } from './changes.js';
import type { Database } from './database.js';
import { openDatabase } from './open-database.js';
import { PostgresListener } from './postgres-listener.js';
import { describeEngines, describePostgres } from './testing/describe-engines.js';
import { TemporaryPostgres } from './testing/temporary-postgres.js';

/** Milliseconds, of which most are the machine's: the gateway itself needs half a second at most. */
const SOON = 10_000;
/** Milliseconds from one look to the next while there is somebody who tells. */
const BEAT = 5_000;

const seen = async (condition: () => boolean | Promise<boolean>, within = SOON): Promise<boolean> => {
  const deadline = performance.now() + within;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await delay(5);
  }
  return true;
};

/** What a process keeps in memory of the store: here the names of the settings. */
class Memory {
  names: readonly string[] = [];
  reads = 0;
  failure: Error | undefined;

  constructor(private readonly database: Database) {}

  async follow(): Promise<void> {
    await this.database.follow('model_switch', async () => {
      this.reads++;
      if (this.failure) throw this.failure;
      const rows = await this.database.db.selectFrom('setting').select('name').orderBy('name').execute();
      this.names = rows.map(({ name }) => name);
    });
  }
}

const write = (database: Database, name: string) =>
  database.change('model_switch', (trx) => trx.insertInto('setting').values({ name, value: '' }).execute());

describeEngines('changes of the store', (open) => {
  let one: Database;
  let memory: Memory;
  let other: Database;

  beforeAll(async () => {
    [one, other] = [await open(), await open()];
    memory = new Memory(one);
    await memory.follow();
  });

  it('are soon in the memory of every process, and at once in that of the one that makes them', async () => {
    await write(one, 'own');
    expect(memory.names).toContain('own');
    await write(other, 'foreign');
    expect(await seen(() => memory.names.includes('foreign'))).toBe(true);
  });

  it('are all seen, however many are made at once', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `many ${index}`);
    await Promise.all(names.map((name, index) => write(index % 2 ? one : other, name)));
    expect(await seen(() => names.every((name) => memory.names.includes(name)))).toBe(true);
  });

  it('cost nothing in memory where the topic is another', async () => {
    await one.look();
    const { reads } = memory;
    await other.change('price', async () => undefined);
    await one.look();
    expect(memory.reads).toBe(reads);
  });

  it('that were undone are not told', async () => {
    await one.look();
    const { reads } = memory;
    await expect(other.change('model_switch', () => Promise.reject(new Error('undone')))).rejects.toThrow('undone');
    await one.look();
    expect(memory.reads).toBe(reads);
  });

  it('are read again when they could not be read', async () => {
    memory.failure = new Error('out of order');
    await write(one, 'later');
    expect(memory.names).not.toContain('later');
    memory.failure = undefined;
    expect(await seen(() => memory.names.includes('later'))).toBe(true);
  });
});

describePostgres('changes of a shared PostgreSQL', () => {
  let postgres: TemporaryPostgres;
  let gateway: Database;
  let operator: Database;
  let memory: Memory;
  let admin: Client;

  const open = () => openDatabase({ data_dir: 'unused', database_url: postgres.url });
  const listeners = async () => {
    const { rows } = await admin.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name = 'switchyard listener' and state = 'idle' and query ilike 'listen%'`,
    );
    return rows.map(({ pid }) => pid);
  };
  const connectAdmin = async () => {
    admin = new Client({ connectionString: postgres.url });
    admin.on('error', () => undefined);
    await admin.connect();
  };

  beforeAll(async () => {
    postgres = await TemporaryPostgres.startServer();
    [gateway, operator] = [await open(), await open()];
    memory = new Memory(gateway);
    await memory.follow();
    await connectAdmin();
  });
  afterAll(async () => {
    await admin.end();
    await Promise.all([gateway.close(), operator.close()]);
    await postgres.stop();
  });

  it('are told on a connection of their own, sooner than anybody would look', async () => {
    expect(await seen(async () => (await listeners()).length === 1)).toBe(true);
    await delay(20);
    for (const name of ['first', 'second', 'third']) {
      await write(operator, name);
      expect(await seen(() => memory.names.includes(name), BEAT)).toBe(true);
    }
  });

  it('are seen although the connection that tells of them was cut, and told again afterwards', async () => {
    for (const round of [1, 2, 3]) {
      expect(await seen(async () => (await listeners()).length === 1)).toBe(true);
      const [pid] = await listeners();
      await admin.query('select pg_terminate_backend($1)', [pid]);
      await write(operator, `cut ${round}`);
      expect(await seen(() => memory.names.includes(`cut ${round}`))).toBe(true);
      expect(await seen(async () => (await listeners()).some((other) => other !== pid))).toBe(true);
    }
  });

  it('are looked for while nobody can tell of them', async () => {
    let version = 0n;
    let reads = 0;
    const changes = new Changes(async () => new Map([['price', version]]), systemClock);
    const listener = new PostgresListener({ connectionString: postgres.url.replace('/postgres?', '/missing?') }, changes);
    await changes.follow('price', async () => void reads++);
    listener.start();
    try {
      await delay(100);
      expect(reads).toBe(1);
      version = 1n;
      expect(await seen(() => reads === 2)).toBe(true);
    } finally {
      await listener.stop();
    }
  });

  it('that were made while the gateway had no connection are seen when it has one again', async () => {
    await postgres.halt();
    await delay(300); // The gateway tries to connect again, and fails.
    await postgres.resume();
    await connectAdmin();
    await operator.look();
    await write(operator, 'after the restart');
    expect(await seen(() => memory.names.includes('after the restart'))).toBe(true);
    expect(await seen(async () => (await listeners()).length === 1)).toBe(true);
  });
});

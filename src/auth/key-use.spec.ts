import { sql } from 'kysely';
import { started } from '../common/testing/started.js';
import { migrate } from '../database/migrate.js';
import { openPostgres } from '../database/open-postgres.js';
import { openSqlite } from '../database/open-sqlite.js';
import { describeEngines, describeStores } from '../database/testing/describe-engines.js';
import { writeUses } from './key-use.js';

describeEngines('The last use of keys', (open) => {
  const database = started(open);

  const stored = async () => {
    const rows = await database.db.selectFrom('key_use').selectAll().orderBy('key_id').execute();
    return rows.map(({ key_id, used_at }) => [key_id, Number(used_at)]);
  };

  it('is the latest of those that come together, and goes back for none that comes late', async () => {
    await writeUses(database, [
      { keyId: 'b', at: 5 },
      { keyId: 'a', at: 30 },
      { keyId: 'a', at: 20 },
    ]);
    expect(await stored()).toEqual([
      ['a', 30],
      ['b', 5],
    ]);
    await writeUses(database, [
      { keyId: 'a', at: 25 },
      { keyId: 'b', at: 6 },
    ]);
    expect(await stored()).toEqual([
      ['a', 30],
      ['b', 6],
    ]);
  });

  it('is written by gateways that have used the same keys, at the same time', async () => {
    const keys = Array.from({ length: 200 }, (_, nth) => `key-${nth}`);
    const write = (order: readonly string[], at: number) =>
      writeUses(
        database,
        order.map((keyId) => ({ keyId, at })),
      );
    await Promise.all(Array.from({ length: 8 }, (_, nth) => write(nth % 2 === 0 ? keys : keys.toReversed(), 100 + nth)));
    expect((await stored()).filter(([, at]) => at === 107)).toHaveLength(keys.length);
  });
});

describeStores('A store of before the last use of keys', (create) => {
  it('tells it of the requests that it has, charged and refused', async () => {
    const store = await create();
    const { database_url, data_dir } = store.config.store;
    const connection = await (database_url ? openPostgres(database_url) : openSqlite(data_dir));
    const { db, engine } = connection;
    try {
      await migrate(db, engine, '0025-gateways');
      await db.insertInto('account').values({ id: 'acme', name: 'Acme', kind: 'customer', created_at: 1 }).execute();
      await db.insertInto('balance').values({ account_id: 'acme', environment: 'live', kind: 'customer', posted: 0, reserved: 0 }).execute(); // prettier-ignore
      for (const [nth, id] of ['a', 'b'].entries()) {
        const key = { id, account_id: 'acme', environment: 'live' as const, digest: id.repeat(64), pepper_version: 1 };
        await db
          .insertInto('api_key')
          .values({ ...key, label: '', display: id, created_at: 1, version: nth })
          .execute();
      }
      const request = (nth: number, key_id: string, created_at: number) => ({
        request_id: `request-${nth}`,
        account_id: 'acme',
        environment: 'live' as const,
        key_id,
        operation: 'chat',
        model: 'model',
        prompt_tokens: 0,
        completion_tokens: 0,
        price_prompt: 0,
        price_completion: 0,
        outcome: 'completed',
        created_at,
      });
      const charge = { hold: 0, amount: 0, collected: 0, uncollected: 0, estimated: 0 };
      await db.insertInto('usage').values([1, 2, 3].map((nth) => ({ ...request(nth, nth === 3 ? 'b' : 'a', nth * 100), ...charge }))).execute(); // prettier-ignore
      const refusal = {
        duration_ms: 1,
        client_request_id: null,
        streamed: 0,
        status: 429,
        error_code: null,
        attempts: '[]',
        dropped_parameters: '[]',
      };
      await db.insertInto('request_record').values([{ ...request(4, 'b', 400), ...refusal }, { ...request(5, 'b', 350), ...refusal, key_id: null }]).execute(); // prettier-ignore
      await migrate(db, engine);
      const { rows } = await sql`select key_id, used_at from key_use order by key_id`.execute(db);
      expect(rows).toEqual([
        { key_id: 'a', used_at: 200n },
        { key_id: 'b', used_at: 400n },
      ]);
    } finally {
      await connection.close();
      await store.remove();
    }
  });
});

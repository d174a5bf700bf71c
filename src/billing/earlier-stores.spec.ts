import { sql } from 'kysely';
import { requestIdAt } from '../common/testing/request-id-at.js';
import { Database, type EngineConnection } from '../database/database.js';
import { migrate } from '../database/migrate.js';
import { openPostgres } from '../database/open-postgres.js';
import { openSqlite } from '../database/open-sqlite.js';
import { isConstraintViolation } from '../database/store-error.js';
import { recordNames } from '../observability/record-columns.js';
import { RequestHistories } from '../observability/request-history.js';
import { describeStores } from '../database/testing/describe-engines.js';
import type { TemporaryStore } from '../database/testing/temporary-store.js';
import { verifyLedger } from './verify-ledger.js';

const DAY = 86_400_000;

describeStores('A store of before the collection', (create) => {
  let store: TemporaryStore;
  let connection: EngineConnection;

  beforeAll(async () => {
    store = await create();
    const { database_url, data_dir } = store.config.store;
    connection = await (database_url ? openPostgres(database_url) : openSqlite(data_dir));
    await migrate(connection.db, connection.engine, '0008-fewer-indexes');
  });
  afterAll(async () => {
    await connection.close();
    await store.remove();
  });

  /** A usage row at one nano-credit a token. */
  const row = (completion_tokens: number, hold: number, amount: number, more: object = {}) => ({
    request_id: requestIdAt(Date.now() - 2 * DAY),
    account_id: 'account',
    environment: 'live' as const,
    key_id: 'key',
    operation: 'chat',
    model: 'model',
    provider: 'provider',
    price_prompt: 1_000,
    price_completion: 1_000,
    prompt_tokens: 0,
    completion_tokens,
    hold,
    amount,
    uncollected: 0,
    outcome: 'completed',
    estimated: 0,
    created_at: 1,
    ...more,
  });
  const insert = (one: ReturnType<typeof row>) => connection.db.insertInto('usage').values(one).execute();
  const refused = async (one: ReturnType<typeof row>) => isConstraintViolation(await insert(one).catch((error: unknown) => error));
  const rows = () => sql<Record<string, unknown>>`select * from usage order by request_id`.execute(connection.db);

  it('keeps its rows and their law, and takes what is collected from now on', async () => {
    const { db } = connection;
    await db.insertInto('account').values({ id: 'account', name: 'account', kind: 'customer', created_at: 1 }).execute();
    for (const environment of ['live', 'test'] as const)
      await db.insertInto('balance').values({ account_id: 'account', environment, kind: 'customer', posted: 0, reserved: 0 }).execute();
    const key = { id: 'key', account_id: 'account', environment: 'live', label: '', display: '', created_at: 1 } as const;
    await db
      .insertInto('api_key')
      .values({ ...key, digest: 'd'.repeat(64), pepper_version: 1, version: 1 })
      .execute();
    const grant = {
      id: 'grant',
      environment: 'live',
      debit_account_id: 'system:grants',
      credit_account_id: 'account',
      amount: 100,
    } as const;
    await db
      .insertInto('transfer')
      .values({ ...grant, kind: 'grant', created_at: 1 })
      .execute();
    const move = (id: string, by: bigint) =>
      db.updateTable('balance').set((balance) => ({ posted: balance('posted', '+', by) })).where('account_id', '=', id).where('environment', '=', 'live').execute(); // prettier-ignore
    await move('system:grants', -100n);
    await move('account', 60n);
    await move('system:revenue', 40n);
    // As it was: a count beyond the hold cost the hold, and one after a lapse was not collected in full.
    await insert(row(8, 10, 8));
    await insert(row(5_000, 10, 10));
    await insert(row(25, 30, 22, { uncollected: 3 }));
    expect(await refused(row(8, 7, 8))).toBe(true);
    const open = {
      request_id: 'open',
      node_id: 'node',
      lease_id: null,
      account_id: 'account',
      environment: 'live',
      key_id: 'key',
    } as const;
    const priced = { operation: 'chat', model: 'model', price_prompt: 1_000, price_completion: 1_000, hold: 5 };
    await db
      .insertInto('inflight')
      .values({ ...open, ...priced, prompt_tokens: 1, completion_tokens: 1, started_at: 1 })
      .execute();
    // One that another gateway, whose clock is ahead, has just stored: ids of the next requests may be smaller.
    await insert(row(8, 10, 8, { request_id: requestIdAt(Date.now() + 5_000) }));
    await move('account', -8n);
    await move('system:revenue', 8n);
    const before = await rows();
    const what = {
      operation: 'chat',
      model: 'model',
      streamed: 0,
      status: 200,
      outcome: 'completed',
      attempts: '[]',
      dropped_parameters: '[]',
    };
    await db
      .insertInto('request_record')
      .values({ request_id: before.rows[0]!['request_id'] as string, created_at: 1, duration_ms: 1, ...what })
      .execute();
    const nothing = Object.fromEntries(recordNames.map((name) => [name, null]));

    await migrate(db, connection.engine);
    const after = await rows();
    expect(after.rows).toEqual(before.rows.map((one) => ({ ...one, collected: null, price_components: null, parts: null, ...nothing })));
    const swept = await db.selectFrom('setting').select('value').where('name', '=', 'usage_records_swept').execute();
    expect(swept).toEqual([{ value: before.rows.at(-2)!['request_id'] }]);
    const listed = await new RequestHistories(new Database(connection)).list({ limit: 3 });
    const stored = ({ request_id, amount }: (typeof before.rows)[number]) => ({ request_id, charged: amount, attempts: [] });
    // The gateway whose clock is ahead has written the charge and not the record yet.
    expect(listed).toMatchObject([
      { ...stored(before.rows.at(-1)!), status: null },
      { ...stored(before.rows[0]!), status: 200n },
    ]);
    const verified = await verifyLedger(new Database(connection));
    expect(verified).toMatchObject({ findings: [], usages: 4 });

    expect(await refused(row(8, 7, 8))).toBe(true);
    expect(await refused(row(8, 7, 8, { collected: 0 }))).toBe(true);
    expect(await refused(row(8, 9, 8, { collected: -1 }))).toBe(true);
    expect(await refused(row(8, 7, 8, { key_id: 'nobody' }))).toBe(true);
    await insert(row(8, 7, 8, { collected: 1 }));
    await move('account', -8n);
    await move('system:revenue', 8n);
    expect(await verifyLedger(new Database(connection))).toMatchObject({ findings: [], usages: 5 });
    expect(await db.selectFrom('claim').selectAll().execute()).toEqual([]);
    expect(await db.selectFrom('inflight').select('prompts').execute()).toEqual([{ prompts: null }]);
  });
});

import { jest } from '@jest/globals';
import { CompiledQuery } from 'kysely';
import { startedEach } from '../common/testing/started.js';
import { systemClock } from '../common/time/clock.js';
import { requestIdAt } from '../common/testing/request-id-at.js';
import { configSchema } from '../config/config.schema.js';
import type { ConfigService } from '../config/config.service.js';
import type { Database } from '../database/database.js';
import { SqliteClient } from '../database/sqlite-client.js';
import { describeEngines } from '../database/testing/describe-engines.js';
import { type HistoryQuery, RequestHistories } from '../observability/request-history.js';
import { RecordSweep } from '../observability/record-sweep.js';
import { storeCustomer } from './testing/store-customer.js';
import { LedgerBench, request, settlement } from './testing/ledger-bench.js';
import { UsageReport } from './usage-report.js';

const DAY = 86_400_000;

describeEngines('the records of requests, in usage rows and in rows of their own', (open) => {
  const config = configSchema.parse({ keys: { pepper: 'p'.repeat(32) }, observability: { request_retention: 2 } });
  let database: Database;
  let histories: RequestHistories;
  let owner: { account_id: string; key_id: string; environment: 'live' | 'test' };

  beforeAll(async () => {
    database = await open();
    histories = new RequestHistories(database);
  });
  beforeEach(async () => {
    const { accountId, keyId, environment } = await storeCustomer(database, config, 100n);
    owner = { account_id: accountId, key_id: keyId, environment };
  });

  const record = { duration_ms: 3, streamed: 0, status: 200, attempts: '[{"offer":"p/m"}]', dropped_parameters: '["x"]' };
  const asked = { operation: 'chat', model: 'm', outcome: 'completed', prompt_tokens: 5, completion_tokens: 2 };
  const prices = { price_prompt: 1_000, price_completion: 1_000 };
  const charge = { ...asked, ...prices, hold: 10, amount: 7, collected: 0, uncollected: 0, estimated: 0, created_at: 9 };
  const charged = (id: string, more: object = { ...record, began_at: 1 }) =>
    database.db
      .insertInto('usage')
      .values({ request_id: id, ...owner, ...charge, ...more })
      .execute();
  const alone = (id: string, more: object = {}) =>
    database.db
      .insertInto('request_record')
      .values({ request_id: id, ...owner, ...asked, ...prices, ...record, created_at: 1, ...more })
      .execute();
  const list = async (query: Partial<HistoryQuery> = {}) =>
    (await histories.list({ accountId: owner.account_id, limit: 10, ...query })).map(({ request_id }) => request_id);

  it('are listed together, newest first, each once', async () => {
    const ids = Array.from({ length: 6 }, (_, at) => requestIdAt(Date.now() + at));
    await charged(ids[0]!);
    await alone(ids[1]!, { error_code: 'overloaded', status: 503, model: 'other' });
    await charged(ids[2]!, { ...record, began_at: 1, error_code: 'cut', client_request_id: 'mine' });
    await alone(ids[3]!, { client_request_id: 'mine' });
    // As earlier versions have stored it, and where the charge did not wait for the client.
    await charged(ids[4]!, {});
    await alone(ids[4]!);
    await charged(ids[5]!, { outcome: 'crashed' });
    await alone(ids[5]!);
    expect(await list()).toEqual([5, 4, 3, 2, 1, 0].map((at) => ids[at]));
    expect(await list({ limit: 2 })).toEqual([ids[5], ids[4]]);
    expect(await list({ failed: true })).toEqual([ids[2], ids[1]]);
    expect(await list({ model: 'm', limit: 4 })).toEqual([ids[5], ids[4], ids[3], ids[2]]);
    expect(await list({ keyId: 'nobody' })).toEqual([]);
    expect(await histories.count({ accountId: owner.account_id, limit: 10 })).toBe(6);

    const both = { created_at: 1n, duration_ms: 3n, status: 200n, attempts: [{ offer: 'p/m' }], dropped_parameters: ['x'], ...owner };
    for (const at of [0, 4, 5]) expect(await histories.find(ids[at]!)).toMatchObject({ ...both, request_id: ids[at], charged: 7n });
    expect(await histories.find('mine')).toMatchObject({ request_id: ids[3], charged: undefined });
  });

  it('are found by an index, and not missed by reading all of them', async () => {
    if (database.engine === 'postgres') return;
    const run = jest.spyOn(SqliteClient.prototype, 'run');
    for (const id of ['none', requestIdAt(Date.now())])
      for (const accountId of [undefined, owner.account_id]) expect(await histories.find(id, accountId)).toBeUndefined();
    const statements = run.mock.calls.flatMap(([all]) => all);
    run.mockRestore();
    expect(statements.length).toBeGreaterThanOrEqual(12);
    for (const { sql, parameters } of statements) {
      const explain = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
      const { rows } = await database.db.executeQuery<{ detail: string }>(explain);
      expect(rows.map(({ detail }) => detail).filter((step) => step.startsWith('SCAN'))).toEqual([]);
      expect(rows.map(({ detail }) => detail).filter((step) => step.startsWith('SEARCH')).length).toBeGreaterThan(0);
      // Many of an account are no reason to look at them one by one.
      for (const { detail } of rows) expect(detail).not.toMatch(/usage_account|usage_key|request_record_time/);
    }
  });

  it('tell the charge alone where a gateway has not written more', async () => {
    const now = Date.now();
    const ids = Array.from({ length: 4 }, (_, at) => requestIdAt(now + at));
    await charged(ids[0]!);
    await charged(ids[1]!, { outcome: 'crashed', estimated: 1 });
    await charged(ids[2]!, { provider: 'p' });
    await alone(ids[3]!);
    expect(await list()).toEqual([3, 2, 1, 0].map((at) => ids[at]));
    expect(await list({ limit: 2 })).toEqual([ids[3], ids[2]]);
    expect(await list({ limit: 2, before: ids[2]! })).toEqual([ids[1], ids[0]]);
    expect(await list({ keyId: owner.key_id, model: 'm', from: now + 1, to: now + 3 })).toEqual([ids[2], ids[1]]);
    expect(await list({ endedSince: 9 })).toContain(ids[1]);
    expect(await histories.count({ accountId: owner.account_id, limit: 10 })).toBe(4);
    const unwritten = { duration_ms: null, streamed: null, status: null, attempts: [], dropped_parameters: [], client_request_id: null };
    expect(await histories.find(ids[1]!, owner.account_id)).toMatchObject({
      ...owner,
      ...unwritten,
      request_id: ids[1],
      created_at: BigInt(now + 1),
      outcome: 'crashed',
      charged: 7n,
      estimated: true,
      prompt_tokens: 5n,
      completion_tokens: 2n,
    });
    expect(await histories.find(ids[2]!)).toMatchObject({ ...unwritten, outcome: 'completed', provider: 'p', charged: 7n });
  });

  it('are forgotten after their time, however many they are; usage stays', async () => {
    const now = Date.now();
    const idsAt = (time: number, count: number) => Array.from({ length: count }, () => requestIdAt(time));
    const old = [...idsAt(now - 500 * DAY, 700), ...idsAt(now - 2 * DAY - 1, 1_500)].sort();
    const kept = [...idsAt(now - 2 * DAY + 60_000, 3), ...idsAt(now, 3)].sort();
    const rows = [...old, ...kept].map((request_id) => ({ request_id, ...owner, ...charge, ...record, began_at: 1, error_code: 'cut' }));
    const rest = rows.map(({ request_id }) => ({ request_id, ...asked, ...record, created_at: 1 }));
    for (let at = 0; at < rows.length; at += 500) {
      await database.db
        .insertInto('usage')
        .values(rows.slice(at, at + 500))
        .execute();
      await database.db
        .insertInto('request_record')
        .values(rest.slice(at, at + 500))
        .execute();
    }
    const crashed = requestIdAt(now - 3 * DAY);
    await charged(crashed, { outcome: 'crashed' });
    expect(await histories.find(crashed)).toMatchObject({ outcome: 'crashed' });
    const sweep = new RecordSweep(database, { current: config } as ConfigService, systemClock);
    const known = async () => {
      const left = (table: 'usage' | 'request_record') =>
        database.db
          .selectFrom(table)
          .select('request_id')
          .where('request_id', 'in', [...old.slice(0, 900), ...old.slice(-900), ...kept]);
      const found = [left('usage').where('attempts', 'is not', null), left('request_record')];
      return Promise.all(found.map(async (query) => (await query.orderBy('request_id').execute()).map(({ request_id }) => request_id)));
    };
    await sweep.sweep();
    expect(await known()).toEqual([kept, kept]);
    expect(await histories.find(crashed)).toBeUndefined();
    const [swept] = await database.db.selectFrom('usage').selectAll().where('request_id', '=', old[0]!).execute();
    expect(swept).toMatchObject({ amount: 7n, outcome: 'completed', error_code: null, began_at: null, dropped_parameters: null });

    // The next time it goes on where it was.
    const position = database.db.selectFrom('setting').select('value').where('name', '=', 'usage_records_swept');
    expect(await position.execute()).toEqual([{ value: old.at(-1) }]);
    const later = requestIdAt(now - 2 * DAY - 1 + 1);
    await charged(later);
    await new RecordSweep(database, { current: config } as ConfigService, systemClock).sweep();
    expect(await histories.find(later)).toBeUndefined();

    // Usage rows of before are not even looked at: a store has far more of them than of records.
    await charged(requestIdAt(now - 300 * DAY), { ...record, began_at: 1, client_request_id: 'swept' });
    expect(await histories.find('swept')).toBeUndefined();
    sweep.onApplicationShutdown();
  });
});

describe('the report of usage', () => {
  const bench = startedEach(() => LedgerBench.start(), 'stop');

  it('sums what was charged, by anything and of anyone', async () => {
    const [acme, other] = [await bench.customer(1_000n), await bench.customer(1_000n, 'test')];
    const use = async (principal: typeof acme, model: string, tokens: number) =>
      (await bench.ledger.hold(request(principal, { model, maxTokens: 100 }))).settle(settlement('completed', 1, tokens));
    await use(acme, 'large', 9);
    await use(acme, 'large', 19);
    await use(acme, 'small', 4);
    await use(other, 'large', 49);
    await bench.written();

    const report = new UsageReport(bench.database);
    const sum = (of: object, requests: number, completionTokens: bigint, amount: bigint) => ({
      of,
      requests,
      promptTokens: BigInt(requests),
      completionTokens,
      amount,
      collected: 0n,
      uncollected: 0n,
    });
    expect(await report.sum({ by: ['model'] })).toEqual([sum({ model: 'large' }, 3, 77n, 80n), sum({ model: 'small' }, 1, 4n, 5n)]);
    expect(await report.sum({ by: [], accountId: acme.accountId })).toEqual([sum({}, 3, 32n, 35n)]);
    const today = new Date().toISOString().slice(0, 10);
    expect(await report.sum({ by: ['day', 'environment', 'outcome', 'provider'], model: 'large', keyId: other.keyId })).toEqual([
      sum({ day: today, environment: 'test', outcome: 'completed', provider: 'provider' }, 1, 49n, 50n),
    ]);
    expect(await report.sum({ by: ['key'], environment: 'test' })).toEqual([sum({ key: other.keyId }, 1, 49n, 50n)]);
    const { db } = bench.database;
    await db.updateTable('api_key').set({ first_id: 'replaced' }).where('id', '=', other.keyId).execute();
    const ofFirst = await report.sum({ by: ['first_key'], environment: 'test' });
    expect(ofFirst).toEqual([sum({ first_key: 'replaced' }, 1, 49n, 50n)]);
    expect(await report.sum({ by: [], since: Date.now() + 60_000 })).toEqual([]);
    const poor = await bench.customer(150n);
    (await bench.ledger.hold(request(poor, { maxTokens: 100 }))).settle(settlement('completed', 0, 200));
    await bench.written();
    expect(await report.sum({ by: [], accountId: poor.accountId })).toMatchObject([{ amount: 150n, collected: 50n, uncollected: 50n }]);
    expect(await report.sum({ by: [], until: Date.now() - 60_000 })).toEqual([]);
  });
});

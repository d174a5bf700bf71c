import { v7 } from 'uuid';
import type { EndedRequest, OpenRequests } from '../http/server/open-requests.js';
import type { ConfigService } from '../config/config.service.js';
import type { Database } from '../database/database.js';
import { RowsInsert } from '../database/insert-rows.js';
import { jsonRow } from '../database/json-rows.js';
import { describeEngines } from '../database/testing/describe-engines.js';
import { RequestRecords } from './request-records.js';

const DAY_MS = 86_400_000;

const columns = {
  request_id: 'text',
  created_at: 'int',
  duration_ms: 'int',
  operation: 'text',
  streamed: 'int',
  status: 'int',
  outcome: 'text',
  attempts: 'text',
  dropped_parameters: 'text',
} as const;

describeEngines('RequestRecords', (open) => {
  it('forgets what is older than its retention, however much it is, and nothing else', async () => {
    const database: Database = await open();
    const config = { current: { observability: { request_retention: 2 } } } as ConfigService;
    const records = new RequestRecords(database, config, { onEnd: () => undefined } as unknown as OpenRequests);
    const idsAt = (time: number, count: number) => Array.from({ length: count }, () => v7({ msecs: time }));
    const now = Date.now();
    const kept = [...idsAt(now - 2 * DAY_MS + 60_000, 3), ...idsAt(now, 3)].sort();
    const ids = [...idsAt(now - 2 * DAY_MS - 1, 1_500), ...idsAt(now - 500 * DAY_MS, 700), ...kept];
    const rows = ids.map((id) => jsonRow([id, now, 1, 'chat', 0, 200, 'completed', '[]', '[]']));
    await database.batch([new RowsInsert('request_record', columns).of(database, rows)]);

    await records.sweep();

    const left = await database.db.selectFrom('request_record').select('request_id').orderBy('request_id').execute();
    expect(left.map(({ request_id }) => request_id)).toEqual(kept);
    await records.onApplicationShutdown();
  });

  it('goes on without one that the store cannot hold', async () => {
    const database: Database = await open();
    let end!: (ended: EndedRequest) => void;
    const openRequests = { onEnd: (listener: typeof end) => (end = listener) } as unknown as OpenRequests;
    const records = new RequestRecords(database, {} as ConfigService, openRequests);
    const ids = Array.from({ length: 3 }, () => v7()).sort();
    for (const [index, id] of ids.entries()) {
      const record = { operation: 'chat', attempts: [], usage: { prompt_tokens: index === 1 ? Number.NaN : 1 }, dropped: new Set() };
      const request = { id, headers: {}, requestContext: { record } };
      end({ request, reply: { raw: { statusCode: 200 } }, ms: 1.4, answered: true } as unknown as EndedRequest);
    }

    await records.onApplicationShutdown();

    const stored = await database.db
      .selectFrom('request_record')
      .select('request_id')
      .where('request_id', 'in', ids)
      .orderBy('request_id')
      .execute();
    expect(stored.map(({ request_id }) => request_id)).toEqual([ids[0], ids[2]]);
  });
});

import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { systemClock } from '../common/time/clock.js';
import { newRequestId } from '../common/requests/request-id.js';
import type { EndedRequest, OpenRequests } from '../http/server/open-requests.js';
import type { Database } from '../database/database.js';
import { describeEngines } from '../database/testing/describe-engines.js';
import { errorBody } from '../wire/error.js';
import type { RefusalSample } from './refusal-sample.js';
import { RequestRecords } from './request-records.js';

const all = { keeps: () => true } as unknown as RefusalSample;

describeEngines('RequestRecords', (open) => {
  let database: Database;
  let end!: (ended: EndedRequest) => void;
  let records: RequestRecords;
  beforeEach(async () => {
    database = await open();
    records = new RequestRecords(
      database,
      { onEnd: (listener: typeof end) => (end = listener) } as unknown as OpenRequests,
      all,
      systemClock,
    );
  });

  const ended = (id: string, more: object = {}) => {
    const record = { operation: 'chat', attempts: [], dropped: new Set(), ...more };
    const routeOptions = { config: { operation: 'chat' } };
    const request = { id, headers: { 'x-request-id': 'mine' }, requestContext: { record }, routeOptions };
    return { request, reply: { raw: { statusCode: 200 } }, ms: 1.4, answered: true } as unknown as EndedRequest;
  };
  const stored = async (ids: string[]) => {
    await records.onApplicationShutdown();
    const rows = await database.db
      .selectFrom('request_record')
      .select('request_id')
      .where('request_id', 'in', ids)
      .orderBy('request_id')
      .execute();
    return rows.map(({ request_id }) => request_id);
  };

  it('has the message of the error that was answered, as far as it is short', async () => {
    const ids = [newRequestId(), newRequestId()].sort();
    for (const [index, id] of ids.entries()) {
      const one = ended(id);
      one.request.answeredError = errorBody('invalid_request', 'x'.repeat(512 + index)).error;
      end(one);
    }
    await stored(ids);
    const rows = await database.db.selectFrom('request_record').select('error_message').execute();
    expect(rows).toEqual(ids.map(() => ({ error_message: 'x'.repeat(512) })));
  });

  it('goes on without one that the store cannot hold', async () => {
    const ids = Array.from({ length: 3 }, newRequestId).sort();
    for (const [index, id] of ids.entries()) end(ended(id, { usage: { prompt_tokens: index === 1 ? Number.NaN : 1 } }));
    expect(await stored(ids)).toEqual([ids[0], ids[2]]);
  });

  it('stores the others of a batch of which the store refuses one', async () => {
    const refused = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const ids = Array.from({ length: 3 }, newRequestId).sort();
    for (const [index, id] of ids.entries()) end(ended(id, { usage: { prompt_tokens: index === 1 ? 'some' : 1 } }));
    expect(await stored(ids)).toEqual([ids[0], ids[2]]);
    expect(refused.mock.calls).toEqual([[expect.stringContaining('The store refused 1 of the request records')]]);
    refused.mockRestore();
  });

  it('leaves a record to whoever stores the charge, and stores it alone where that is too late', async () => {
    const kept: unknown[] = [];
    const keeper = (takes: boolean) => ({ keeper: { keepRecord: (record: string) => kept.push(JSON.parse(record)) > 0 && takes } });
    const ids = [newRequestId(), newRequestId()];
    end(ended(ids[0]!, keeper(true)));
    end(ended(ids[1]!, keeper(false)));
    expect(await stored(ids)).toEqual([ids[1]]);
    expect(kept).toEqual([1, 2].map(() => [expect.any(Number), 1, 'mine', 0, 200, null, null, '[]', '[]']));
  });
});

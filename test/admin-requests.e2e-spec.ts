import { setImmediate as nextTurn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { get as httpGet, type IncomingMessage } from 'node:http';
import type { Response } from 'supertest';
import { AnswerBudget, ByteClaim } from '../src/common/limits/byte-budget.js';
import { requestTime } from '../src/common/requests/request-id.js';
import { Database } from '../src/database/database.js';
import type { ErrorBody } from '../src/wire/error.js';
import { RequestHistories } from '../src/observability/request-history.js';
import { LoopbackUpstream } from '../src/providers/testing/loopback-upstream.js';
import { Administration } from './support/administration.js';
import type { Customer } from './support/customer.js';
import { describeGateways } from './support/describe-gateways.js';
import { expectEnvelope } from './support/expect-envelope.js';
import type { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { seedRequests } from './support/seed-requests.js';
import { useGateway, useOperator } from './support/started.js';
import { until } from './support/until.js';

interface Listed {
  readonly request_id: string;
  readonly created_at: string;
  /** Null until the record is written: the charge alone may be there before. */
  readonly status: number | null;
  readonly error_code: string | null;
}

/** Whether requests have their records. */
const recorded = (found: readonly Pick<Listed, 'status'>[]): boolean => found.every(({ status }) => status !== null);

/** Waits until a request has its record. */
const recordOf = (who: Administration, path: string) =>
  until(async () => {
    const { status, body } = await who.get(path);
    return status === 200 && recorded([body as Listed]);
  }, 'the record');

/** The body of an answer of which supertest makes nothing. */
function textOf(response: Response, done: (error: Error | null, text: string) => void): void {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (part: string) => (text += part));
  response.on('end', () => done(null, text));
}

describeGateways('The requests of an account', (start) => {
  let seeded: Customer;
  let account: string;
  let project: string;
  const to = Date.now() - 3_600_000;
  const from = to - 3_600_000;

  const gateway = useGateway(() => start({ observability: { store_text: true } }));
  const operator = useOperator(gateway);
  beforeAll(async () => {
    seeded = await gateway.newCustomer();
    account = `accounts/${seeded.accountId}`;
    project = ((await operator.post(`${account}/projects`, { name: 'Search' })).body as { id: string }).id;
    const newKey = async (more: object) =>
      ((await operator.post(`${account}/keys`, { environment: 'live', ...more })).body as { id: string }).id;
    const keys = [await newKey({}), await newKey({ project_id: project })];
    const database = gateway.running.app.get(Database);
    await seedRequests(database, { accountId: seeded.accountId, keys, models: ['one', '=two'], count: 1_200, from, to });
  });

  const list = async (query = '', who = operator): Promise<Listed[]> => {
    const { status, body } = await who.get(`${account}/requests?limit=200&${query}`);
    expect([status, body]).toEqual([200, body]);
    return (body as { data: Listed[] }).data;
  };
  const walk = async (query = ''): Promise<Listed[]> => {
    const all: Listed[] = [];
    for (let after = ''; ;) {
      const { body } = await operator.get(`${account}/requests?limit=200&${query}${after}`);
      const { data, next } = body as { data: Listed[]; next: string | null };
      all.push(...data);
      if (next === null) return all;
      after = `&after=${next}`;
    }
  };

  it('are found by key, project, model, status, errors, id and time, newest first', async () => {
    const all = await walk();
    expect(all).toHaveLength(1_200);
    expect(all.map(({ request_id }) => request_id)).toEqual(all.map(({ request_id }) => request_id).sort((a, b) => (a < b ? 1 : -1)));
    expect(await walk(`project=${project}`)).toHaveLength(600);
    expect(await walk('model=one')).toHaveLength(600);
    expect(await walk('status=429')).toHaveLength(30);
    expect(await walk('environment=live')).toHaveLength(1_200);
    expect(await walk('environment=test')).toEqual([]);
    expect(new Set((await walk('failed=true')).map(({ error_code }) => error_code))).toEqual(
      new Set(['rate_limit_exceeded', 'model_overloaded']),
    );
    const { request_id } = all[700]!;
    expect(await list(`id=${request_id}`)).toEqual([all[700]]);
    // All of one hour share the first digits of their time.
    expect((await list(`id=${request_id.slice(0, 6)}`)).length).toBe(200);
    expect(await list('id=ffff')).toEqual([]);
    const half = new Date((from + to) / 2).toISOString();
    expect(await walk(`from=${half}`)).toHaveLength(600);
    expect(await walk(`to=${half}`)).toHaveLength(600);
    expect(await walk(`from=${half}&to=${half}`)).toEqual([]);
    const refused: Response = await operator.get(`${account}/requests?id=%25`);
    expectEnvelope({ status: refused.status, headers: refused.headers, body: refused.text }, 400, 'invalid_request');
  });

  it('are followed by asking for what has ended since', async () => {
    const customer = await gateway.newCustomer();
    const tail = async (since: number): Promise<Listed[]> => {
      const { body } = await operator.get(`accounts/${customer.accountId}/requests?since=${new Date(since).toISOString()}`);
      return (body as { data: Listed[] }).data;
    };
    const begin = Date.now();
    const one = { model: 'sandbox-text', prompt: 'Hello', max_tokens: 2 };
    await gateway.post('completions', one, customer.liveKey).expect(200);
    await gateway.post('completions', { ...one, model: 'none' }, customer.liveKey).expect(404);
    await until(async () => (await tail(begin)).length === 2, 'both requests');
    expect(await tail(Date.now() + 1_000)).toEqual([]);
    await gateway.post('completions', one, customer.liveKey).expect(200);
    await until(async () => (await tail(begin)).length === 3, 'the third');
  });

  it('are explained: calls, first token, each line of the charge, where the price came from, and the text', async () => {
    const { accountId, liveKey } = await gateway.newCustomer();
    // An answer of the sandbox may have no token; with a seed it is always the same.
    const body = { model: 'sandbox-text', prompt: 'Hello', max_tokens: 4, temperature: 0, seed: 1 };
    const stream = await gateway.stream('completions', body, { key: liveKey });
    await stream.text();
    const failed = await gateway.post('completions', { ...body, model: 'sandbox-quota' }, liveKey);
    const viewer = await Administration.as(gateway.running, 'viewer', accountId);
    const developer = await Administration.as(gateway.running, 'developer', accountId);
    await until(async () => {
      const { data } = (await viewer.get(`accounts/${accountId}/requests`)).body as { data: Listed[] };
      return data.length === 2 && recorded(data);
    }, 'two records');
    const served = (await viewer.get(`accounts/${accountId}/requests?model=sandbox-text`)).body as { data: [Listed] };
    const path = `accounts/${accountId}/requests/${served.data[0].request_id}`;
    const texts = gateway.running.app.get(RequestHistories);
    await until(async () => (await texts.text(served.data[0].request_id)) !== undefined, 'the text');
    const shown = (await developer.get(`${path}?text=true`)).body as Record<string, unknown> & {
      timeline: object[];
      first_token_ms: number;
      charge_lines: { component: string; amount: string }[];
      charged: string;
    };
    expect(shown.timeline).toEqual([expect.objectContaining({ provider: 'sandbox', outcome: 'served', status: null })]);
    expect(shown.first_token_ms).toBeGreaterThan(0);
    expect(shown['price_source']).toMatchObject({ provider: 'sandbox', model: 'sandbox-text' });
    expect(shown.charge_lines.map(({ component }) => component)).toEqual(expect.arrayContaining(['prompt', 'completion']));
    const sum = shown.charge_lines.reduce((all, { amount }) => all + Number(amount), 0);
    expect(sum).toBeCloseTo(Number(shown.charged), 12);
    expect(shown['text']).toMatchObject({ request: expect.stringContaining('Hello') as string });
    expect((await developer.get(path)).body).toMatchObject({ text: null });
    expect((await viewer.get(`${path}?text=true`)).body).toMatchObject({ text: null });
    // That the gateway's own account is empty is for its operators to know.
    const other = (await developer.get(`accounts/${accountId}/requests/${failed.headers['x-request-id']!}`)).body as object;
    expect(other).toMatchObject({ timeline: [{ provider: 'sandbox', outcome: 'model_unavailable', status: null }], charge_lines: [] });
    expect(JSON.stringify(other)).not.toContain('insufficient_quota');
  });

  it('are shown with their charge, and in files, where a gateway has ended in the middle of one', async () => {
    const { accountId, liveKey } = await gateway.newCustomer();
    const { headers } = await gateway
      .post('completions', { model: 'sandbox-text', prompt: 'Hello', max_tokens: 4, temperature: 0, seed: 1 }, liveKey)
      .expect(200);
    const id = headers['x-request-id']!;
    const path = `accounts/${accountId}/requests`;
    await recordOf(operator, `${path}/${id}`);
    // As the recovery after a crash writes it.
    const unwritten = { duration_ms: null, streamed: null, status: null, client_request_id: null, error_code: null };
    const { db } = gateway.running.app.get(Database);
    await db.deleteFrom('request_record').where('request_id', '=', id).execute();
    await db
      .updateTable('usage')
      .set({ ...unwritten, outcome: 'crashed', provider: null, estimated: 1n, began_at: null, attempts: null, dropped_parameters: null })
      .where('request_id', '=', id)
      .execute();
    const known = { request_id: id, created_at: new Date(requestTime(id)).toISOString(), outcome: 'crashed', model: 'sandbox-text' };
    const shown = { ...known, ...unwritten, charged: expect.any(String) as string, dropped_parameters: [] };
    expect((await operator.get(`requests/${id}`)).body).toMatchObject({ ...shown, attempts: [] });
    expect((await operator.get(`requests?account=${accountId}`)).body).toMatchObject({ data: [{ ...shown, attempts: [] }], next: null });
    expect((await operator.get(path)).body).toMatchObject({ data: [shown], next: null });
    const lines = [{ component: 'prompt' }, { component: 'completion' }];
    expect((await operator.get(`${path}/${id}`)).body).toMatchObject({ ...shown, timeline: [], first_token_ms: null, charge_lines: lines });
    const csv = await operator.get(`${path}.csv`).buffer();
    expect(csv.headers['x-switchyard-rows']).toBe('1');
    expect(csv.text).toContain(`\r\n${id},,${known.created_at},,`);
    expect(csv.text).toContain(',sandbox-text,,,,crashed,,');
    const jsonLines = await operator.get(`${path}.jsonl`).buffer(true).parse(textOf);
    expect(JSON.parse(jsonLines.body as string)).toMatchObject(shown);
  });

  describe('that a provider has failed', () => {
    let upstreams: LoopbackUpstream[];
    let own: Gateway;
    beforeAll(async () => {
      upstreams = await Promise.all([LoopbackUpstream.start(), LoopbackUpstream.start()]);
      upstreams[0]!.replies({ status: 503 });
      upstreams[1]!.replies(chatReply('Hi'));
      // It takes no sampling parameters.
      const m = { pricing: { prompt: 1, completion: 1 }, context_length: 1_000, max_tokens: 100, parameters: [] };
      const [flaky, steady] = upstreams.map(({ origin }) => ({ base_url: `${origin}/v1`, models: { m } }));
      own = await start({ providers: { flaky, steady } });
    });
    afterAll(async () => {
      await own.close();
      await Promise.all(upstreams.map((one) => one.stop()));
    });

    it('are explained with each call, and with the parameters that were dropped', async () => {
      const { accountId, liveKey } = await own.newCustomer();
      const viewer = await Administration.as(own.running, 'viewer', accountId);
      const ownOperator = await Administration.as(own.running, 'operator');
      const body = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], temperature: 0.5, seed: 1 };
      const { headers } = await own.post('chat/completions', body, liveKey).expect(200);
      const id = headers['x-request-id']!;
      await recordOf(viewer, `accounts/${accountId}/requests/${id}`);
      expect((await viewer.get(`accounts/${accountId}/requests/${id}`)).body).toMatchObject({
        timeline: [
          { provider: 'flaky', outcome: 'overloaded', status: 503, first_token_ms: null },
          { provider: 'steady', outcome: 'served', status: null },
        ],
        dropped_parameters: ['temperature', 'seed'],
        error_code: null,
      });
      expect((await ownOperator.get(`requests/${id}`)).body).toMatchObject({
        attempts: [
          { offer: 'flaky/m', outcome: 'overloaded', status: 503 },
          { offer: 'steady/m', outcome: 'served', status: null },
        ],
        dropped_parameters: ['temperature', 'seed'],
      });
    });
  });

  it('say why they failed in the words that the client has read, which name the budget', async () => {
    const { accountId } = await gateway.newCustomer('10');
    const owner = await Administration.as(gateway.running, 'owner', accountId);
    const made = await owner.post(`accounts/${accountId}/keys`, { environment: 'live', rules: { budgets: { day: '0' } } });
    const asked = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello' }] };
    const { headers, body } = await gateway.post('chat/completions', asked, (made.body as { key: string }).key).expect(402);
    const { code, message } = (body as ErrorBody).error;
    expect(message).toContain('the key’s daily budget of 0 credits');
    const path = `requests/${headers['x-request-id']}`;
    await recordOf(operator, path);
    for (const [who, at] of [
      [operator, path],
      [owner, `accounts/${accountId}/${path}`],
    ] as const)
      expect((await who.get(at)).body).toMatchObject({ error_code: code, error_message: message });
    expect((await owner.get(`accounts/${accountId}/requests.csv`).buffer()).text).toContain(message);
  });

  describe('as files', () => {
    it('are complete, in the form that was asked for', async () => {
      const csv = await operator.get(`${account}/requests.csv`).buffer();
      expect([csv.status, csv.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
      expect(csv.headers['content-disposition']).toBe('attachment; filename="requests.csv"');
      expect(csv.headers['x-switchyard-rows']).toBe('1200');
      const [head, ...lines] = csv.text.trimEnd().split('\r\n');
      expect(head!.split(',').slice(0, 3)).toEqual(['request_id', 'client_request_id', 'created_at']);
      expect(head!.split(',').at(-1)).toBe('contradictory');
      const all = await walk();
      expect(lines.map((line) => line.split(',')[0])).toEqual(all.map(({ request_id }) => request_id));
      expect(csv.text).toContain(",'=two,");
      const jsonl = await operator.get(`${account}/requests.jsonl?model=one`).buffer(true).parse(textOf);
      const parsed = (jsonl.body as string)
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Listed);
      expect(parsed).toEqual(await walk('model=one'));
      expect(jsonl.headers['x-switchyard-rows']).toBe('600');
    });

    it('have no line, or only their head, where there is nothing', async () => {
      expect((await operator.get(`${account}/requests.csv?model=none`).buffer()).text.split('\r\n')).toHaveLength(2);
      const nothing = await operator.get(`${account}/requests.jsonl?model=none`);
      expect([nothing.status, nothing.headers['x-switchyard-rows']]).toEqual([200, '0']);
    });

    it('are read no faster than the client reads, and stop when it leaves', async () => {
      const page = await gateway.running.app.get(RequestHistories).list({ accountId: seeded.accountId, limit: 500 });
      // A history without end: what is not read fills the buffers of both ends.
      const pages = jest.spyOn(RequestHistories.prototype, 'list').mockResolvedValue(page);
      const quiet = async (): Promise<number> => {
        for (let before = -1; before !== pages.mock.calls.length;) {
          before = pages.mock.calls.length;
          for (let turn = 0; turn < 1_000; turn++) await nextTurn();
        }
        return pages.mock.calls.length;
      };
      const { incoming, leave } = await open(`${account}/requests.jsonl`);
      incoming.pause();
      await until(() => pages.mock.calls.length > 0, 'the first page');
      const unread = await quiet();
      leave();
      await until(() => incoming.destroyed, 'the end');
      expect(await quiet()).toBeLessThanOrEqual(unread + 1);
      pages.mockRestore();
    });

    it('have room in the budget of answers until their end, or are refused', async () => {
      const budget = gateway.running.app.get(AnswerBudget);
      await until(() => budget.used === 0, 'the end of others');
      const others = new ByteClaim(budget, seeded.accountId);
      others.resize(budget.limit / 2);
      const refused = await operator.get(`${account}/requests.csv`);
      expectEnvelope(refused, 503, 'service_unavailable');
      expect(refused.text).toContain('server.answer_budget');
      others.release();
      const histories = gateway.running.app.get(RequestHistories);
      const counted = Promise.withResolvers<number>();
      const counts = jest.spyOn(histories, 'count').mockReturnValueOnce(counted.promise);
      const claims = jest.spyOn(budget, 'resize');
      // One leaves before it begins.
      const left = open(`${account}/requests.csv`, (leave) => until(() => counts.mock.calls.length > 0, 'the count').then(leave));
      await expect(left).rejects.toThrow('socket hang up');
      counted.resolve(1);
      await until(() => claims.mock.calls.length > 0, 'the claim');
      await until(() => budget.used === 0, 'all is given back');
      const { incoming } = await open(`${account}/requests.csv`);
      expect(budget.heldBy(seeded.accountId)).toBeGreaterThan(500_000);
      incoming.resume();
      await until(() => budget.used === 0, 'all is given back');
      for (const spy of [counts, claims]) spy.mockRestore();
    });

    it('cannot look complete where the store fails', async () => {
      const page = await gateway.running.app.get(RequestHistories).list({ accountId: seeded.accountId, limit: 500 });
      expect(page).toHaveLength(500);
      const reading = jest
        .spyOn(RequestHistories.prototype, 'list')
        .mockResolvedValueOnce(page)
        .mockRejectedValueOnce(new Error('the store is away'));
      const { incoming } = await open(`${account}/requests.csv`);
      incoming.resume();
      const ending = await new Promise((resolve) => {
        incoming.once('end', () => resolve('complete'));
        incoming.once('error', () => resolve('broken'));
      });
      expect(ending).toBe('broken');
      reading.mockRestore();
    });

    const open = (
      path: string,
      sent: (leave: () => void) => unknown = () => undefined,
    ): Promise<{ incoming: IncomingMessage; leave: () => void }> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${operator.token}` };
        const outgoing = httpGet(`${gateway.url}/admin/v1/${path}`, { headers }, (incoming) =>
          resolve({ incoming, leave: () => outgoing.destroy() }),
        );
        outgoing.on('error', reject);
        sent(() => outgoing.destroy());
      });
  });
});

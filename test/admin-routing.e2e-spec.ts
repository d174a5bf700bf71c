import { LivePerformance } from '../src/catalogue/live-performance.js';
import { Database } from '../src/database/database.js';
import { OpenRequests } from '../src/http/server/open-requests.js';
import { Gateways } from '../src/observability/gateways.js';
import { Administration } from './support/administration.js';
import { describeGateways, describeSharedGateways } from './support/describe-gateways.js';
import { expectEnvelope } from './support/expect-envelope.js';
import type { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { useUpstream } from './support/started.js';
import { until } from './support/until.js';

interface Tryout {
  readonly strategy: string;
  readonly routes: {
    readonly provider: string;
    readonly reason: string;
    readonly expected_cost: string;
    readonly skipped: string | null;
  }[];
  readonly excluded: { readonly provider: string; readonly reason: string }[];
  readonly held: { readonly amount: string; readonly max_tokens: number } | null;
  readonly refusal: { readonly code: string } | null;
}

describeGateways('What operators ask about routing', (start) => {
  let gateway: Gateway;
  let operator: Administration;
  const offer = (prompt: number) => ({
    m: { pricing: { prompt, completion: prompt }, context_length: 10_000, max_tokens: 1_000, capabilities: { chat: true, vision: false } },
  });

  const upstream = useUpstream();
  beforeAll(async () => {
    upstream.replies(chatReply('Hello'));
    const answering = { base_url: `${upstream.origin}/v1`, models: { both: offer(1).m } };
    gateway = await start({
      // Nobody listens there: what is tried is not sent.
      providers: {
        dear: { base_url: 'http://127.0.0.1:9/v1', models: offer(2) },
        cheap: { base_url: 'http://127.0.0.1:9/v1', models: offer(1) },
        off: { base_url: 'http://127.0.0.1:9/v1', models: offer(1) },
        one: answering,
        two: answering,
      },
    });
    operator = await Administration.as(gateway.running, 'operator');
    await operator.post('models/m/disable', { provider: 'off', message: 'Moving house' }).expect(200);
  });
  afterAll(() => gateway.close());

  const request = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 };
  const attempt = (body: object, headers: Record<string, string> = {}) => operator.post('routing/try', { request, ...body }).set(headers);
  const tried = async (body: object = {}, headers: Record<string, string> = {}): Promise<Tryout> =>
    (await attempt(body, headers).expect(200)).body as Tryout;
  it('are the offers in the order in which they would be asked, with reasons, those that would not be, and what is held', async () => {
    const { strategy, routes, excluded, held, refusal } = await tried();
    expect([strategy, refusal]).toEqual(['priority', null]);
    expect(routes.map(({ provider, skipped }) => [provider, skipped])).toEqual([
      ['dear', null],
      ['cheap', null],
    ]);
    expect(routes[0]!.reason).toContain('order of preference');
    expect(Number(routes[0]!.expected_cost)).toBe(2 * Number(routes[1]!.expected_cost));
    expect(excluded).toEqual([{ provider: 'off', upstream_model: 'm', reason: expect.stringContaining('Moving house') as string }]);
    // At the dearer of both, for at least as many tokens as were asked for.
    expect(held!.max_tokens).toBe(10);
    expect(Number(held!.amount)).toBeGreaterThanOrEqual((10 * 2) / 1_000);
  });

  it('follow the headers and the strategy', async () => {
    const cheapest = await tried({}, { 'x-switchyard-strategy': 'cheapest' });
    expect(cheapest.routes.map(({ provider }) => provider)).toEqual(['cheap', 'dear']);
    const one = await tried({}, { 'x-switchyard-without-providers': 'dear' });
    expect(one.routes.map(({ provider }) => provider)).toEqual(['cheap']);
    expect(one.excluded.map(({ provider }) => provider)).toEqual(['dear', 'off']);
    expectEnvelope(await attempt({}, { 'x-switchyard-strategy': 'none' }), 400, 'invalid_request');
  });

  it('follow the rules of an account, or of a key', async () => {
    const { accountId, liveKey } = await gateway.newCustomer();
    await operator.patch(`accounts/${accountId}`, { rules: { providers: { deny: ['dear'] } } }).expect(200);
    const { routes, excluded } = await tried({ account: accountId });
    expect(routes.map(({ provider }) => provider)).toEqual(['cheap']);
    expect(excluded).toContainEqual(expect.objectContaining({ provider: 'dear', reason: 'The rules do not allow it.' }));
    const { body } = await operator.get(`accounts/${accountId}/keys`);
    const key = (body as { data: { id: string; environment: string }[] }).data.find(({ environment }) => environment === 'live')!.id;
    expect((await tried({ key })).routes).toEqual(routes);
    await operator.patch(`accounts/${accountId}`, { rules: { models: { deny: ['m'] } } }).expect(200);
    await until(async () => (await tried({ key })).refusal !== null, 'the rules');
    expect(await tried({ account: accountId })).toMatchObject({ routes: [], held: null, refusal: { code: 'model_not_found' } });
    expectEnvelope(await attempt({ account: 'acct_none' }), 404, 'not_found');
    expectEnvelope(await attempt({ key: liveKey }), 404, 'not_found');
    expectEnvelope(await attempt({ account: gateway.customer.accountId, key }), 400, 'invalid_request');
  });

  it('say why a request would be refused, and refuse what is none', async () => {
    const image = { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] };
    const vision = await tried({ request: { ...request, messages: [image] } });
    expect(vision).toMatchObject({ routes: [], refusal: { code: 'unsupported_parameter' } });
    expect(vision.excluded).toHaveLength(3);
    expectEnvelope(await attempt({ request: { ...request, model: 'none' } }), 404, 'model_not_found');
    expectEnvelope(await attempt({ request: { ...request, temperature: 'hot' } }), 400, 'invalid_request');
    expectEnvelope(await attempt({ request: undefined }), 400, 'invalid_request');
  });

  it('send, hold and count nothing', async () => {
    const { accountId, liveKey } = gateway.customer;
    for (let time = 0; time < 3; time++) await tried({ account: accountId });
    expect(await gateway.held(gateway.customer)).toBe(0n);
    const { body } = await operator.get('offers?model=m');
    for (const { this_process } of (body as { data: { this_process: { attempts: number } }[] }).data) expect(this_process.attempts).toBe(0);
    expect(liveKey).toBeDefined();
  });

  it('have their errors in groups, and the share of the traffic of each offer', async () => {
    const { liveKey, accountId } = await gateway.newCustomer();
    const completion = { model: 'sandbox-text', prompt: 'Hello', max_tokens: 2 };
    await gateway.post('completions', completion, liveKey).expect(200);
    for (let time = 0; time < 3; time++) await gateway.post('completions', { ...completion, model: 'sandbox-overloaded' }, liveKey);
    await gateway.post('completions', { ...completion, model: 'none' }, liveKey).expect(404);
    interface Errors {
      readonly data: { readonly id: string; readonly code: string; readonly requests: number; readonly last_request_id: string }[];
    }
    const errors = async (query: string) => (await operator.get(`errors?${query}`).expect(200)).body as Errors;
    const own = () => errors(`account=${accountId}`);
    await until(async () => (await own()).data.reduce((sum, { requests }) => sum + requests, 0) === 4, 'the records');
    expect((await own()).data).toMatchObject([
      { code: 'model_overloaded', model: 'sandbox-overloaded', provider: 'sandbox', outcome: 'overloaded', requests: 3, accounts: 1 },
      { code: 'model_not_found', model: 'none', provider: null, outcome: null, requests: 1 },
    ]);
    for (const { id, requests, code } of (await own()).data) {
      const { body } = await operator.get(`requests?account=${accountId}&error_group=${id}`).expect(200);
      const one = { error_code: code, account_name: expect.stringMatching(/^Customer/) as string };
      expect((body as Errors).data).toEqual(Array.from({ length: requests }, () => expect.objectContaining(one) as unknown));
    }
    expectEnvelope(await operator.get('requests?error_group=none'), 400, 'invalid_request');
    await operator.get(`requests/${(await own()).data[0]!.last_request_id}`).expect(200);
    expect((await errors('limit=1')).data).toHaveLength(1);
    expect((await errors(`from=${new Date(Date.now() + 60_000).toISOString()}`)).data).toEqual([]);
    expectEnvelope(await operator.get('errors?from=2020-01-01T00:00:00Z'), 400, 'invalid_request');
    await gateway.running.app.get(LivePerformance).share();
    const { body } = await operator.get('offers?model=sandbox-text');
    expect(body).toMatchObject({ data: [{ traffic: { calls: 1, share: 1 } }] });
    expect((await operator.get('offers?model=sandbox-chat')).body).toMatchObject({ data: [{ traffic: { calls: 0, share: null } }] });
  });

  it('have the share of each of several offers, which come to all of the traffic', async () => {
    const { liveKey } = await gateway.newCustomer();
    const ask = (provider: string) =>
      gateway
        .post('chat/completions', { ...request, model: 'both' }, liveKey)
        .set('x-switchyard-providers', provider)
        .expect(200);
    for (const provider of ['one', 'two', 'one', 'one']) await ask(provider);
    await gateway.running.app.get(LivePerformance).share();
    const { body } = await operator.get('offers?model=both');
    const { data } = body as { data: { provider: string; traffic: { calls: number; share: number } }[] };
    expect(data.map(({ provider, traffic }) => [provider, traffic.calls, traffic.share])).toEqual([
      ['one', 3, 0.75],
      ['two', 1, 0.25],
    ]);
  });
});

interface Listed {
  readonly data: { readonly id: string; readonly alive: boolean; readonly this_process: boolean; readonly open_requests: number }[];
}

describeGateways('A gateway alone', (start) => {
  it('lists itself, with its open requests', async () => {
    const gateway = await start();
    const operator = await Administration.as(gateway.running, 'operator');
    const list = async () => ((await operator.get('gateways').expect(200)).body as Listed).data.filter(({ alive }) => alive);
    await until(async () => (await list()).length === 1, 'the row');
    expect(await list()).toMatchObject([
      { pid: process.pid, version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string, this_process: true, open_requests: 1 },
    ]);
    expect(gateway.running.app.get(OpenRequests).size).toBe(0);
    await gateway.close();
  });
});

describeSharedGateways('Several gateways', (start) => {
  it('list each other, also one that has died, and not one that has ended', async () => {
    const [one, two] = [await start(), await start()];
    const operator = await Administration.as(one.running, 'operator');
    const list = async () => ((await operator.get('gateways').expect(200)).body as Listed).data;
    await until(async () => (await list()).length === 2, 'both');
    expect((await list()).every(({ alive }) => alive)).toBe(true);
    expect((await list()).filter(({ this_process }) => this_process)).toHaveLength(1);
    const { db } = one.running.app.get(Database);
    const dead = { host: 'there', pid: 1, version: '0.0.1', open_requests: 3 };
    const now = Date.now();
    const rows = [
      { ...dead, id: 'dead', started_at: now - 100_000, seen_at: now - 90_000 },
      { ...dead, id: 'long dead', started_at: 1, seen_at: now - 2 * 3_600_000 },
    ];
    await db.insertInto('gateway').values(rows).execute();
    expect((await list()).find(({ id }) => id === 'dead')).toMatchObject({ alive: false, open_requests: 3 });
    await two.close();
    expect((await list()).filter(({ alive }) => alive)).toMatchObject([{ this_process: true }]);
    // The next beat forgets what is long gone.
    one.running.app.get(Gateways).onApplicationBootstrap();
    await until(async () => (await list()).every(({ id }) => id !== 'long dead'), 'the end of the row');
    await one.close();
  });
});

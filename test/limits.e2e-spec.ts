import { setTimeout as delay } from 'node:timers/promises';
import request, { type Response } from 'supertest';
import { AccountStore } from '../src/auth/account-store.js';
import { ApiKeyStore } from '../src/auth/api-key-store.js';
import { ProjectStore } from '../src/auth/project-store.js';
import type { RulesDto } from '../src/auth/rules/rules.dto.js';
import { ManualClock } from '../src/common/testing/manual-clock.js';
import { Metrics } from '../src/observability/metrics.js';
import type { Reply } from '../src/providers/testing/loopback-upstream.js';
import { describeGateways } from './support/describe-gateways.js';
import { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { expectError } from './support/wire-schemas.js';

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const json = { 'content-type': 'application/json' };
const answered: Reply = chatReply('yes', usage);
const chunk = { choices: [{ index: 0, delta: { role: 'assistant', content: 'yes' }, finish_reason: null }] };
const event = `data: ${JSON.stringify(chunk)}\n\n`;
const rest = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}\n\ndata: [DONE]\n\n`;
const streamed = { 'content-type': 'text/event-stream' };
const body = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 };

type Settings = NonNullable<Parameters<typeof Gateway.start>[0]>;

/** What can come at once comes once in 20 s or slower: no slow machine sees any of it come back within a spec. */
const slow = { burst_seconds: 60 };

const specs = (start: (settings?: Settings, clock?: ManualClock) => Promise<Gateway>): void => {
  const clock = ManualClock.running();

  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const models = { m: { pricing: { prompt: 0, completion: 0.001 }, context_length: 8000, max_tokens: 1000 } };
    const settings = {
      store: { keep_responses: true },
      routing: { retries: 0 },
      providers: { p: { base_url: `${upstream.origin}/v1`, models } },
    };
    return start(settings, clock);
  });
  beforeEach(() =>
    upstream.replies(({ body: asked }) => (asked.includes('"stream":true') ? { headers: streamed, body: event + rest } : answered)),
  );

  const app = () => gateway.running.app;
  const keys = () => app().get(ApiKeyStore);
  const ask = (key: string, more: object = {}): Promise<Response> =>
    gateway.post('chat/completions', { ...body, ...more }, key).then((given) => given);

  /** A key with rules, of a customer of its own or a given account. */
  async function keyWith(rules: RulesDto, of: { accountId?: string; projectId?: string } = {}): Promise<string> {
    const { accountId = (await gateway.newCustomer()).accountId, projectId } = of;
    return (await keys().create({ accountId, projectId, environment: 'live', rules })).key;
  }

  /** What the headers say of requests or tokens. */
  const told = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }, kind: 'requests' | 'tokens') => ({
    limit: Number(headers[`x-ratelimit-limit-${kind}`]),
    remaining: Number(headers[`x-ratelimit-remaining-${kind}`]),
    reset: String(headers[`x-ratelimit-reset-${kind}`]),
  });

  function expectLimited(response: Response, message: string): number {
    expectError(response, 429, 'rate_limit_exceeded');
    expect((response.body as { error: { message: string } }).error.message).toContain(message);
    const seconds = Number(response.headers['retry-after']);
    expect(Number.isInteger(seconds) && seconds >= 1).toBe(true);
    return seconds;
  }

  it('of requests are told with every answer, and refuse exactly where nothing remains', async () => {
    const key = await keyWith({ requests_per_minute: 3, ...slow });
    for (const remaining of [2, 1, 0]) {
      const response = await ask(key);
      expect(response.status).toBe(200);
      expect(told(response, 'requests')).toMatchObject({ limit: 3, remaining });
      expect(told(response, 'requests').reset).toMatch(/^(\d+m)?[\d.]+s$/);
      expect(response.headers['x-ratelimit-limit-tokens']).toBeUndefined();
    }
    const refused = await ask(key);
    expect(expectLimited(refused, 'The limit of this API key is reached: 3 requests per minute')).toBeLessThanOrEqual(20);
    expect(told(refused, 'requests')).toMatchObject({ limit: 3, remaining: 0 });
    expect(upstream.requests).toHaveLength(3);
    expect(await app().get(Metrics).text()).toContain('switchyard_limit_refusals_total{limit="requests",subject="key"} 1');
  });

  it('are told with streams', async () => {
    const key = await keyWith({ requests_per_minute: 2, tokens_per_minute: 6_000, ...slow });
    const stream = await gateway.stream('chat/completions', body, { key });
    await stream.text();
    const { headers } = stream;
    expect(told({ headers }, 'requests')).toMatchObject({ limit: 2, remaining: 1 });
    expect(told({ headers }, 'tokens').limit).toBe(6_000);
    await ask(key);
    expectLimited(await ask(key, { stream: true }), '2 requests per minute');
  });

  it('are not told where there are none', async () => {
    const response = await ask(gateway.customer.liveKey);
    expect(Object.keys(response.headers as object).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });

  it('let in who waits as long as retry-after says', async () => {
    // PostgreSQL has a clock of its own.
    const pass = gateway.running.config.store.database_url ? delay : (ms: number) => clock.advance(ms);
    const key = await keyWith({ requests_per_minute: 15, burst_seconds: 1 });
    expect((await ask(key)).status).toBe(200);
    for (let round = 0; round < 2; round++) {
      await pass(expectLimited(await ask(key), '15 requests per minute') * 1000);
      expect((await ask(key)).status).toBe(200);
    }
  });

  it('of tokens are taken by the worst case, and what was not used is given back', async () => {
    const key = await keyWith({ tokens_per_minute: 3_000, ...slow });
    const began = performance.now();
    const first = told(await ask(key, { max_tokens: 900 }), 'tokens');
    expect(first.limit).toBe(3_000);
    expect(first.remaining).toBeLessThanOrEqual(2_100);
    const second = told(await ask(key, { max_tokens: 900 }), 'tokens');
    const back = first.remaining - usage.total_tokens;
    expect(second.remaining).toBeGreaterThanOrEqual(back);
    expect(second.remaining).toBeLessThanOrEqual(back + ((performance.now() - began) * 3_000) / 60_000 + 1);
  });

  it.each([
    ['fails', { status: 500, headers: json, body: '{"error":{"message":"no"}}' } satisfies Reply, 503],
    ['refuses', { status: 400, headers: json, body: '{"error":{"message":"no"}}' } satisfies Reply, 400],
  ])('give tokens back and keep the request where the provider %s', async (_name, reply, status) => {
    const key = await keyWith({ requests_per_minute: 3, tokens_per_minute: 3_000, ...slow });
    upstream.replies(reply);
    const failed = await ask(key, { max_tokens: 900 });
    expect(failed.status).toBe(status);
    expect(told(failed, 'requests').remaining).toBe(2);
    upstream.replies(answered);
    const response = await ask(key, { max_tokens: 900 });
    expect(told(response, 'requests').remaining).toBe(1);
    expect(told(response, 'tokens').remaining).toBeGreaterThanOrEqual(told(failed, 'tokens').remaining);
  });

  it('give tokens back and keep the request where credits are missing', async () => {
    const { accountId } = await gateway.newCustomer('0');
    const key = await keyWith({ requests_per_minute: 3, tokens_per_minute: 3_000, ...slow }, { accountId });
    const responses = [await ask(key, { max_tokens: 900 }), await ask(key, { max_tokens: 900 })];
    for (const response of responses) expectError(response, 402, 'insufficient_credits');
    expect(responses.map((response) => told(response, 'requests').remaining)).toEqual([2, 1]);
    expect(told(responses[1]!, 'tokens').remaining).toBeGreaterThanOrEqual(told(responses[0]!, 'tokens').remaining);
  });

  it('count nothing that is refused before, and no repetition of an answer', async () => {
    const key = await keyWith({ requests_per_minute: 3, ...slow });
    expectError(await ask(key, { model: 'none' }), 404, 'model_not_found');
    expectError(await ask(key, { temperature: 9 }), 400, 'invalid_request');
    const once = () =>
      gateway
        .post('chat/completions', body, key)
        .set('idempotency-key', 'one')
        .then((given) => given);
    expect(told(await once(), 'requests').remaining).toBe(2);
    await until(async () => (await once()).headers['idempotent-replayed'] === 'true', 'the kept answer');
    expect(told(await ask(key), 'requests').remaining).toBe(1);
  });

  it('admit a request that is larger than the burst when nothing was used, into debt', async () => {
    const key = await keyWith({ tokens_per_minute: 600, burst_seconds: 10 });
    upstream.replies({ headers: streamed, body: event, ending: 'stall' });
    const large = { max_tokens: 700 };
    const stream = await gateway.stream('chat/completions', { ...body, ...large }, { key });
    expect(told(stream, 'tokens').remaining).toBe(0);
    expect(expectLimited(await ask(key), '600 tokens per minute, of which 0 are left')).toBeGreaterThan(50);
    stream.leave();
    upstream.replies(answered);
    await until(async () => (await ask(key, large)).status === 200, 'what the stream has not used');
  });

  it('of concurrency hold for open requests, and free a place when one has ended or its client has left', async () => {
    const key = await keyWith({ concurrency: 2 });
    upstream.replies({ headers: streamed, body: event, ending: 'stall' });
    const open = await Promise.all([1, 2].map(() => gateway.stream('chat/completions', body, { key })));
    expectLimited(await ask(key), 'The concurrency limit of this API key is reached: at most 2 requests');
    open[0]!.leave();
    upstream.replies(answered);
    await until(async () => (await ask(key)).status === 200, 'a place');
    // It has ended, and its place is there for the next one.
    for (let round = 0; round < 5; round++) expect((await ask(key)).status).toBe(200);
    open[1]!.leave();
  });

  it('of a project and an account are counted for all of their keys together', async () => {
    const { accountId } = await gateway.newCustomer();
    const projectId = (
      await app()
        .get(ProjectStore)
        .create({ accountId, name: 'one', rules: { requests_per_minute: 2, ...slow } })
    ).id;
    await app()
      .get(AccountStore)
      .change(accountId, { rules: { requests_per_minute: 3, ...slow } });
    const [one, two] = [
      await keyWith({}, { accountId, projectId }),
      await keyWith({ requests_per_minute: 30, ...slow }, { accountId, projectId }),
    ];
    const outside = await keyWith({}, { accountId });
    expect(told(await ask(one), 'requests')).toMatchObject({ limit: 2, remaining: 1 });
    expect(told(await ask(two), 'requests')).toMatchObject({ limit: 2, remaining: 0 });
    expectLimited(await ask(one), 'The limit of this project is reached: 2 requests');
    expect(told(await ask(outside), 'requests')).toMatchObject({ limit: 3, remaining: 0 });
    expectLimited(await ask(outside), 'The limit of this account is reached: 3 requests');
    // Nothing is left of either, and the store may be asked about one of them only.
    expectLimited(await ask(two), 'The limit of this ');
  });

  const together = async (of: 'project' | 'account', rules: RulesDto) => {
    const { accountId } = await gateway.newCustomer();
    const inProject = of === 'project';
    const { id } = await app()
      .get(ProjectStore)
      .create({ accountId, name: 'one', rules: inProject ? rules : {} });
    if (!inProject) await app().get(AccountStore).change(accountId, { rules });
    const projectId = inProject ? id : undefined;
    return [await keyWith({}, { accountId, projectId }), await keyWith({}, { accountId, projectId })] as const;
  };

  it.each(['project', 'account'] as const)('of tokens of a %s are counted for all of its keys together', async (of) => {
    const [one, two] = await together(of, { tokens_per_minute: 600, ...slow });
    const used = { prompt_tokens: 7, completion_tokens: 393, total_tokens: 400 };
    upstream.replies({ ...answered, body: answered.body!.toString().replace(JSON.stringify(usage), JSON.stringify(used)) });
    expect((await ask(one, { max_tokens: 400 })).status).toBe(200);
    expectLimited(await ask(two, { max_tokens: 400 }), `The limit of this ${of} is reached: 600 tokens per minute`);
    expect((await ask(await keyWith({}), { max_tokens: 400 })).status).toBe(200);
  });

  it.each(['project', 'account'] as const)('of concurrency of a %s are counted for all of its keys together', async (of) => {
    const [one, two] = await together(of, { concurrency: 1 });
    upstream.replies({ headers: streamed, body: event, ending: 'stall' });
    const open = await gateway.stream('chat/completions', body, { key: one });
    expectLimited(await ask(two), `The concurrency limit of this ${of} is reached: at most 1`);
    open.leave();
    upstream.replies(answered);
    await until(async () => (await ask(two)).status === 200, 'the place');
  });

  it('are those of a key and its successor together', async () => {
    const { accountId } = await gateway.newCustomer();
    const { apiKey, key } = await keys().create({ accountId, environment: 'live', rules: { requests_per_minute: 2, ...slow } });
    expect(told(await ask(key), 'requests').remaining).toBe(1);
    const successor = await keys().rotate(apiKey.id, 600_000);
    expect(told(await ask(successor!.key), 'requests').remaining).toBe(0);
    expectLimited(await ask(key), 'The limit of this API key');
  });

  const prompt = { model: 'm', messages: body.messages };
  const free: readonly [string, (key: string) => Promise<Response>][] = [
    ['count_tokens', (key) => gateway.post('messages/count_tokens', prompt, key).then((given) => given)],
    ['the list of models', (key) => gateway.get('models', key).then((given) => given)],
    ['a model', (key) => gateway.get('models/m', key).then((given) => given)],
    ['a stored response', (key) => gateway.get('responses/resp_none', key).then((given) => given)],
    ['the events of one', (key) => gateway.get('responses/resp_none?stream=true', key).then((given) => given)],
    ['its input', (key) => gateway.get('responses/resp_none/input_items', key).then((given) => given)],
    ['its deletion', (key) => request(gateway.url).delete('/v1/responses/resp_none').set('authorization', `Bearer ${key}`)],
    ['its cancellation', (key) => gateway.post('responses/resp_none/cancel', {}, key).then((given) => given)],
  ];

  const expectBusy = ({ status, text }: Response): void => {
    expect(status).toBe(429);
    expect(text).toContain('at most 1 requests at the same time');
  };

  it.each(free)('of requests count %s, which is free, with all others', async (_what, send) => {
    const key = await keyWith({ requests_per_minute: 2, ...slow });
    expect((await ask(key)).status).toBe(200);
    const answer = await send(key);
    expect(answer.status).not.toBe(429);
    expect(told(answer, 'requests')).toMatchObject({ limit: 2, remaining: 0 });
    const refused = await send(key);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expectLimited(await ask(key), '2 requests per minute');
  });

  it('refuse count_tokens in the format of its clients', async () => {
    const key = await keyWith({ requests_per_minute: 1, ...slow });
    const [, count] = free[0]!;
    await count(key);
    expect((await count(key)).body).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
  });

  it('of concurrency let a response in the background be followed beside it, by as many, and cancelled', async () => {
    const key = await keyWith({ concurrency: 1 });
    upstream.replies({ headers: streamed, body: event, ending: 'stall' });
    const begun = await gateway.post('responses', { model: 'm', input: 'Hello', background: true }, key).expect(200);
    const { id } = begun.body as { id: string };
    expectLimited(await ask(key), 'at most 1 requests at the same time');
    const left = new AbortController();
    const headers = { authorization: `Bearer ${key}` };
    const followed = await fetch(`${gateway.url}/v1/responses/${id}?stream=true`, { headers, signal: left.signal });
    expect(followed.status).toBe(200);
    for (const [, send] of free) expectBusy(await send(key));
    left.abort();
    await until(async () => (await gateway.get(`responses/${id}`, key)).status === 200, 'the place of who has left');
    await gateway.post(`responses/${id}/cancel`, {}, key).expect(200);
    upstream.replies(answered);
    await until(async () => (await ask(key)).status === 200, 'the place of the response');
  });

  it('change while the gateway runs, and what was used stays used', async () => {
    const { accountId } = await gateway.newCustomer();
    const { apiKey, key } = await keys().create({ accountId, environment: 'live', rules: { requests_per_minute: 5, ...slow } });
    for (let sent = 0; sent < 3; sent++) await ask(key);
    await keys().change(apiKey.id, { rules: { requests_per_minute: 3, ...slow } });
    expect(told(await ask(key), 'requests')).toMatchObject({ limit: 3, remaining: 1 });
    await keys().change(apiKey.id, { rules: {} });
    expect((await ask(key)).headers['x-ratelimit-limit-requests']).toBeUndefined();
  });
};

describeGateways('Limits', specs);

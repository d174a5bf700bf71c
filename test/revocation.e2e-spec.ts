import { ApiKeyStore } from '../src/auth/api-key-store.js';
import { ManualClock } from '../src/common/testing/manual-clock.js';
import { OpenRequests } from '../src/http/server/open-requests.js';
import { Administration } from './support/administration.js';
import { describeGateways } from './support/describe-gateways.js';
import type { OpenStream } from './support/event-stream.js';
import { payloadsOf } from './support/event-stream.js';
import { expectEnvelope } from './support/expect-envelope.js';
import type { Gateway } from './support/gateway.js';
import { open, readAnswer } from './support/raw-socket.js';
import { useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { expectError } from './support/wire-schemas.js';

const CREDIT = 1_000_000_000n;
const chunk = { choices: [{ index: 0, delta: { role: 'assistant', content: 'one two three' }, finish_reason: null }] };
const event = `data: ${JSON.stringify(chunk)}\n\n`;
const messages = [{ role: 'user', content: 'Hello' }];
const body = { model: 'm', messages, max_tokens: 10 };

describeGateways('A key that ends', (start) => {
  const clock = ManualClock.running();
  let gateway: Gateway;
  /** Where keys are revoked: on PostgreSQL another gateway. */
  let elsewhere: Gateway;

  const upstream = useUpstream();
  beforeAll(async () => {
    const settings = {
      routing: { max_concurrency: 3, retries: 0 },
      providers: {
        p: {
          base_url: `${upstream.origin}/v1`,
          models: { m: { pricing: { prompt: 0, completion: 1 }, context_length: 8000, max_tokens: 100 } },
        },
      },
    };
    gateway = await start(settings, clock);
    elsewhere = gateway.running.config.store.database_url ? await start(settings) : gateway;
  });
  afterAll(async () => {
    await gateway.close();
    if (elsewhere !== gateway) await elsewhere.close();
  });

  const keys = (): ApiKeyStore => elsewhere.running.app.get(ApiKeyStore);

  /** A customer with a key that can be revoked, which the gateway knows. */
  async function newKey(expiresAt?: number) {
    const customer = await gateway.newCustomer('1');
    const { apiKey, key } = await keys().create({ accountId: customer.accountId, environment: 'live', expiresAt });
    await until(async () => (await gateway.get('models', key)).status === 200, 'the key is known');
    return { customer, key, revoke: () => keys().revoke(apiKey.id) };
  }

  async function streamWith(key: string): Promise<OpenStream> {
    const stream = await gateway.stream('chat/completions', body, { key });
    expect(await stream.next()).toMatchObject(chunk);
    return stream;
  }

  const idle = { headers: { 'content-type': 'text/event-stream' }, body: event, ending: 'stall' as const };

  it('ends its streams with an error event, closes the provider’s connection, and charges what was delivered', async () => {
    upstream.replies(idle);
    const { customer, key, revoke } = await newKey();
    const stream = await streamWith(key);
    const revoked = performance.now();
    await revoke();
    const payloads = payloadsOf(await stream.text());
    expect(performance.now() - revoked).toBeLessThan(10_000);
    expect(JSON.parse(payloads.at(-1)!)).toEqual({
      error: { message: 'Invalid API key provided', type: 'authentication_error', code: 'invalid_api_key' },
    });
    await upstream.requests[0]!.closed;
    const [row] = await gateway.usage(1, customer);
    expect(row!.completion_tokens).toBeGreaterThan(0);
    expect(await gateway.balance(customer)).toBeLessThan(CREDIT);
    expect(await gateway.held(customer)).toBe(0n);
  });

  it('ends a request that is not streamed with 401', async () => {
    upstream.replies({ ending: 'silent' });
    const { key, revoke } = await newKey();
    const asked = upstream.nextRequest();
    const answer = gateway.post('chat/completions', body, key).then((given) => given);
    const { closed } = await asked;
    await revoke();
    expectError(await answer, 401, 'invalid_api_key');
    await closed;
  });

  it('ends requests that wait for a place at the provider', async () => {
    upstream.replies({ ending: 'silent' });
    const { key, revoke } = await newKey();
    const answers = Array.from({ length: 5 }, () => gateway.post('chat/completions', body, key).then((given) => given));
    await until(() => upstream.requests.length === 3 && gateway.running.app.get(OpenRequests).size === 5, 'three asked, two in the queue');
    await revoke();
    for (const answer of await Promise.all(answers)) expectError(answer, 401, 'invalid_api_key');
    expect(upstream.requests).toHaveLength(3);
  });

  it('does not begin a request whose body comes only then', async () => {
    upstream.replies(idle);
    const { customer, key, revoke } = await newKey();
    const json = JSON.stringify(body);
    const socket = await open(gateway.running.port);
    const head = `Host: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n`;
    socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${head}${json.slice(0, 5)}`);
    await until(() => gateway.running.app.get(OpenRequests).size === 1, 'the head');
    await revoke();
    await until(async () => (await gateway.get('models', key)).status === 401, 'the end of the key');
    socket.write(json.slice(5));
    expectEnvelope(await readAnswer(socket), 401, 'invalid_api_key');
    socket.destroy();
    expect(upstream.requests).toHaveLength(0);
    expect(await gateway.balance(customer)).toBe(CREDIT);
  });

  it('leaves other keys of the account alone', async () => {
    upstream.replies(idle);
    const { customer, key, revoke } = await newKey();
    const [ends, stays] = await Promise.all([streamWith(key), streamWith(customer.liveKey)]);
    await revoke();
    await ends.text();
    const { apiKey } = await keys().create({ accountId: customer.accountId, environment: 'live' });
    await keys().revoke(apiKey.id);
    await until(async () => (await gateway.get('models', key)).status === 401, 'the end of the key');
    expect(stays.received).not.toContain('error');
    stays.leave();
  });

  it.each(['suspend', 'delete'] as const)('ends with its account by %s, whose books stay', async (verb) => {
    upstream.replies(idle);
    const { customer, key } = await newKey();
    const operator = await Administration.as(elsewhere.running, 'operator');
    const [viewer, developer] = await Promise.all(
      (['viewer', 'developer'] as const).map((role) => Administration.as(gateway.running, role, customer.accountId)),
    );
    const path = `accounts/${customer.accountId}`;
    const change = (what: string) => (what === 'delete' ? operator.delete(path) : operator.post(`${path}/${what}`));
    const streams = await Promise.all([streamWith(key), streamWith(customer.liveKey)]);
    for (let times = 0; times < 2; times++) await change(verb).expect(200);
    for (const stream of streams)
      expect(JSON.parse(payloadsOf(await stream.text()).at(-1)!)).toMatchObject({ error: { code: 'invalid_api_key' } });
    expectError(await gateway.get('models', key), 401, 'invalid_api_key');
    expectError(await developer!.post(`${path}/playground/completions`, { model: 'm', prompt: 'x' }), 403, 'permission_denied');
    const rows = await gateway.usage(2, customer);
    const [live] = ((await viewer!.get(`${path}/credits`).expect(200)).body as { data: { available: string }[] }).data;
    const spent = rows.reduce((sum, { amount }) => sum + amount, 0n);
    expect(Math.round(Number(live!.available) * 1e9)).toBe(Number(CREDIT - spent));
    const resumed = await change('resume');
    if (verb === 'delete') {
      for (const answer of [resumed, await change('suspend')]) expectError(answer, 409, 'conflict');
    } else await until(async () => (await gateway.get('models', key)).status === 200, 'the key is valid again');
    const { data } = (await operator.get(`${path}/audit-log`)).body as { data: { action: string; fields: string[] }[] };
    const changes = data.filter(({ fields }) => fields.includes('status')).map(({ action }) => action);
    const at = '/admin/v1/accounts/:account';
    expect(changes).toEqual(verb === 'delete' ? [`DELETE ${at}`] : [`POST ${at}/resume`, `POST ${at}/suspend`]);
  });

  it('by its date ends in the same way', async () => {
    upstream.replies(idle);
    const { key } = await newKey(clock.now() + 60_000);
    const stream = await streamWith(key);
    await clock.advance(61_000);
    expect(JSON.parse(payloadsOf(await stream.text()).at(-1)!)).toMatchObject({ error: { code: 'expired_api_key' } });
    await upstream.requests[0]!.closed;
    expectError(await gateway.get('models', key), 401, 'expired_api_key');
  });
});

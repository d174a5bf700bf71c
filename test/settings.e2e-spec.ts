import { LoopbackProxy } from '../src/providers/testing/loopback-proxy.js';
import { LoopbackUpstream } from '../src/providers/testing/loopback-upstream.js';
import type { createTestApp } from './support/create-test-app.js';
import { expectEnvelope } from './support/expect-envelope.js';
import { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { sendRaw } from './support/raw-socket.js';
import { until } from './support/until.js';
import { expectError } from './support/wire-schemas.js';

const messages = [{ role: 'user', content: 'Hello' }];

describe('What an operator can set', () => {
  let upstream: LoopbackUpstream;
  let proxy: LoopbackProxy;
  let gateway: Gateway;
  const start = async (settings: Parameters<typeof createTestApp>[0]): Promise<void> => {
    gateway = await Gateway.start(settings);
  };

  beforeEach(async () => {
    [upstream, proxy] = await Promise.all([LoopbackUpstream.start(), LoopbackProxy.start()]);
    proxy.leadsTo = Number(new URL(upstream.origin).port);
  });
  afterEach(async () => {
    await gateway.close();
    await Promise.all([upstream.stop(), proxy.stop()]);
  });

  const provider = () => ({
    base_url: `${upstream.origin}/v1`,
    free: true,
    models: { m: { context_length: 1000, max_tokens: 100 } },
  });
  const answer = chatReply('Ahoj');

  describe('who reads the metrics', () => {
    const read = async (remoteAddress: string, authorization?: string) => {
      const { statusCode, headers, body } = await gateway.running.app.inject({
        url: '/metrics',
        remoteAddress,
        headers: authorization === undefined ? {} : { authorization },
      });
      return { status: statusCode, headers: headers as Record<string, string>, body };
    };

    it('without a token: what a proxy on this machine passes on is not answered', async () => {
      await start({});
      const { port } = gateway.running;
      const ask = (head: string) => sendRaw(port, `GET /metrics HTTP/1.${head}\r\n\r\n`);
      expect((await ask('1\r\nHost: localhost\r\nConnection: close')).status).toBe(200);
      for (const head of [
        '1\r\nHost: api.example.com',
        '1\r\nHost: localhost\r\nX-Forwarded-For: 1.2.3.4',
        '1\r\nHost: localhost\r\nVia: 1.1 proxy',
        '0\r\nHost: 127.0.0.1',
        '1',
      ])
        expectEnvelope(await ask(head), 403, 'permission_denied');
    });

    it('without a token: it is answered to this machine alone, whoever has an API key', async () => {
      await start({});
      for (const local of ['127.0.0.1', '127.8.0.1', '::1', '::ffff:127.0.0.1']) {
        expect(await read(local)).toMatchObject({ status: 200, body: expect.stringContaining('switchyard_') });
      }
      for (const remote of ['10.0.0.7', '::ffff:10.0.0.7', '1.127.0.1', 'fe80::1']) {
        expectEnvelope(await read(remote), 403, 'permission_denied');
        expectEnvelope(await read(remote, `Bearer ${gateway.customer.liveKey}`), 403, 'permission_denied');
      }
    });

    it('with observability.metrics_token: it is answered to whoever has that, and to nobody else on this machine either', async () => {
      const metrics_token = 'a token of the operator';
      await start({ observability: { metrics_token } });
      expect(await read('10.0.0.7', `Bearer ${metrics_token}`)).toMatchObject({ status: 200 });
      for (const wrong of [undefined, '', 'Bearer ', metrics_token, `Bearer ${metrics_token}x`, `Bearer ${gateway.customer.liveKey}`]) {
        expectEnvelope(await read('127.0.0.1', wrong), 403, 'permission_denied');
      }
    });
  });

  it('routing.max_choices bounds what one request may ask for, prompts and best_of counted', async () => {
    await start({ routing: { max_choices: 3 } });
    const few = { model: 'sandbox-omni', max_tokens: 1 };
    expect((await gateway.post('completions', { ...few, prompt: ['a', 'b', 'c'] })).status).toBe(200);
    expectError(await gateway.post('completions', { ...few, prompt: ['a', 'b'], n: 2 }), 400, 'invalid_request');
    expectError(await gateway.post('completions', { ...few, prompt: 'a', best_of: 4 }), 400, 'invalid_request');
    expect((await gateway.post('chat/completions', { ...few, messages, n: 3 })).status).toBe(200);
    expectError(await gateway.post('chat/completions', { ...few, messages, n: 4 }), 400, 'invalid_request');
  });

  it('routing.max_concurrency requests of one offer run, max_queue more wait, and the next one is refused as overload', async () => {
    // The first answer comes when the two others have long been sent, on a busy machine too.
    upstream.replies(() => ({ ...answer, delay: upstream.requests.length === 1 ? 3_000 : 0 }));
    await start({ providers: { p: provider() }, routing: { max_concurrency: 1, max_queue: 1, retries: 0 } });
    const ask = () => gateway.post('chat/completions', { model: 'm', messages });
    const running = ask().then(({ status }) => status);
    await until(() => upstream.requests.length === 1, 'the first request');
    const waiting = ask().then(({ status }) => status);
    const page = async () => (await fetch(`${gateway.url}/metrics`)).text();
    await until(async () => (await page()).includes('switchyard_queued_attempts{offer="p/m"} 1'), 'the second in the queue');
    expectError(await ask(), 503, 'model_overloaded');
    expect(upstream.requests).toHaveLength(1);
    expect([await running, await waiting]).toEqual([200, 200]);
  });

  it('routing.test_provider answers test keys, whatever model they name', async () => {
    upstream.replies(answer);
    await start({ providers: { p: provider() }, routing: { test_provider: 'p' } });
    const { testKey } = gateway.customer;
    const given = await gateway.post('chat/completions', { model: 'sandbox-omni', messages }, testKey);
    expect(given.body).toMatchObject({ model: 'sandbox-omni', choices: [{ message: { content: 'Ahoj' } }] });
    expect(given.headers['x-switchyard-served-by']).toMatch(/^p\//);
  });

  it.each([
    [false, 502, []],
    [true, 200, ['169.254.169.254:80']],
  ])('a provider’s allow_link_local %s: one at such an address answers %i', async (allow_link_local, status, asked) => {
    upstream.replies(answer);
    const p = { ...provider(), base_url: 'http://169.254.169.254/v1', proxy: `http://127.0.0.1:${proxy.port}`, allow_link_local };
    await start({ providers: { p }, routing: { retries: 0 } });
    expect((await gateway.post('chat/completions', { model: 'm', messages })).status).toBe(status);
    expect(proxy.asked.map(({ target }) => target)).toEqual(asked);
  });

  it('keys.starter_credits are what the first account has in each environment', async () => {
    await start({ keys: { starter_credits: '0.000000123' } });
    for (const environment of ['live', 'test'] as const) expect(await gateway.balance(gateway.running, environment)).toBe(123n);
    const { liveKey, testKey } = gateway.running;
    expect([liveKey, testKey]).toEqual([expect.stringMatching(/^sy-live-/), expect.stringMatching(/^sy-test-/)]);
  });
});

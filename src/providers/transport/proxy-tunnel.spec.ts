import { inspect } from 'node:util';
import { startedEach } from '../../common/testing/started.js';
import { LoopbackProxy } from '../testing/loopback-proxy.js';
import { LoopbackUpstream } from '../testing/loopback-upstream.js';
import { HttpTransport } from './http-transport.js';
import { timeouts } from './testing/request-to.js';
import type { UpstreamRequest } from './upstream-request.js';

/** Milliseconds in which a busy machine, too, does what happens at once; the request's own timeouts are longer. */
const SOON = 10_000;

describe('a proxy', () => {
  const transport = startedEach(() => new HttpTransport(), 'onApplicationShutdown');
  const upstream = startedEach(() => LoopbackUpstream.start(), 'stop');
  const proxy = startedEach(() => LoopbackProxy.start(), 'stop');
  beforeEach(() => (proxy.leadsTo = Number(new URL(upstream.origin).port)));

  const send = (more: Partial<UpstreamRequest> = {}, user = '') =>
    transport.send({
      method: 'POST',
      // Nobody resolves this name but the proxy.
      origin: 'http://provider.test:8000',
      path: '/v1/x',
      headers: {},
      body: '{}',
      timeouts,
      signal: new AbortController().signal,
      reach: { proxy: `http://${user}127.0.0.1:${proxy.port}` },
      ...more,
    });
  const failure = async (sent: Promise<unknown>) => {
    const error: unknown = await sent.catch((caught: unknown) => caught);
    expect(inspect(error, { depth: 10 })).not.toContain('pässword');
    return error as { kind: string; message: string };
  };

  it('opens a tunnel, which serves again', async () => {
    upstream.replies({ body: 'späť' });
    for (let i = 0; i < 5; i++) expect(await (await send()).text()).toBe('späť');
    expect(upstream.requests.map(({ path }) => path)).toEqual(Array(5).fill('/v1/x'));
    expect(new Set(proxy.asked.map(({ target }) => target))).toEqual(new Set(['provider.test:8000']));
    expect(proxy.asked.length).toBeLessThan(5);
  });

  it('is told who asks, where it wants to know', async () => {
    upstream.replies({ body: 'ok' });
    await (await send({}, 'user:p%C3%A4ssword@')).text();
    expect(proxy.asked[0]?.authorization).toBe(`Basic ${Buffer.from('user:pässword').toString('base64')}`);
  });

  it('carries a stream in both directions, and its end', async () => {
    upstream.replies({ body: 'data: 1\n\n', endless: true, pace: 1 });
    const abort = new AbortController();
    const response = await send({ signal: abort.signal });
    const read = response.text().catch((error: unknown) => error);
    abort.abort();
    expect(await read).toMatchObject({ name: 'ProviderError' });
    await upstream.requests[0]?.closed;
  });

  it.each([407, 403, 502])('that refuses with %i makes the provider unreachable', async (status) => {
    proxy.answers = status;
    expect(await failure(send({}, 'user:p%C3%A4ssword@'))).toMatchObject({
      kind: 'unreachable',
      message: `The provider cannot be reached (PROXY_${status})`,
    });
  });

  it('that is not there makes the provider unreachable', async () => {
    const gone = await LoopbackProxy.start();
    const reach = { proxy: `http://user:p%C3%A4ssword@127.0.0.1:${gone.port}` };
    await gone.stop();
    expect(await failure(send({ reach }))).toMatchObject({ kind: 'unreachable' });
  });

  it('that is silent costs the time to connect', async () => {
    proxy.answers = 'silence';
    const since = performance.now();
    expect(await failure(send({ timeouts: { ...timeouts, connect: 100 } }))).toMatchObject({
      kind: 'timeout',
    });
    expect(performance.now() - since).toBeLessThan(SOON);
    await proxy.asked[0]?.closed;
  });

  it('is left at once when the request is given up', async () => {
    proxy.answers = 'silence';
    const abort = new AbortController();
    const asked = proxy.nextTunnel();
    const sent = failure(send({ signal: abort.signal }));
    await asked;
    abort.abort();
    expect(await sent).toMatchObject({ kind: 'unreachable' });
    await proxy.asked[0]?.closed;
  });

  it('is not asked for link-local addresses', async () => {
    expect(await failure(send({ origin: 'http://169.254.169.254' }))).toMatchObject({ kind: 'unreachable' });
    expect(proxy.asked).toEqual([]);
  });
});

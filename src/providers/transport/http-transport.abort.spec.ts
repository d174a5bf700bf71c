import { ManualFlow } from '../testing/call.js';
import { LoopbackUpstream } from '../testing/loopback-upstream.js';
import { settled } from '../testing/settled.js';
import { HttpTransport } from './http-transport.js';
import { RawServer } from './testing/raw-server.js';
import { requestTo } from './testing/request-to.js';
import type { UpstreamRequest } from './upstream-request.js';

/** Upper bound for what should happen at once, on a busy machine. */
const SOON = 2_000;

describe('HttpTransport: abort closes the connection at once', () => {
  let upstream: LoopbackUpstream;
  let transport: HttpTransport;

  beforeEach(async () => {
    upstream = await LoopbackUpstream.start();
    transport = new HttpTransport();
  });

  afterEach(async () => {
    await transport.onApplicationShutdown();
    await upstream.stop();
  });

  const request = (overrides: Partial<UpstreamRequest> = {}) => requestTo(upstream.origin, overrides);

  const abortAfter = async (act: (signal: AbortSignal) => Promise<unknown>, when: () => Promise<unknown>) => {
    const abort = new AbortController();
    const outcome = act(abort.signal).then(
      () => 'ended',
      (error: Error) => error.name,
    );
    await when();
    const before = performance.now();
    abort.abort();
    expect(await outcome).toBe('ProviderError');
    return before;
  };

  it('before it is sent', async () => {
    await expect(transport.send(request({ signal: AbortSignal.abort() }))).rejects.toMatchObject({ name: 'ProviderError' });
    expect(upstream.requests).toHaveLength(0);
  });

  it('while connecting', async () => {
    const server = await RawServer.listen(() => undefined);
    const connected = server.connected();
    const origin = server.origin.replace('http:', 'https:');
    const before = await abortAfter(
      (signal) => transport.send(request({ origin, signal })),
      () => connected,
    );
    expect(performance.now() - before).toBeLessThan(SOON);
    await transport.onApplicationShutdown();
    await server.stop();
  });

  it('before the head', async () => {
    upstream.replies({ ending: 'silent' });
    const asked = upstream.nextRequest();
    const before = await abortAfter(
      (signal) => transport.send(request({ signal })),
      () => asked,
    );
    await upstream.requests[0]?.closed;
    expect(performance.now() - before).toBeLessThan(SOON);
  });

  it.each([
    ['while events come', { body: 'data: 1\n\n', endless: true, pace: 1 }],
    ['while nothing comes', { body: 'data: 1\n\n', ending: 'stall' as const }],
  ])('%s', async (_name, reply) => {
    upstream.replies(reply);
    const first = Promise.withResolvers<void>();
    const before = await abortAfter(
      async (signal) => {
        const response = await transport.send(request({ signal }));
        for await (const _ of response.events(new ManualFlow())) first.resolve();
      },
      () => first.promise,
    );
    await upstream.requests[0]?.closed;
    expect(performance.now() - before).toBeLessThan(SOON);
  });

  it('while it is paused', async () => {
    upstream.replies({ body: 'data: 1\n\n'.repeat(1_000), endless: true });
    const abort = new AbortController();
    const flow = new ManualFlow();
    const stream = (await transport.send(request({ signal: abort.signal }))).events(flow);
    await stream.next();
    flow.set(true);
    await settled(() => upstream.requests[0]?.sent() ?? 0);
    abort.abort();
    await upstream.requests[0]?.closed;
  });
});

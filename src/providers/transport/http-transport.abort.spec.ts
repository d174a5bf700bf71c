import { ManualFlow } from '../testing/call.js';
import { settled } from '../testing/settled.js';
import { askedUpstream } from './testing/asked-upstream.js';
import { RawServer } from './testing/raw-server.js';

/** Milliseconds in which a busy machine, too, does what happens at once; the request's own timeouts are longer. */
const SOON = 10_000;

describe('HttpTransport: abort closes the connection at once', () => {
  const asked = askedUpstream();

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
    await expect(asked.send({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'ProviderError' });
    expect(asked.upstream.requests).toHaveLength(0);
  });

  it('while connecting', async () => {
    const server = await RawServer.listen(() => undefined);
    const connected = server.connected();
    const origin = server.origin.replace('http:', 'https:');
    const before = await abortAfter(
      (signal) => asked.send({ origin, signal }),
      () => connected,
    );
    expect(performance.now() - before).toBeLessThan(SOON);
    await asked.transport.onApplicationShutdown();
    await server.stop();
  });

  it('before the head', async () => {
    asked.upstream.replies({ ending: 'silent' });
    const arrived = asked.upstream.nextRequest();
    const before = await abortAfter(
      (signal) => asked.send({ signal }),
      () => arrived,
    );
    await asked.upstream.requests[0]?.closed;
    expect(performance.now() - before).toBeLessThan(SOON);
  });

  it.each([
    ['while events come', { body: 'data: 1\n\n', endless: true, pace: 1 }],
    ['while nothing comes', { body: 'data: 1\n\n', ending: 'stall' as const }],
  ])('%s', async (_name, reply) => {
    asked.upstream.replies(reply);
    const first = Promise.withResolvers<void>();
    const before = await abortAfter(
      async (signal) => {
        const response = await asked.send({ signal });
        for await (const _ of response.events(new ManualFlow())) first.resolve();
      },
      () => first.promise,
    );
    await asked.upstream.requests[0]?.closed;
    expect(performance.now() - before).toBeLessThan(SOON);
  });

  it('while it is paused', async () => {
    asked.upstream.replies({ body: 'data: 1\n\n'.repeat(1_000), endless: true });
    const abort = new AbortController();
    const flow = new ManualFlow();
    const stream = (await asked.send({ signal: abort.signal })).events(flow);
    await stream.next();
    flow.set(true);
    await settled(() => asked.upstream.requests[0]?.sent() ?? 0);
    abort.abort();
    await asked.upstream.requests[0]?.closed;
  });
});

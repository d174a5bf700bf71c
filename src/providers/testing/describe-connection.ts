import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GenerationChunk } from '../../wire/generation.js';
import { type TestCall, testCall } from './call.js';
import type { Reply } from './loopback-upstream.js';
import { settled } from './settled.js';
import type { SuiteContext } from './suite-context.js';

/** Milliseconds in which a busy machine, too, does what happens at once; the entry's own timeouts are longer. */
const SOON = 8_000;

/** An abort closes the provider's connection, and a slow client pauses it. */
export function describeConnection(context: SuiteContext): void {
  const { event } = context.suite;
  const sse = (body: string | Buffer) => context.reply(true, body);

  const start = (reply: Reply): { stream: AsyncIterator<GenerationChunk>; call: TestCall; abort: AbortController } => {
    context.upstream.replies(reply);
    const abort = new AbortController();
    const call = testCall({ signal: abort.signal });
    return { stream: context.provider.generate(context.request(true), call)[Symbol.asyncIterator](), call, abort };
  };

  const connection = () => {
    const [request] = context.upstream.requests;
    if (!request) throw new Error('nothing was asked');
    return request;
  };

  /** Reads on after the abort. Nothing but the end may come, and the connection is closed. */
  const endsSoon = async (stream: AsyncIterator<GenerationChunk>, since: number) => {
    let result = await stream.next();
    while (!result.done) result = await stream.next();
    await connection().closed;
    expect(performance.now() - since).toBeLessThan(SOON);
  };

  describe('connection', () => {
    context.test('asks for no compression', async () => {
      const { stream } = start(sse(event));
      await stream.next();
      expect(connection().headers['accept-encoding'] ?? 'identity').toBe('identity');
      await stream.return?.();
    });

    context.test('carries the headers of the trace', async () => {
      const traceHeaders = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'vendor=1' };
      context.upstream.replies(sse(event));
      const call = testCall({ traceHeaders });
      const stream = context.provider.generate(context.request(true), call)[Symbol.asyncIterator]();
      await stream.next();
      expect(connection().headers).toMatchObject(traceHeaders);
      await stream.return?.();
    });

    context.test('is not opened for a request that was given up before', async () => {
      const { stream, abort } = start(sse(event));
      abort.abort();
      expect(await stream.next()).toEqual({ done: true, value: undefined });
      expect(context.upstream.requests).toHaveLength(0);
    });

    const moments: [string, Reply, number][] = [
      ['before the head', { ending: 'silent' }, 0],
      ['while events come', { ...sse(event), endless: true, pace: 1 }, 3],
      ['while nothing comes', { ...sse(event), ending: 'stall' }, 1],
    ];
    for (const [moment, reply, chunks] of moments) {
      context.test(`is closed by an abort ${moment}`, async () => {
        const asked = context.upstream.nextRequest();
        const { stream, abort } = start(reply);
        for (let i = 0; i < chunks; i++) expect((await stream.next()).done).toBe(false);
        const next = handled(stream.next());
        await asked;
        const since = performance.now();
        abort.abort();
        await next;
        await endsSoon(stream, since);
      });
    }

    context.test('is closed by an abort while the client is slow', async () => {
      const { stream, call, abort } = start({ ...sse(context.events(1_000)), endless: true });
      await stream.next();
      call.flow.set(true);
      await settled(() => connection().sent());
      const since = performance.now();
      abort.abort();
      await endsSoon(stream, since);
      expect(call.flow.listeners).toBe(0);
    });

    context.test('is closed when the reader leaves', async () => {
      const { stream } = start({ ...sse(event), endless: true, pace: 1 });
      await stream.next();
      await stream.return?.();
      await connection().closed;
    });

    for (const why of ['whose reader takes nothing', 'whose client is slow']) {
      context.test(`holds a stream ${why}`, async () => {
        const { stream, call, abort } = start({ ...sse(context.events(1_000)), endless: true });
        await stream.next();
        const read = { chunks: 0, ended: false };
        const readOn = async () => {
          while (!(await stream.next()).done) read.chunks++;
          read.ended = true;
        };
        let reading: Promise<void> | undefined;
        if (why.includes('client')) {
          call.flow.set(true);
          reading = handled(readOn());
        }
        // Data on its way fills the buffers of the kernel and of the gateway; a stream that is not paused never comes
        // to rest.
        const sent = await settled(() => connection().sent());
        expect(sent).toBeLessThan(32 * 1024 * 1024);
        const held = await settled(() => read.chunks);
        reading ??= handled(readOn());
        call.flow.set(false);
        while ((connection().sent() === sent || read.chunks === held) && !read.ended) await nextTurn();
        expect(read.ended).toBe(false);
        abort.abort();
        await reading;
      });
    }
  });
}

/** A test that fails before it comes to wait for this must not end the whole run. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

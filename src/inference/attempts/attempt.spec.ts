import { Readable } from 'node:stream';
import { lastValueFrom, toArray } from 'rxjs';
import { ManualClock } from '../../common/testing/manual-clock.js';
import { Backpressure } from '../../http/requests/backpressure.js';
import { ClosingProvider } from '../../providers/registry/closing.js';
import { hideSecrets } from '../../providers/errors/hidden-secrets.js';
import { EntrySecrets } from '../../providers/credentials/entry-secrets.js';
import { ModelProvider, type ProviderCall } from '../../providers/contract/model-provider.js';
import { ProviderError } from '../../providers/contract/provider-error.js';
import { PushedChunks } from '../../providers/contract/pushed-chunks.js';
import type { GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import type { AdmittedRequest } from '../routing/generation-plan.js';
import type { Route } from '../routing/router.service.js';
import { Attempt, type AttemptWatch } from './attempt.js';
import { toObservable } from './to-observable.js';
import { UpstreamMeter } from './upstream-meter.js';

const request: GenerationRequest = { operation: 'completion', model: 'm', prompt: 'p', stream: true, n: 1 };
const chunkOf = (text: string): GenerationChunk => ({ choices: [{ index: 0, text, finish_reason: null }] });

class Scripted extends ModelProvider {
  readonly id = 'scripted';
  readonly name = 'Scripted';

  constructor(readonly generate: (request: GenerationRequest, call: ProviderCall) => AsyncIterable<GenerationChunk>) {
    super();
  }

  models() {
    return [];
  }
}

const clock = new ManualClock();

const callOf = (timeouts: Partial<{ firstToken: number; idle: number; total: number }> = {}, flow = new Backpressure(clock)) => {
  const { firstToken = 10_000, idle = 10_000, total = 10_000 } = timeouts;
  const routing = { first_token_timeout: firstToken, idle_timeout: idle, total_timeout: total };
  return { plan: { config: { routing } }, context: { requestId: 'r', flow }, account: 'one' } as unknown as AdmittedRequest;
};

const ceiling = { prompt: 1_000, completion: 1_000, possibleCompletion: 1_000 };

const circle = (): object => {
  const found: { in?: object } = {};
  found.in = found;
  return found;
};

/** Its answers need not end. */
const lenient = () => new UpstreamMeter({ ...request, n: 0 }, 0, ceiling);

const attempt = (
  provider: ModelProvider,
  asked: GenerationRequest,
  call: AdmittedRequest,
  watch: Partial<AttemptWatch> = {},
  meter = lenient(),
) => {
  const all = { clock, failed: () => undefined, completed: () => undefined, keeps: () => true, ...watch };
  return toObservable(new Attempt(call, { provider, offer: {} } as unknown as Route, asked, meter, all));
};

function idleUntilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
}

describe('attempt', () => {
  it('takes the secrets of the provider out of its errors, whichever code has thrown them', async () => {
    const provider = new Scripted(() => {
      throw new ProviderError('invalid_request', 'no such key: c2stc2VjcmV0LTEyMzQ=', { status: 400 });
    });
    hideSecrets(provider, new EntrySecrets(['sk-secret-1234']));
    const watched: unknown[] = [];
    const failed = { kind: 'invalid_request', status: 400, message: 'no such key: [redacted]Q=' };
    const chunks = attempt(provider, request, callOf(), { failed: (_, error) => watched.push(error) });
    await expect(lastValueFrom(chunks)).rejects.toMatchObject(failed);
    expect(watched).toEqual([expect.objectContaining(failed)]);
  });

  it('aborts an idle provider as soon as it is unsubscribed', async () => {
    let signal: AbortSignal | undefined;
    let left = false;
    const provider = new Scripted(async function* (_, call) {
      signal = call.signal;
      try {
        yield chunkOf('a');
        await idleUntilAborted(call.signal);
      } finally {
        left = true;
      }
    });
    await new Promise<void>((resolve) => {
      const subscription = attempt(provider, request, callOf()).subscribe(() => {
        setImmediate(() => {
          subscription.unsubscribe();
          resolve();
        });
      });
    });
    expect(signal?.aborted).toBe(true);
    await clock.advance(0);
    expect(left).toBe(true);
  });

  it.each([
    ['without choices', {}, false],
    ['whose choices are no list', { choices: 3 }, true],
    ['with a choice that is nothing', { choices: [null] }, false],
    ['with a choice that is nothing, of a chat model that answers a completion', { choices: [null] }, true],
  ])('fails where a provider pushes a chunk %s, and throws nothing back', async (_what, chunk, completionsViaChat) => {
    let cancelled = 0;
    let thrown: unknown = 'nothing';
    const provider = new Scripted((_request, call) => {
      return new PushedChunks(call, (observer) => {
        setImmediate(() => {
          try {
            observer.next(chunk as unknown as GenerationChunk);
            observer.next(chunkOf('late'));
          } catch (error) {
            thrown = error;
          }
        });
        return { hold: () => undefined, cancel: () => cancelled++ };
      });
    });
    const watched: unknown[] = [];
    const route = { provider, offer: { completionsViaChat } } as unknown as Route;
    const watch = {
      clock,
      failed: (_: Attempt, error: ProviderError) => watched.push(error),
      completed: () => undefined,
      keeps: () => true,
    };
    const chunks = toObservable(new Attempt(callOf(), route, request, lenient(), watch));
    await expect(lastValueFrom(chunks)).rejects.toMatchObject({ kind: 'bad_response' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(watched).toEqual([expect.objectContaining({ kind: 'bad_response' })]);
    expect([thrown, cancelled]).toEqual(['nothing', 1]);
  });

  it.each<[string, (chunks: GenerationChunk[]) => AsyncIterable<GenerationChunk>]>([
    ['a stream of Node', (chunks) => Readable.from(chunks)],
    ['a list, as JavaScript may', (chunks) => chunks as unknown as AsyncIterable<GenerationChunk>],
  ])('takes the chunks of a provider that returns %s, and does not take it for one that pushes', async (_what, answer) => {
    const provider = new Scripted(() => answer([chunkOf('a'), chunkOf('b')]));
    const closing = new ClosingProvider(provider);
    const chunks = attempt(provider, request, callOf({ firstToken: 500 })).pipe(toArray());
    await expect(lastValueFrom(chunks)).resolves.toEqual([chunkOf('a'), chunkOf('b')]);
    await closing.close();
  });

  it.each<[string, object]>([
    ['a number that JSON has not', { delta: { content: 'a', cited: 5n } }],
    ['a circle', { delta: { content: 'a', found: circle() } }],
    ['no index', { index: undefined }],
    ['an index that is text', { index: '0' }],
    ['an index that nobody has asked for', { index: 1 }],
    ['a finish_reason that is no text', { finish_reason: 5 }],
  ])('fails where a module yields a choice with %s, before a client is charged for what it cannot be told', async (_what, more) => {
    const choice = { index: 0, delta: { content: 'a' }, finish_reason: null, ...more };
    const provider = new Scripted(async function* () {
      yield { choices: [choice] };
    });
    await expect(lastValueFrom(attempt(provider, request, callOf()))).rejects.toMatchObject({ kind: 'bad_response' });
  });

  it('does not pull while the client does not keep up', async () => {
    const flow = new Backpressure(clock);
    let pulled = 0;
    const provider = new Scripted(async function* () {
      for (; pulled < 100; pulled++) yield chunkOf('a');
    });
    const done = new Promise<void>((resolve) => {
      attempt(provider, request, callOf({}, flow)).subscribe({
        next: () => {
          if (pulled === 10) flow.pause();
        },
        complete: resolve,
      });
    });
    await clock.advance(20);
    expect(pulled).toBe(10);
    flow.resume();
    await done;
    expect(pulled).toBe(100);
  });

  it('does not take a pause of the client for silence, nor one that has just ended', async () => {
    const flow = new Backpressure(clock);
    const provider = new Scripted(async function* () {
      yield chunkOf('a');
      await clock.delay(1_200);
      yield chunkOf('b');
    });
    const chunks = lastValueFrom(attempt(provider, request, callOf({ idle: 800 }, flow)).pipe(toArray()));
    await clock.advance(20);
    flow.pause();
    await clock.advance(680);
    flow.resume();
    await clock.advance(500);
    expect(await chunks).toHaveLength(2);
  });

  it('fails a provider that sends on while it is to pause', async () => {
    const flow = new Backpressure(clock);
    const provider = new Scripted(async function* () {
      yield chunkOf('a');
      flow.overrun = true;
      yield chunkOf('b');
    });
    const error = await new Promise((resolve) => attempt(provider, request, callOf({}, flow)).subscribe({ error: resolve }));
    expect(error).toMatchObject({ kind: 'bad_response' });
  });

  it.each([
    ['firstToken', { firstToken: 20 }, 0, 'timeout'],
    ['idle', { idle: 20 }, 1, 'timeout'],
    ['total', { total: 20 }, 1, 'total_timeout'],
    ['total', { total: 20 }, 0, 'timeout'],
  ])('ends a provider that exceeds the %s timeout', async (_, timeouts, chunks, kind) => {
    let aborted = false;
    const provider = new Scripted(async function* (__, call) {
      call.signal.addEventListener('abort', () => (aborted = true));
      for (let i = 0; i < chunks; i++) yield chunkOf('a');
      await idleUntilAborted(call.signal);
    });
    const seen: GenerationChunk[] = [];
    let error: unknown;
    attempt(provider, request, callOf(timeouts)).subscribe({ next: (chunk) => seen.push(chunk), error: (failure) => (error = failure) });
    await clock.advance(19);
    expect(error).toBeUndefined();
    // Silence ends a call after one to two idle timeouts.
    await clock.advance(21);
    expect(error).toMatchObject({ name: 'ProviderError', kind });
    expect(seen).toHaveLength(chunks);
    expect(aborted).toBe(true);
  });

  it('resets the timeouts on empty chunks, and does not emit them', async () => {
    const provider = new Scripted(async function* () {
      for (let i = 0; i < 12; i++) {
        await clock.delay(60);
        yield { choices: [] };
      }
      yield chunkOf('a');
    });
    const chunks = lastValueFrom(attempt(provider, request, callOf({ firstToken: 600, idle: 600 })).pipe(toArray()));
    await clock.advance(720);
    expect(await chunks).toEqual([chunkOf('a')]);
  });

  it('does not time out while the client does not keep up', async () => {
    const flow = new Backpressure(clock);
    const provider = new Scripted(async function* () {
      yield chunkOf('a');
      yield chunkOf('b');
    });
    const done = new Promise<string>((resolve) => {
      let text = '';
      attempt(provider, request, callOf({ idle: 15 }, flow)).subscribe({
        next: ({ choices }) => {
          text += choices[0]!.text;
          flow.pause();
        },
        error: () => resolve('failed'),
        complete: () => resolve(text),
      });
    });
    await clock.advance(60);
    flow.resume();
    await clock.advance(0);
    flow.resume();
    expect(await done).toBe('ab');
  });

  it('emits a ProviderError, and converts a bug of the module into bad_response', async () => {
    const failing = (error: Error) =>
      new Promise((resolve) => {
        // eslint-disable-next-line require-yield
        const provider = new Scripted(async function* () {
          throw error;
        });
        attempt(provider, request, callOf()).subscribe({ error: resolve });
      });
    expect(await failing(new ProviderError('rate_limited', 'slow down'))).toMatchObject({ kind: 'rate_limited' });
    expect(await failing(new TypeError('x is not a function'))).toMatchObject({ kind: 'bad_response', cause: expect.any(TypeError) });
  });

  it('meters before it emits, and tells its end before it ends', async () => {
    const told = async (last: GenerationChunk, asked = request) => {
      const seen: string[] = [];
      let aborted = false;
      const provider = new Scripted(async function* (_, { signal }) {
        signal.addEventListener('abort', () => (aborted = true));
        yield chunkOf('a');
        yield { choices: [] };
        yield last;
      });
      const meter = new UpstreamMeter(asked, 0, ceiling);
      const watch: AttemptWatch = {
        clock,
        failed: (_, { kind }) => seen.push(`failed: ${kind}`),
        completed: () => seen.push('completed'),
        keeps: () => true,
      };
      await new Promise<void>((resolve) => {
        attempt(provider, asked, callOf(), watch, meter).subscribe({
          next: ({ choices }) => seen.push(`emits ${choices[0]!.text} of ${meter.completionTokens}`),
          error: ({ kind }: ProviderError) => resolve(void seen.push(`error: ${kind}`)),
          complete: () => resolve(void seen.push('completes')),
        });
      });
      return { seen, aborted };
    };
    const end = { ...chunkOf('b').choices[0]!, finish_reason: 'stop' as const };
    const emitted = ['emits a of 1', 'emits b of 2'];
    expect(await told({ choices: [end] })).toEqual({ seen: [...emitted, 'completed', 'completes'], aborted: false });
    const unfinished = { seen: [...emitted, 'failed: bad_response', 'error: bad_response'], aborted: false };
    expect(await told(chunkOf('b'))).toEqual(unfinished);
    const ignored = ['failed: parameter_ignored', 'error: parameter_ignored'];
    expect(await told({ choices: [end] }, { ...request, n: 2 })).toEqual({ seen: [...emitted, ...ignored], aborted: false });
  });

  it.each([
    ['choice', undefined],
    ['text', { index: 0, text: 5 }],
    ['call of a tool', { index: 0, delta: { tool_calls: [null] } }],
  ])('fails and aborts a module whose chunks have a %s that cannot be read', async (_what, choice) => {
    const seen: unknown[] = [];
    let aborted = false;
    const provider = new Scripted(async function* (_, { signal }) {
      signal.addEventListener('abort', () => (aborted = true));
      yield { choices: [choice] } as unknown as GenerationChunk;
    });
    const watch: Partial<AttemptWatch> = { failed: (_, { kind }) => seen.push(kind) };
    const error = await new Promise((resolve) => {
      const emitted = () => seen.push('emitted');
      attempt(provider, request, callOf(), watch).subscribe({ next: emitted, error: resolve, complete: () => resolve('complete') });
    });
    expect(error).toMatchObject({ kind: 'bad_response', cause: { name: 'TypeError' } });
    expect({ seen, aborted }).toEqual({ seen: ['bad_response'], aborted: true });
  });

  it('tells of an error before it emits it', async () => {
    const seen: unknown[] = [];
    const provider = new Scripted(async function* () {
      yield chunkOf('a');
      throw new ProviderError('overloaded', 'later');
    });
    await new Promise((resolve) => {
      attempt(provider, request, callOf(), { failed: (_, { kind }) => seen.push(kind) }).subscribe({
        error: (error: ProviderError) => resolve(seen.push(error.message)),
      });
    });
    expect(seen).toEqual(['overloaded', 'later']);
  });
});

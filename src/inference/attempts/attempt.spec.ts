import { setTimeout as delay } from 'node:timers/promises';
import { Backpressure } from '../../http/answers/backpressure.js';
import { ModelProvider, type ProviderCall } from '../../providers/model-provider.js';
import { ProviderError } from '../../providers/provider-error.js';
import type { GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import { Attempt, type AttemptCall, type AttemptWatch } from './attempt.js';
import { toObservable } from './to-observable.js';

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

const callOf = (timeouts: Partial<{ firstToken: number; idle: number; total: number }> = {}, flow = new Backpressure()) => ({
  requestId: 'r',
  upstreamModel: 'u',
  flow,
  timeouts: { firstToken: 10_000, idle: 10_000, total: 10_000, ...timeouts },
  dropped: () => undefined,
});

const attempt = (provider: ModelProvider, asked: GenerationRequest, call: AttemptCall, watch?: AttemptWatch) =>
  toObservable(new Attempt(provider, asked, call, watch));

function idleUntilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
}

describe('attempt', () => {
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
    await delay(1);
    expect(left).toBe(true);
  });

  it('does not pull while the client does not keep up', async () => {
    const flow = new Backpressure();
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
    await delay(20);
    expect(pulled).toBe(10);
    flow.resume();
    await done;
    expect(pulled).toBe(100);
  });

  it.each([
    ['firstToken', { firstToken: 20 }, 0],
    ['idle', { idle: 20 }, 1],
    ['total', { total: 20 }, 1],
  ])('ends a provider that exceeds the %s timeout', async (_, timeouts, chunks) => {
    let aborted = false;
    const provider = new Scripted(async function* (__, call) {
      call.signal.addEventListener('abort', () => (aborted = true));
      for (let i = 0; i < chunks; i++) yield chunkOf('a');
      await idleUntilAborted(call.signal);
    });
    const seen: GenerationChunk[] = [];
    const error = await new Promise((resolve) => {
      attempt(provider, request, callOf(timeouts)).subscribe({ next: (chunk) => seen.push(chunk), error: resolve });
    });
    expect(error).toMatchObject({ name: 'ProviderError', kind: 'timeout' });
    expect(seen).toHaveLength(chunks);
    expect(aborted).toBe(true);
  });

  it('resets the timeouts on empty chunks, and does not emit them', async () => {
    const provider = new Scripted(async function* () {
      for (let i = 0; i < 12; i++) {
        await delay(60);
        yield { choices: [] };
      }
      yield chunkOf('a');
    });
    const seen: GenerationChunk[] = [];
    await new Promise<void>((resolve, reject) => {
      attempt(provider, request, callOf({ firstToken: 600, idle: 600 })).subscribe({
        next: (chunk) => seen.push(chunk),
        error: reject,
        complete: resolve,
      });
    });
    expect(seen).toEqual([chunkOf('a')]);
  });

  it('does not time out while the client does not keep up', async () => {
    const flow = new Backpressure();
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
    await delay(60);
    flow.resume();
    await delay(1);
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

  it('calls the watcher before it emits, and fails with what the watcher throws', async () => {
    const told = async (watch: AttemptWatch) => {
      const seen: string[] = [];
      let aborted = false;
      const provider = new Scripted(async function* (_, { signal }) {
        signal.addEventListener('abort', () => (aborted = true));
        yield chunkOf('a');
        yield { choices: [] };
        yield chunkOf('b');
      });
      await new Promise<void>((resolve) => {
        attempt(provider, request, callOf(), watch).subscribe({
          next: ({ choices }) => seen.push(`emits ${choices[0]!.text}`),
          error: (error: Error) => resolve(void seen.push(error.message)),
          complete: () => resolve(void seen.push('completes')),
        });
      });
      return { seen, aborted };
    };
    const order: string[] = [];
    await told({ next: ({ choices }) => order.push(choices[0]!.text!), complete: () => order.push('end') });
    expect(order).toEqual(['a', 'b', 'end']);
    const refuse = (): never => {
      throw new Error('refused');
    };
    expect(await told({ next: ({ choices }) => choices[0]!.text === 'b' && refuse() })).toEqual({
      seen: ['emits a', 'refused'],
      aborted: true,
    });
    expect(await told({ complete: refuse })).toEqual({ seen: ['emits a', 'emits b', 'refused'], aborted: false });
  });

  it('calls the watcher with an error before it emits it', async () => {
    const seen: unknown[] = [];
    const provider = new Scripted(async function* () {
      yield chunkOf('a');
      throw new ProviderError('overloaded', 'later');
    });
    await new Promise((resolve) => {
      attempt(provider, request, callOf(), { error: ({ kind }) => seen.push(kind) }).subscribe({
        error: (error: ProviderError) => resolve(seen.push(error.message)),
      });
    });
    expect(seen).toEqual(['overloaded', 'later']);
  });
});

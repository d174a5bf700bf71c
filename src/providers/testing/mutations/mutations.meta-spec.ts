import type { ProviderConfig } from '../../../config/config.schema.js';
import type { GenerationChunk, GenerationRequest } from '../../../wire/generation.js';
import type { JsonObject } from '../../../wire/json-object.js';
import { usageOf } from '../../../wire/usage.js';
import type { ProviderCall, ProviderModel } from '../../contract/model-provider.js';
import type { Endpoint } from '../../protocols/endpoint.js';
import { upstreamError, type UpstreamFailure } from '../../protocols/upstream-error.js';
import { ProviderError } from '../../contract/provider-error.js';
import type { UpstreamRequest } from '../../transport/upstream-request.js';
import type { UpstreamResponse } from '../../transport/upstream-response.js';
import { takenBySchema } from '../taken-by-schema.js';
import { CollectedSuite } from './collected-suite.js';
import { SampleProvider, type StreamState } from './sample-provider.js';
import { sampleSuite } from './sample-suites.js';

type Chunks = AsyncGenerator<GenerationChunk, void>;

/** Keeps a promise from being reported while nobody waits for it. */
const quiet = new AbortController().signal;

/** A sample whose endpoint differs. */
const endpoint = (change: (endpoint: Endpoint, config: ProviderConfig) => Partial<Endpoint>) =>
  class extends SampleProvider {
    protected override makeEndpoint(config: ProviderConfig): Endpoint {
      const right = super.makeEndpoint(config);
      return { ...right, ...change(right, config) };
    }
  };

/** A sample that sends another body. */
const body = (change: (body: JsonObject, request: GenerationRequest) => JsonObject) =>
  class extends SampleProvider {
    protected override body(request: GenerationRequest, call: ProviderCall): JsonObject {
      return change(super.body(request, call), request);
    }
  };

/** A sample that sends another request. */
const sent = (change: (request: UpstreamRequest, call: ProviderCall) => Partial<UpstreamRequest>) =>
  class extends SampleProvider {
    protected override request(request: GenerationRequest, call: ProviderCall): UpstreamRequest {
      const right = super.request(request, call);
      return { ...right, ...change(right, call) };
    }
  };

/** A sample whose chunks differ. */
const chunks = (change: (chunks: Chunks, request: GenerationRequest, call: ProviderCall) => Chunks) =>
  class extends SampleProvider {
    override generate(request: GenerationRequest, call: ProviderCall): Chunks {
      return change(super.generate(request, call), request, call);
    }
  };

/** A sample that ends in another way. */
const ending = (end: (state: StreamState, right: () => GenerationChunk) => GenerationChunk) =>
  class extends SampleProvider {
    protected override end(state: StreamState): GenerationChunk {
      return end(state, () => super.end(state));
    }
  };

/** A sample that lists other models. */
const models = (change: (models: readonly ProviderModel[]) => readonly ProviderModel[]) =>
  class extends SampleProvider {
    override async models(signal: AbortSignal): Promise<readonly ProviderModel[]> {
      return change(await super.models(signal));
    }
  };

/** A sample that names errors in another way. */
const failing = (failed: (failure: UpstreamFailure) => ProviderError) =>
  class extends SampleProvider {
    protected override readonly failed = failed;
  };

/** All but one member. */
const omit = <T>(whole: Readonly<Record<string, T>>, name: string): Record<string, T> =>
  Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name));

const finish = (finish_reason: 'stop' | 'tool_calls') => ({ choices: [{ index: 0, delta: {}, finish_reason }] });

type Row = readonly [fault: string, provider: new (...given: ConstructorParameters<typeof SampleProvider>) => SampleProvider, by: RegExp];

/** Deliberate faults in a provider, each with tests of the suite one of which it must make red. */
const faults: readonly Row[] = [
  [
    'turns the messages round',
    body((right) => ({ ...right, messages: (right['messages'] as unknown[]).toReversed() })),
    /^requests have every message/,
  ],
  [
    'forgets what tools have answered',
    body((right) => ({ ...right, messages: (right['messages'] as JsonObject[]).filter(({ role }) => role !== 'tool') })),
    /^requests have the tools/,
  ],
  [
    'sends one sampling parameter as another',
    body((right) => ({ ...right, sampling: { top_p: (right['sampling'] as JsonObject)['temperature'] } })),
    /^requests have the parameters/,
  ],
  ['forgets the stop sequences', body((right) => omit(right, 'stop')), /^requests have the parameters/],
  ['sends the client’s name of the model', body((right, { model }) => ({ ...right, model })), /^requests name the model/],
  ['asks for no stream', body((right) => ({ ...right, stream: false })), /^requests say whether/],
  ['sends what the fixture does not say', body((right) => ({ ...right, limit: 41 })), /has what the fixture says/],
  ...(['first_byte', 'idle', 'total'] as const).map((name): Row => [
    `has a timeout ${name} of its own`,
    endpoint(({ timeouts }) => ({ timeouts: { ...timeouts, [name]: 60_000 } })),
    new RegExp(`^entry its timeout ${name}`),
  ]),
  ['ignores the proxy', endpoint(({ reach }) => ({ reach: { allowLinkLocal: reach.allowLinkLocal } })), /^entry its proxy/],
  ['ignores allow_link_local', endpoint(({ reach }) => ({ reach: { proxy: reach.proxy } })), /^entry it reaches link-local/],
  [
    'allows link-local addresses always',
    endpoint(({ reach }) => ({ reach: { ...reach, allowLinkLocal: true } })),
    /^entry it reaches link-local/,
  ],
  [
    'ignores allow_private_addresses',
    endpoint(({ reach }) => ({ reach: { ...reach, publicOnly: false } })),
    /^entry it reaches this machine/,
  ],
  ['ignores the entry’s headers', endpoint((_, { api_key = '' }) => ({ headers: { 'x-sample-key': api_key } })), /^entry its headers/],
  ['ignores the address’s query', endpoint(() => ({ query: '' })), /^entry its address/],
  ['ignores the address’s path', endpoint(() => ({ basePath: '' })), /^entry its address/],
  [
    'sends a key of its own',
    endpoint(({ headers }) => ({ headers: { ...headers, 'x-sample-key': 'sk-test-4f1d2c3b5a69788796a5b4c3d2e1f0' } })),
    /^entry its key/,
  ],
  ['ignores the models of its entry', models((all) => all.map((model) => ({ ...model, id: 'sample-1' }))), /^entry it names the models/],
  [
    'ignores the prices of its entry',
    models((all) => all.map((model) => ({ ...model, price: { prompt: 1, completion: 1 } }))),
    /^entry it names the models/,
  ],
  ['lists a model twice', models((all) => [...all, ...all]), /^itself lists models/],
  [
    'finishes a cut answer as stop',
    ending(({ finish: told }, right) => (told ? right() : finish('stop'))),
    /breaks off never looks complete/,
  ],
  [
    'passes on an id of a tool call that is empty',
    class extends SampleProvider {
      protected override callId(given: unknown): string {
        return String(given);
      }
    },
    /^answers tools: .* with ids of calls that are made/,
  ],
  [
    'finishes a cut tool call as tool_calls',
    class extends SampleProvider {
      #called = false;

      protected override event(event: JsonObject, state: StreamState): GenerationChunk | undefined {
        this.#called = event['call'] !== undefined || (this.#called && event['text'] === undefined);
        return super.event(event, state);
      }

      protected override end(state: StreamState): GenerationChunk {
        return state.finish || !this.#called ? super.end(state) : finish('tool_calls');
      }
    },
    /tools: a stream that ends between two frames/,
  ],
  [
    'tells the finish reason twice',
    chunks(async function* (all) {
      yield* all;
      yield finish('stop');
    }),
    /^answers text: streamed/,
  ],
  [
    'forgets the usage',
    chunks(async function* (all) {
      for await (const chunk of all) yield { ...chunk, usage: undefined };
    }),
    /^answers text: /,
  ],
  [
    'tells the usage twice',
    chunks(async function* (all) {
      yield { choices: [], usage: usageOf(1, 1) };
      yield* all;
    }),
    /^answers text: /,
  ],
  [
    'forgets the role',
    chunks(async function* (all) {
      for await (const chunk of all)
        yield { ...chunk, choices: chunk.choices.map((choice) => ({ ...choice, delta: { ...choice.delta, role: undefined } })) };
    }),
    /^answers text: /,
  ],
  [
    'decodes each read by itself',
    class extends SampleProvider {
      protected override async *frames(response: UpstreamResponse, { flow }: ProviderCall): AsyncGenerator<unknown, void> {
        let text = '';
        for await (const bytes of response.bytes(flow)) {
          const lines = (text + bytes.toString()).split('\n');
          text = lines.pop()!;
          for (const line of lines) if (line.startsWith('data:')) yield JSON.parse(line.slice(5));
        }
      }
    },
    /^answers text: (cut in two anywhere|byte by byte|with )/,
  ],
  ['calls every failure overloaded', failing(({ status }) => new ProviderError('overloaded', 'No', { status })), /^failures status 401/],
  ['forgets retry-after', failing((failure) => upstreamError({ ...failure, retryAfterMs: undefined })), /^failures status 429/],
  [
    'shows the key in its errors',
    failing(({ status, body: said }) => new ProviderError('invalid_request', said, { status })),
    /^failures status 400/,
  ],
  [
    'shows what the vendor says of our account',
    failing((failure) => upstreamError({ ...failure, status: failure.status === 401 ? 400 : failure.status })),
    /^failures status 401/,
  ],
  [
    'takes an error in the stream for text',
    class extends SampleProvider {
      protected override async *frames(response: UpstreamResponse, call: ProviderCall): AsyncGenerator<unknown, void> {
        for await (const event of super.frames(response, call)) yield (event as JsonObject)['error'] ? { text: 'sorry' } : event;
      }
    },
    /^failures an error in the middle/,
  ],
  [
    'throws what is no ProviderError',
    chunks(async function* (all) {
      try {
        yield* all;
      } catch (error) {
        throw new Error('something', { cause: error });
      }
    }),
    /^failures status 500/,
  ],
  ['does not hear that it is given up', sent(() => ({ signal: quiet })), /^connection is closed by an abort while nothing comes/],
  [
    'throws when it is given up',
    chunks(async function* (all, _, { signal }) {
      yield* all;
      if (signal.aborted) throw new ProviderError('unreachable', 'given up');
    }),
    /^connection is (not opened|closed by an abort while events come)/,
  ],
  [
    'asks although it was given up before',
    class extends SampleProvider {
      override async *generate(request: GenerationRequest, call: ProviderCall): Chunks {
        const { signal, ...rest } = call;
        yield* super.generate(request, { ...rest, signal: quiet });
        signal.throwIfAborted();
      }
    },
    /^connection is not opened/,
  ],
  [
    'never pauses for a slow client',
    class extends SampleProvider {
      protected override stream(response: UpstreamResponse, call: ProviderCall): Chunks {
        const hurried = { paused: false, ready: () => Promise.resolve(), onChange: () => () => undefined };
        return super.stream(response, { ...call, flow: hurried });
      }
    },
    /^connection holds a stream whose client/,
  ],
  [
    'reads all before it gives any',
    chunks(async function* (all) {
      const kept: GenerationChunk[] = [];
      for await (const chunk of all) kept.push(chunk);
      yield* kept;
    }),
    /^connection is closed by an abort while events come/,
  ],
  [
    'forgets the trace',
    sent(({ headers }) => ({ headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('trace'))) })),
    /^connection carries the headers of the trace/,
  ],
  [
    'leaves a listener behind',
    chunks(async function* (all, _, { flow }) {
      flow.onChange(() => undefined);
      yield* all;
    }),
    /^answers text: streamed, leaving nothing behind/,
  ],
  [
    'changes the request',
    class extends SampleProvider {
      override generate(request: GenerationRequest, call: ProviderCall): Chunks {
        (request as { stream: boolean }).stream = true;
        return super.generate(request, call);
      }
    },
    /^answers text: whole, in one chunk/,
  ],
  [
    'probes with a question that costs',
    class extends SampleProvider {
      override async probe(signal: AbortSignal): Promise<void> {
        await this.transport.send({
          ...this.request({ operation: 'chat', model: 'm', stream: false, n: 1, messages: [] }, { upstreamModel: 'm' } as ProviderCall),
          signal,
        });
      }
    },
    /^probe asks for nothing that costs/,
  ],
  [
    'says that it answers, whatever the vendor says',
    class extends SampleProvider {
      override async probe(signal: AbortSignal): Promise<void> {
        await super.probe(signal).catch(() => undefined);
      }
    },
    /^probe says what is wrong/,
  ],
  [
    'probes without an end',
    class extends SampleProvider {
      override probe(): Promise<void> {
        return super.probe(quiet);
      }
    },
    /^probe ends when it is given up/,
  ],
];

/** Milliseconds for a test that is to be red, and for one that is to be green. */
const SHORT = 5_000;
const LONG = 60_000;

/** Suites that run at the same time: most of their time they wait. */
const CONCURRENCY = 8;

describe('The contract suite', () => {
  const outcomes = new Map<string, { failed: string[]; matching: number }>();

  beforeAll(async () => {
    const waiting = faults.map(([fault, provider, by]) => ({ fault, by, suite: new CollectedSuite(sampleSuite(provider)) }));
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) outcomes.set(next.fault, await next.suite.failing(next.by, SHORT));
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  }, 300_000);

  it('is tried with at least thirty faults', () => expect(faults.length).toBeGreaterThanOrEqual(30));

  it.each(faults.map(([fault, , by]) => [fault, by] as const))('is red where a provider %s', (fault) => {
    const { failed, matching } = outcomes.get(fault)!;
    expect(matching).toBeGreaterThan(0);
    expect(failed).not.toEqual([]);
  });

  it.each([true, false])('is red where a suite says of every request and key that it carries the key: %s', async (carried) => {
    const suite = new CollectedSuite({ ...sampleSuite(), carriesKey: () => carried });
    expect((await suite.failing(/^entry its key/, LONG)).failed).toHaveLength(1);
  });

  it('is red where the vendor refuses what a provider sends, whatever it answers', async () => {
    const accepts = takenBySchema({ properties: { limit: { type: 'integer' } }, required: ['model'] });
    const failed = (provider?: Row[1]) =>
      new CollectedSuite({ ...sampleSuite(provider), accepts }).failing(/^answers text: whole, in/, LONG);
    const limitOf = (limit: unknown) => body((right) => ({ ...right, limit }));
    expect((await failed(limitOf(40))).failed).toEqual([]);
    expect((await failed(limitOf('40'))).failed).toHaveLength(1);
  });

  it('is green for the sample in all tests that a fault makes red', async () => {
    const patterns = new RegExp(faults.map(([, , by]) => by.source).join('|'));
    expect((await new CollectedSuite(sampleSuite()).failing(patterns, LONG)).failed).toEqual([]);
  });
});

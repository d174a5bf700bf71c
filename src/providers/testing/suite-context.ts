import { deepFreeze } from '../../config/deep-freeze.js';
import type { GenerationRequest } from '../../wire/generation.js';
import type { ModelProvider, ProviderModel } from '../contract/model-provider.js';
import { type CollectedAnswer, type CollectedChoice, collect, readAll } from './collect.js';
import { type TestCall, testCall } from './call.js';
import { LoopbackUpstream, type RecordedRequest, type Reply } from './loopback-upstream.js';
import type { ProviderFixture, ProviderSuite, SuiteEntry } from './provider-suite.js';
import { suiteEntry } from './suite-entry.js';

const EVENT_STREAM = 'text/event-stream';

/** A provider of the suite in front of a loopback upstream. */
export class SuiteContext {
  #upstream: LoopbackUpstream | undefined;
  #provider: ModelProvider | undefined;
  readonly #entries: SuiteEntry[] = [];
  readonly #refused: string[] = [];

  constructor(readonly suite: ProviderSuite) {}

  async start(): Promise<void> {
    this.#upstream = await LoopbackUpstream.start();
    this.#upstream.accepts = this.suite.accepts;
    this.#upstream.refused = this.#refused;
    this.#provider = this.other(`${this.#upstream.origin}/v1`);
  }

  async stop(): Promise<void> {
    await this.suite.close?.();
    for (const entry of this.#entries) await entry.close();
    await this.#upstream?.stop();
  }

  get upstream(): LoopbackUpstream {
    if (!this.#upstream) throw new Error('not started');
    return this.#upstream;
  }

  get provider(): ModelProvider {
    if (!this.#provider) throw new Error('not started');
    return this.#provider;
  }

  /** Another provider of the suite: at this address, with what else its entry says. */
  other(baseUrl: string, entry: Readonly<Record<string, unknown>> = {}): ModelProvider {
    const whole = suiteEntry(baseUrl, entry);
    this.#entries.push(whole);
    return this.suite.create(whole);
  }

  /** A request of the suite that fits the event or the first fixture. */
  request(stream: boolean): GenerationRequest {
    const [first] = this.suite.fixtures;
    if (!first) throw new Error('a suite needs a fixture');
    return withStream(first.request, stream);
  }

  /** The response with this body, streamed or not, in the vendor's content type. */
  reply(streamed: boolean, body: string | Buffer): Reply {
    const { stream = EVENT_STREAM, whole = 'application/json' } = this.suite.contentTypes ?? {};
    return { headers: { 'content-type': streamed ? stream : whole }, body };
  }

  /** Whether streams are server-sent events, which may be framed in several ways. */
  get eventStream(): boolean {
    return (this.suite.contentTypes?.stream ?? EVENT_STREAM) === EVENT_STREAM;
  }

  /** So many events from the middle of a stream. */
  events(count: number): Buffer {
    const event = Buffer.from(this.suite.event);
    return Buffer.concat(Array.from({ length: count }, () => event));
  }

  /** Offsets at which a frame of the stream ends. */
  frameEnds(stream: Buffer): readonly number[] {
    if (this.suite.frameEnds) return this.suite.frameEnds(stream);
    const border = this.eventStream ? '\n\n' : '\n';
    const ends: number[] = [];
    for (let at = stream.indexOf(border); at >= 0; at = stream.indexOf(border, at + border.length)) ends.push(at + border.length);
    return ends;
  }

  /** The body of a request as the suite reads it. */
  sent({ bytes }: RecordedRequest): unknown {
    return this.suite.requestBody ? this.suite.requestBody(bytes) : JSON.parse(bytes.toString());
  }

  /** Has the upstream answer with the vendor's list of models from now on. */
  lists(): void {
    this.upstream.replies({ headers: { 'content-type': 'application/json' }, body: this.suite.modelList ?? '{"object":"list","data":[]}' });
  }

  async models(provider = this.provider): Promise<readonly ProviderModel[]> {
    this.lists();
    return provider.models(new AbortController().signal);
  }

  async probe(provider = this.provider, given?: AbortSignal): Promise<void> {
    const signal = given ?? new AbortController().signal;
    await (provider.probe ? provider.probe(signal) : provider.models(signal));
  }

  /** Reads one response to its end and puts it together. */
  async answer(request: GenerationRequest, reply: Reply, call: TestCall = testCall()): Promise<CollectedAnswer> {
    this.upstream.replies(reply);
    return collect(await readAll(this.provider.generate(request, call)));
  }

  /** `test` unless the suite skips it. */
  test(name: string, run: () => Promise<void>, timeout?: number): void {
    const skip = this.suite.skip?.find(({ tests }) => tests.test(name));
    if (skip) it.skip(`${name} (${skip.reason})`, run);
    else it(name, () => run().finally(() => expect(this.#refused.splice(0)).toEqual([])), timeout);
  }
}

/** The choices that a fixture expects, with what it leaves out. */
export function expectedChoices({ choices }: ProviderFixture['expect']): CollectedChoice[] {
  return choices.map((choice, index) => ({
    index,
    text: null,
    reasoning: null,
    refusal: null,
    toolCalls: [],
    logprobs: [],
    finishReason: 'stop',
    ...choice,
  }));
}

export function withStream(request: GenerationRequest, stream: boolean): GenerationRequest {
  return deepFreeze({ ...request, stream });
}

export const sse = (body: string | Buffer): Reply => ({ headers: { 'content-type': EVENT_STREAM }, body });

export const json = (body: string | Buffer): Reply => ({ headers: { 'content-type': 'application/json' }, body });

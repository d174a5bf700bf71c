import { deepFreeze } from '../../config/deep-freeze.js';
import type { GenerationRequest } from '../../wire/generation.js';
import type { ModelProvider } from '../model-provider.js';
import { type CollectedAnswer, collect, readAll } from './collect.js';
import { type TestCall, testCall } from './call.js';
import { LoopbackUpstream, type Reply } from './loopback-upstream.js';
import type { ProviderSuite, SuiteEntry } from './provider-suite.js';
import { suiteEntry } from './suite-entry.js';

/** A provider of the suite in front of a loopback upstream. */
export class SuiteContext {
  #upstream: LoopbackUpstream | undefined;
  #provider: ModelProvider | undefined;
  #entry: SuiteEntry | undefined;

  constructor(readonly suite: ProviderSuite) {}

  async start(): Promise<void> {
    this.#upstream = await LoopbackUpstream.start();
    this.#entry = suiteEntry(`${this.#upstream.origin}/v1`);
    this.#provider = this.suite.create(this.#entry);
  }

  async stop(): Promise<void> {
    await this.suite.close?.();
    await this.#entry?.services.transport.onApplicationShutdown();
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

  /** A request of the suite that fits the event or the first fixture. */
  request(stream: boolean): GenerationRequest {
    const [first] = this.suite.fixtures;
    if (!first) throw new Error('a suite needs a fixture');
    return withStream(first.request, stream);
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
    else it(name, run, timeout);
  }
}

export function withStream(request: GenerationRequest, stream: boolean): GenerationRequest {
  return deepFreeze({ ...request, stream });
}

export const sse = (body: string | Buffer): Reply => ({ headers: { 'content-type': 'text/event-stream' }, body });

export const json = (body: string | Buffer): Reply => ({ headers: { 'content-type': 'application/json' }, body });

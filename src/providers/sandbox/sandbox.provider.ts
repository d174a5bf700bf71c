import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, systemClock } from '../../common/time/clock.js';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../wire/embedding.js';
import type { GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import type { RerankAnswer, RerankRequest } from '../../wire/rerank.js';
import { ModelProvider, type ProviderCall, type ProviderModel } from '../contract/model-provider.js';
import { isProviderError, ProviderError } from '../contract/provider-error.js';
import { withFault } from './fault.js';
import type { SandboxAnswers } from './sandbox-answers.js';
import { sandboxModels } from './sandbox.models.js';

const faults = new Map(sandboxModels.map(({ id, fault }) => [id, fault]));

/**
 * A small statistical language model in this process. It answers for every model of the catalogue when it is asked to.
 * The modules that write its answers, 44 of them, are loaded with the first request, as the language is learned.
 */
@Injectable()
export class SandboxProvider extends ModelProvider implements OnApplicationShutdown {
  readonly id = 'sandbox';
  readonly name = 'Sandbox';
  override readonly forTests = true;
  #answers: Promise<SandboxAnswers> | undefined;

  constructor(private readonly clock: Clock = systemClock) {
    super();
  }

  models(): readonly ProviderModel[] {
    return sandboxModels;
  }

  async *generate(request: GenerationRequest, call: ProviderCall): AsyncGenerator<GenerationChunk> {
    const fault = faults.get(call.upstreamModel);
    try {
      const answers = await this.#load();
      const answer = answers.generate(request, call);
      yield* fault ? withFault(fault, answer, call, this.clock) : answer;
    } catch (error) {
      if (call.signal.aborted) return;
      throw isProviderError(error) ? error : new ProviderError('bad_response', 'The sandbox failed', { cause: error });
    }
  }

  override embed(request: EmbeddingRequest, call: ProviderCall): Promise<EmbeddingAnswer> {
    return this.#once((answers) => answers.embed(request, call));
  }

  override rerank(request: RerankRequest, call: ProviderCall): Promise<RerankAnswer> {
    return this.#once((answers) => answers.rerank(request, call));
  }

  async #once<Answer>(ask: (answers: SandboxAnswers) => Promise<Answer>): Promise<Answer> {
    try {
      return await ask(await this.#load());
    } catch (error) {
      throw isProviderError(error) ? error : new ProviderError('bad_response', 'The sandbox failed', { cause: error });
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.#answers)?.close();
  }

  #load(): Promise<SandboxAnswers> {
    this.#answers ??= import('./sandbox-answers.js').then(({ SandboxAnswers }) => new SandboxAnswers());
    return this.#answers;
  }
}

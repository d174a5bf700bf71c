import type { EmbeddingAnswer, EmbeddingRequest } from '../../wire/embedding.js';
import type { GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import type { RerankAnswer, RerankRequest } from '../../wire/rerank.js';
import type { ProviderCall } from '../contract/model-provider.js';
import { ProviderError } from '../contract/provider-error.js';
import { embedTexts } from './embedding/embed-texts.js';
import { language } from './language/language.js';
import { Pacer } from './pacer.js';
import { chatResponse } from './response/chat-response.js';
import { ChatShape } from './response/chat-shape.js';
import { completionResponse } from './response/completion-response.js';
import { CompletionShape } from './response/completion-shape.js';
import type { ResponseLimits } from './response/response.js';
import { scoreTexts } from './rerank/score-texts.js';
import { SamplingPlan } from './response/sampling-plan.js';
import { SchemaInstances } from './response/schema-instances.js';
import { partBesides } from './response/transcript.js';
import { streamedChunks, wholeChunk } from './response/write-response.js';
import { type SandboxModel, sandboxModels } from './sandbox.models.js';

const models = new Map(sandboxModels.map((model) => [model.id, model]));

/**
 * The limits for other models' ids, which a test key asks for: any prompt of theirs fits. What their images may count is
 * not known here, so that they count nothing of their own.
 */
const STAND_IN: Pick<SandboxModel, 'contextLength' | 'maxTokens' | 'reasoning' | 'status'> = {
  contextLength: 1_048_576,
  maxTokens: 131_072,
  reasoning: 'asked',
};

/** Writes the answers of all models, whatever else goes wrong with them on purpose. */
export class SandboxAnswers {
  readonly #schemas = new SchemaInstances();

  async *generate(request: GenerationRequest, call: ProviderCall): AsyncGenerator<GenerationChunk> {
    const own = models.get(call.upstreamModel);
    const { contextLength, maxTokens, reasoning = 'never', status } = own ?? STAND_IN;
    if (status?.active === false) throw new ProviderError('model_unavailable', status.message);
    const readable = own?.capabilities.vision ? ['text', 'refusal', 'image_url'] : ['text', 'refusal'];
    const unreadable = own && request.operation === 'chat' && partBesides(readable, request.messages);
    if (unreadable) throw new ProviderError('invalid_request', `The model '${own.id}' does not accept ${unreadable} parts`);

    const known = await language();
    const pacer = new Pacer();
    await pacer.yieldToEventLoop();
    if (call.signal.aborted) return;
    const sampling = new SamplingPlan(request, known.vocabulary, () => call.dropped('logit_bias'));
    const countsImages = own !== undefined;
    const limits: ResponseLimits = { contextLength, maxTokens, reasoning, countsImages };
    const task = { language: known, sampling, schemas: this.#schemas, ...limits, pacer, signal: call.signal };
    const write = request.stream ? streamedChunks : wholeChunk;
    if (request.operation === 'chat') {
      const answer = await chatResponse({ ...task, request });
      yield* write(answer, new ChatShape(known.vocabulary, request.logprobs === true, answer.callsTools), call, pacer);
    } else {
      const answer = await completionResponse({ ...task, request });
      yield* write(answer, new CompletionShape(known.vocabulary, request.logprobs), call, pacer);
    }
  }

  async embed(request: EmbeddingRequest, { upstreamModel, signal }: ProviderCall): Promise<EmbeddingAnswer> {
    const { contextLength } = models.get(upstreamModel) ?? STAND_IN;
    const known = await language();
    const pacer = new Pacer();
    await pacer.yieldToEventLoop();
    return embedTexts({ request, language: known, contextLength, pacer, signal });
  }

  async rerank(request: RerankRequest, { upstreamModel, signal }: ProviderCall): Promise<RerankAnswer> {
    const { contextLength } = models.get(upstreamModel) ?? STAND_IN;
    const known = await language();
    const pacer = new Pacer();
    await pacer.yieldToEventLoop();
    return scoreTexts({ request, language: known, contextLength, pacer, signal });
  }

  async close(): Promise<void> {
    await this.#schemas.close();
  }
}

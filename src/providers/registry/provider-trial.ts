import { randomUUIDv7 } from 'node:crypto';
import type { Clock } from '../../common/time/clock.js';
import type { FinishReason } from '../../wire/chat-completion.js';
import type { EmbeddingRequest } from '../../wire/embedding.js';
import type { GenerationRequest } from '../../wire/generation.js';
import { type Usage, usageOf } from '../../wire/usage.js';
import { thrownBy, withoutSecrets } from '../errors/hidden-secrets.js';
import { listedModels } from '../contract/listed-models.js';
import type { Flow, ModelProvider, ProviderModel } from '../contract/model-provider.js';
import { isProviderError, ProviderError } from '../contract/provider-error.js';
import { timeLimited } from '../../common/time/waits.js';

/** Characters of the answer that are kept. */
const MAX_TEXT = 500;

/** Milliseconds beyond its time after which a provider is left that does not heed the signal. */
const GRACE_MS = 1_000;

interface TrialTerms {
  /** As the provider lists it, or its own name for it; absent: the cheapest that it lists. */
  readonly model?: string | undefined;
  readonly maxTokens: number;
  /** Milliseconds for all of it. */
  readonly timeout: number;
  readonly clock: Clock;
}

/** What has come of asking a provider for a few words. Times are milliseconds. */
export interface Trial {
  /** Undefined where there was none to ask. */
  readonly model?: Pick<ProviderModel, 'id' | 'upstreamModel'> | undefined;
  /** From the request to the end of the answer, or to its failure. */
  readonly latencyMs: number;
  readonly firstTokenMs?: number | undefined;
  readonly text: string;
  readonly finishReason?: FinishReason | undefined;
  /** As the provider counts it. */
  readonly usage?: Usage | undefined;
  readonly error?: ProviderError | undefined;
}

/**
 * Asks a provider for a few words, past the ledger: the operator pays. It is asked once, and what goes wrong is part of
 * the answer, without secrets.
 */
export async function tryProvider(provider: ModelProvider, { model: named, maxTokens, timeout, clock }: TrialTerms): Promise<Trial> {
  const signal = clock.timeout(timeout);
  let model: ProviderModel | undefined;
  let startedAt = clock.monotonic();
  const heard: { text: string; firstTokenMs?: number; finishReason?: FinishReason; usage?: Usage } = { text: '' };
  const ask = async (): Promise<void> => {
    model = await modelToTry(provider, named, signal);
    startedAt = clock.monotonic();
    const call = {
      signal,
      requestId: randomUUIDv7(),
      upstreamModel: model.upstreamModel ?? model.id,
      flow: open,
      dropped: () => undefined,
    };
    if (provider.embed && embedsAlone(model)) {
      const { usage } = await provider.embed(embeddingsFor(model), call);
      heard.finishReason = 'stop';
      if (usage) heard.usage = { ...usage, ...usageOf(usage.prompt_tokens, 0) };
      return;
    }
    if (provider.rerank && model.capabilities.rerank) {
      await provider.rerank({ operation: 'rerank', model: model.id, query: 'OK', input: ['OK'], searches: 1, stream: false, n: 1 }, call);
      heard.finishReason = 'stop';
      return;
    }
    for await (const { choices, usage } of provider.generate(requestFor(model, maxTokens), call)) {
      if (usage) heard.usage = usage;
      for (const { delta, text = '', finish_reason } of choices) {
        heard.firstTokenMs ??= clock.monotonic() - startedAt;
        if (heard.text.length < MAX_TEXT) heard.text = (heard.text + (delta?.content ?? text)).slice(0, MAX_TEXT);
        if (finish_reason !== null) heard.finishReason = finish_reason;
      }
    }
    if (signal.aborted) throw late(timeout);
    if (heard.finishReason === undefined) throw new ProviderError('bad_response', 'The answer breaks off');
  };
  let error: ProviderError | undefined;
  try {
    await timeLimited(clock, timeout + GRACE_MS, ask());
  } catch (thrown) {
    error = signal.aborted ? late(timeout) : shown(provider, thrown);
  }
  return { model, latencyMs: clock.monotonic() - startedAt, ...heard, error };
}

const open: Flow = { paused: false, ready: () => Promise.resolve(), onChange: () => () => undefined };

function late(timeout: number): ProviderError {
  return new ProviderError('timeout', `The provider has not answered within ${timeout} ms`);
}

function shown(provider: ModelProvider, thrown: unknown): ProviderError {
  if (isProviderError(thrown)) return withoutSecrets(provider, thrown);
  return new ProviderError('bad_response', `The provider module failed: ${thrownBy(provider, thrown).message}`);
}

/** @throws ProviderError (rejects) where the provider has no such model, or none */
async function modelToTry(provider: ModelProvider, named: string | undefined, signal: AbortSignal): Promise<ProviderModel> {
  const all = listedModels(await provider.models(signal));
  const model =
    named === undefined
      ? all.filter(({ capabilities: { chat, completion } }) => chat || completion).toSorted((one, other) => costOf(one) - costOf(other))[0]
      : (all.find(({ id }) => id === named) ?? all.find(({ upstreamModel }) => upstreamModel === named) ?? provider.open?.(named));
  if (model) return model;
  throw new ProviderError(
    'model_unavailable',
    named === undefined ? 'The provider lists no model' : `The provider has no model '${named}'`,
  );
}

/** Models of which no price is known come last. */
function costOf({ price }: ProviderModel): number {
  return price ? Number(price.prompt) + Number(price.completion) : Number.MAX_VALUE;
}

function embedsAlone({ capabilities: { chat, completion, embeddings } }: ProviderModel): boolean {
  return embeddings && !chat && !completion;
}

function embeddingsFor({ id: model }: ProviderModel): EmbeddingRequest {
  return { operation: 'embeddings', model, input: ['OK'], encoding_format: 'float', stream: false, n: 1 };
}

function requestFor({ id: model, capabilities }: ProviderModel, max_tokens: number): GenerationRequest {
  const sampling = { model, stream: true, n: 1, max_tokens };
  if (!capabilities.chat) return { operation: 'completion', ...sampling, prompt: 'One, two,' };
  return { operation: 'chat', ...sampling, messages: [{ role: 'user', content: 'Answer with the word OK.' }] };
}

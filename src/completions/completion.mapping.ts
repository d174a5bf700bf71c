import { ApiError } from '../common/api-error.js';
import type { CompletionEnvelope } from '../inference/chunks/completion-envelope.js';
import { samplingOf } from '../inference/sampling.js';
import { copyMember, textBytes, valueAt } from '../wire/members.js';
import type { Completion, CompletionLogprobs } from '../wire/completion.js';
import type { CompletionGenerationRequest, GenerationChoice, GenerationChunk } from '../wire/generation.js';
import { usageOf } from '../wire/usage.js';
import { bestOf, type BestOfRanking } from './best-of.js';
import type { CreateCompletionDto } from './create-completion.dto.js';

export type CompletionRequests = readonly [CompletionGenerationRequest, ...CompletionGenerationRequest[]];
type CompletionChoice = Completion['choices'][number];

/** How the prompts of a body become generation requests, and the generated choices those of the completion. */
export interface CompletionPlan {
  readonly prompts: number;
  /** One of them. */
  readonly promptAt: (position: number) => string;
  /** Choices returned for each prompt. */
  readonly n: number;
  /** Choices generated for each prompt; more than `n` only where best_of applies. */
  readonly generated: number;
  /** As the client asked for log probabilities. best_of asks the provider for them in any case. */
  readonly logprobs: number | undefined;
  /**
   * Who puts the prompt before the texts. It is this endpoint where only the ranking needs log probabilities, because
   * not every model reports those of a prompt.
   */
  readonly echo: 'none' | 'inference' | 'endpoint';
}

export function completionPlan(body: CreateCompletionDto): CompletionPlan {
  const { n, best_of, logprobs, echo } = body;
  const prompt = promptsOf(body);
  const returned = n ?? 1;
  const generated = Math.max(returned, best_of ?? 1);
  const asked = logprobs ?? undefined;
  return {
    prompts: prompt.count,
    promptAt: (position) => (prompt.holder as Record<string, string>)[prompt.nameAt(position)]!,
    n: returned,
    generated,
    logprobs: asked,
    echo: !echo ? 'none' : generated > returned && asked === undefined ? 'endpoint' : 'inference',
  };
}

interface Prompts {
  readonly count: number;
  readonly holder: object;
  /** The name of the holder's member that a prompt is. */
  readonly nameAt: (position: number) => string;
}

function promptsOf(body: CreateCompletionDto): Prompts {
  const prompt = valueAt(body, 'prompt') as string | string[] | number[] | number[][];
  if (!Array.isArray(prompt) || typeof prompt[0] === 'number') return { count: 1, holder: body, nameAt: () => 'prompt' };
  return { count: prompt.length, holder: prompt, nameAt: (position) => `${position}` };
}

/** Whether the prompts are token ids. */
export function hasTokenIds(body: CreateCompletionDto): boolean {
  const { holder, nameAt } = promptsOf(body);
  return idsAt(holder, nameAt(0)) !== undefined;
}

/** Token ids; undefined where it is a text. */
function idsAt(holder: object, name: string): readonly number[] | undefined {
  const prompt = (holder as Record<string, unknown>)[name];
  return Array.isArray(prompt) ? (prompt as number[]) : undefined;
}

/** UTF-8 bytes of the text of a token, about, where nobody here knows it. */
const TOKEN_BYTES = 8;

/** UTF-8 bytes of all prompts. */
export function promptBytes(body: CreateCompletionDto): number {
  const { count, holder, nameAt } = promptsOf(body);
  let bytes = 0;
  for (let position = 0; position < count; position++) bytes += sizeAt(holder, nameAt(position));
  return bytes;
}

function sizeAt(holder: object, name: string): number {
  const ids = idsAt(holder, name);
  return ids ? ids.length * TOKEN_BYTES : textBytes(holder, name);
}

/** One request for each prompt. */
export function completionRequests(body: CreateCompletionDto, plan: CompletionPlan): CompletionRequests {
  const shared = {
    ...samplingOf(body),
    operation: 'completion' as const,
    n: plan.generated,
    max_tokens: body.max_tokens ?? undefined,
    suffix: body.suffix || undefined,
    echo: plan.echo === 'inference' || undefined,
    logprobs: body.logprobs ?? (plan.generated > plan.n ? 1 : undefined),
  };
  const { count, holder, nameAt } = promptsOf(body);
  const requests = Array.from({ length: count }, (_, position) => {
    const request = { ...shared };
    copyMember(holder, nameAt(position), request, 'prompt');
    return request as CompletionGenerationRequest;
  });
  return requests as [CompletionGenerationRequest, ...CompletionGenerationRequest[]];
}

/** @param whole all chunks, merged by `accumulate`; it has `plan.generated` choices for each prompt in turn */
export function completion(
  { id, created, model }: CompletionEnvelope,
  whole: GenerationChunk,
  plan: CompletionPlan,
  ranking: BestOfRanking,
): Completion {
  const choices = plan.generated > plan.n ? ranked(whole.choices, plan, ranking) : whole.choices;
  return {
    id,
    object: 'text_completion',
    created,
    model,
    choices: choices.map((choice) => completionChoice(choice, plan.logprobs)),
    usage: whole.usage ?? usageOf(0, 0),
    ...whole.extra,
  };
}

/** @param asked how many of the most likely tokens the client asked for; undefined: no log probabilities */
export function completionChoice({ text, index, logprobs, finish_reason }: GenerationChoice, asked: number | undefined): CompletionChoice {
  const given = asked === undefined ? undefined : (logprobs as CompletionLogprobs | null | undefined);
  return {
    text: text ?? '',
    index,
    logprobs: given ? (asked === 0 ? withChosenAlone(given) : given) : null,
    finish_reason: finish_reason as CompletionChoice['finish_reason'],
  };
}

/** Where no alternatives were asked for, each token has its own entry. */
function withChosenAlone(logprobs: CompletionLogprobs): CompletionLogprobs {
  const { tokens, token_logprobs } = logprobs;
  const chosen = tokens.map((token, index) => {
    const logprob = token_logprobs[index];
    return logprob === null || logprob === undefined ? null : { [token]: logprob };
  });
  return { ...logprobs, top_logprobs: chosen };
}

function ranked(choices: readonly GenerationChoice[], plan: CompletionPlan, ranking: BestOfRanking): GenerationChoice[] {
  if (choices.some(({ text, logprobs }) => text && !logprobs)) {
    throw new ApiError('upstream_error', 'The provider of the model did not report the log probabilities that best_of ranks by.');
  }
  return Array.from({ length: plan.prompts }, (_, position) => {
    const prompt = plan.echo === 'none' ? '' : plan.promptAt(position);
    const own = choices.filter(({ index }) => Math.floor(index / plan.generated) === position);
    return bestOf(own, plan.n, ranking, plan.echo === 'inference' ? prompt.length : 0).map((choice, place) => ({
      ...choice,
      index: position * plan.n + place,
      text: (plan.echo === 'endpoint' ? prompt : '') + (choice.text ?? ''),
    }));
  }).flat();
}

import type { CompletionGenerationRequest } from '../../../wire/generation.js';
import { Infill } from '../language/infill.js';
import { END, type Vocabulary } from '../language/vocabulary.js';
import { type SandboxResponse, type ResponseTask, outputLimit } from './response.js';
import { type ChoiceDeltas, textDelta } from './choice-delta.js';
import { PromptReader } from './prompt-reader.js';
import { textDeltas } from './text-deltas.js';
import { type Predictor, SampledTokens } from './token-source.js';

/** The wire format's default of max_tokens for the legacy operation. */
const DEFAULT_MAX_TOKENS = 16;

export async function completionResponse(task: ResponseTask<CompletionGenerationRequest>): Promise<SandboxResponse> {
  const { request, language } = task;
  const suffix = language.tokenizer.encode(request.suffix ?? '');
  const given = promptText(request, language.vocabulary);
  const reader = new PromptReader(language, task.contextLength, task.pacer, task.signal);
  reader.reserve(suffix.length);
  const scored = request.echo === true && request.logprobs !== undefined ? await reader.readScored(given, request.logprobs) : undefined;
  const prompt = scored ?? (await reader.readText(given));
  prompt.reading.topics.readAside(suffix);
  const predictor: Predictor = suffix.length > 0 ? new Infill(language.model, suffix) : language.model;
  const echo = request.echo === true ? textDelta(given, scored?.tokens ?? [], 0) : undefined;
  const limits = {
    maxTokens: outputLimit(task, prompt.tokenCount, DEFAULT_MAX_TOKENS),
    stop: request.stop ?? [],
    offset: echo ? given.length : 0,
  };

  function* choice(index: number): ChoiceDeltas {
    if (echo) yield echo;
    const tokens = new SampledTokens(predictor, language.vocabulary, prompt.reading.copy(), task.sampling.sampler(index), request.logprobs);
    yield* textDeltas(tokens, language.vocabulary, limits);
  }
  const choices = Array.from({ length: request.n }, (_, index) => choice(index));
  return { promptTokens: prompt.tokenCount, choices, callsTools: false };
}

/** Ids of another vocabulary, as test keys send them for another vendor's model, are left out. */
function promptText({ prompt }: CompletionGenerationRequest, { bytes }: Vocabulary): string {
  if (typeof prompt === 'string') return prompt;
  return Buffer.concat(prompt.flatMap((id) => (id === END ? [] : (bytes[id] ?? [])))).toString();
}

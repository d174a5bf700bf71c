import type { Delta, FinishReason, ToolCallDelta } from '../../../wire/chat-completion.js';
import type { ChatGenerationRequest, GenerationChoice, GenerationChunk } from '../../../wire/generation.js';
import { requireWithin } from '../../translation/answer-limits.js';
import { ProviderError } from '../../contract/provider-error.js';
import { finishReasonFrom } from './finish-reason.js';
import type { ResponsePart, Candidate, GenerateContentResponse, UsageMetadata } from './wire.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import type { Usage } from '../../../wire/usage.js';
import { joinUsages } from '../join-usages.js';
import { inBandGenerateContentError } from './error.js';
import { logprobsFrom } from './logprobs.js';
import { withSignature } from './signatures.js';
import { generatedId } from './tool-call-id.js';
import { tokenCount } from '../token-count.js';
import { isBelowZero, tokens, usageFrom } from './usage.js';

interface ChoiceState {
  readonly index: number;
  begun: boolean;
  calls: number;
  finish?: FinishReason;
}

/**
 * Translates one response of Google to the wire format, event by event or as a whole. Finish reasons and usage are held
 * back until the end: Google counts from the beginning of the response in each event, and earlier models said STOP in
 * every one.
 */
export class GenerateContentTranslator {
  readonly #states: ChoiceState[];
  #told: UsageMetadata = {};
  #usage: Usage | undefined;
  /** Tokens of the prompt that were told; undefined until then. */
  #promptTold: number | undefined;
  /** Tokens of candidates and thoughts by now. */
  #generated = 0;
  #goesOn = false;
  #thoughts = 0;

  /** @param secrets are removed from Google's error messages */
  constructor(
    private readonly request: ChatGenerationRequest,
    private readonly requestId: string,
    private readonly secrets: readonly string[],
  ) {
    this.#states = Array.from({ length: request.n }, (_, index) => ({ index, begun: false, calls: 0 }));
  }

  /**
   * Translates one event of a stream.
   * @returns undefined where the event brings no output
   * @throws ProviderError
   */
  event(event: GenerateContentResponse): GenerationChunk | undefined {
    const choices = this.#read(event);
    const usageSoFar = event.usageMetadata ? this.#soFar(choices.length === 0) : undefined;
    if (choices.length === 0) return usageSoFar && { choices, usageSoFar };
    const chunk: GenerationChunk = { choices };
    if (usageSoFar) chunk.usageSoFar = usageSoFar;
    if (event.usageMetadata) this.#tellPrompt(chunk);
    const { candidatesTokenCount, thoughtsTokenCount } = event.usageMetadata ?? {};
    if (tokenCount(candidatesTokenCount) !== undefined || tokenCount(thoughtsTokenCount) !== undefined) {
      const generated = Math.max(this.#generated, tokens(this.#told.candidatesTokenCount) + tokens(this.#told.thoughtsTokenCount));
      chunk.tokens = generated - this.#generated;
      this.#generated = generated;
    }
    return chunk;
  }

  /** What it costs who leaves early. */
  #tellPrompt(chunk: GenerationChunk): void {
    const usage = this.#usage;
    if (!usage || tokenCount(this.#told.promptTokenCount) === undefined || usage.prompt_tokens === this.#promptTold) return;
    this.#promptTold = chunk.promptTokens = usage.prompt_tokens;
    if (usage.prompt_tokens_details) chunk.promptDetails = usage.prompt_tokens_details;
    if (usage.service_tier !== undefined) chunk.serviceTier = usage.service_tier;
  }

  /**
   * The stream has ended.
   * @throws ProviderError bad_response where a choice has not
   */
  end(): GenerationChunk[] {
    const chunks: GenerationChunk[] = [];
    for (const state of this.#given) {
      const finish_reason = this.#finish(state);
      if (!state.begun) chunks.push({ choices: [{ index: state.index, delta: { role: 'assistant', content: '' }, finish_reason: null }] });
      chunks.push({ choices: [{ index: state.index, delta: {}, finish_reason }] });
    }
    if (this.#usage) chunks.at(-1)!.usage = this.#usage;
    else Object.assign(chunks.at(-1)!, this.#totalAlone);
    return chunks;
  }

  /** Translates a response that is not streamed. @throws ProviderError */
  whole(body: GenerateContentResponse): GenerationChunk {
    const found = this.#read(body);
    const choices = this.#given.map((state): GenerationChoice => {
      const choice = found.find(({ index }) => index === state.index) ?? {
        index: state.index,
        delta: { role: 'assistant', content: '' },
      };
      return { ...choice, finish_reason: this.#finish(state) };
    });
    return this.#usage ? { choices, usage: this.#usage } : { choices, ...this.#totalAlone };
  }

  /**
   * Thoughts come before the answer, and nobody sees them.
   * @param all whether the chunk tells nothing else
   */
  #soFar(all: boolean): Partial<Usage> | undefined {
    const before = this.#thoughts;
    this.#thoughts = tokens(this.#told.thoughtsTokenCount);
    if (all) return this.#usage;
    return this.#thoughts === before ? undefined : { completion_tokens_details: { reasoning_tokens: this.#thoughts } };
  }

  /** What can be told without a usage: which part of the total is the prompt only the gateway's own count says. */
  get #totalAlone(): Pick<GenerationChunk, 'usageSoFar'> {
    const total = tokens(this.#told.totalTokenCount);
    return total > 0 && !isBelowZero(this.#told.promptTokenCount) ? { usageSoFar: { total_tokens: total } } : {};
  }

  /**
   * Whether every choice has its finish reason, and the usage is known. Older models name the reason in each event:
   * where an answer goes on behind it, that says nothing.
   */
  get settled(): boolean {
    return !this.#goesOn && this.#states.every(({ finish }) => finish) && this.#usage !== undefined;
  }

  /** The choices of a complete answer: all that were asked for, or those of a model that ignores their number. */
  get #given(): readonly ChoiceState[] {
    const some = this.#states.some(({ finish }) => finish);
    return some ? this.#states.filter(({ finish, begun }) => finish || begun) : this.#states;
  }

  #finish({ finish, calls }: ChoiceState): FinishReason {
    if (!finish) throw new ProviderError('bad_response', 'Gemini ended its answer without a finish reason');
    return finish === 'stop' && calls > 0 ? 'tool_calls' : finish;
  }

  #read(event: GenerateContentResponse): GenerationChoice[] {
    if (event.error != null) throw inBandGenerateContentError(event.error, this.secrets);
    if (isObject(event.usageMetadata)) this.#keepUsage(event.usageMetadata);
    const choices: GenerationChoice[] = [];
    const { candidates } = event;
    if (!Array.isArray(candidates) || candidates.length === 0) {
      const blocked = event.promptFeedback?.blockReason;
      if (blocked) throw blockedPrompt(blocked, event.promptFeedback?.blockReasonMessage);
      return choices;
    }
    for (let position = 0; position < candidates.length; position++) {
      const candidate = candidates[position];
      // Candidates beyond the number that was asked for are left out.
      const state = candidate && this.#states[candidate.index ?? position];
      const choice = state && this.#choice(state, candidate);
      if (choice) choices.push(choice);
    }
    return choices;
  }

  #keepUsage(usage: JsonObject): void {
    this.#told = joinUsages(this.#told as JsonObject, usage, 'last');
    this.#usage = usageFrom(this.#told);
  }

  #choice(state: ChoiceState, candidate: Candidate): GenerationChoice | undefined {
    const delta = this.#delta(state, candidate.content?.parts);
    if (delta && state.finish) this.#goesOn = true;
    const logprobs = candidate.logprobsResult && logprobsFrom(candidate.logprobsResult, this.request.top_logprobs ?? 0);
    state.finish = finishReasonFrom(candidate.finishReason) ?? state.finish;
    if (!delta && !logprobs) return undefined;
    const choice: GenerationChoice = { index: state.index, delta: delta ?? {}, finish_reason: null };
    if (logprobs) choice.logprobs = logprobs;
    return choice;
  }

  #delta(state: ChoiceState, parts: readonly (ResponsePart | null)[] | null | undefined): Delta | undefined {
    if (!Array.isArray(parts)) return undefined;
    let content = '';
    let reasoning = '';
    let calls: ToolCallDelta[] | undefined;
    let signature: string | undefined;
    for (const part of parts as readonly (ResponsePart | null)[]) {
      if (!part) continue;
      if (part.functionCall?.name) (calls ??= []).push(this.#call(state, part));
      else {
        if (part.thoughtSignature) signature = part.thoughtSignature;
        if (typeof part.text !== 'string') continue;
        if (part.thought) reasoning += part.text;
        else content += part.text;
      }
    }
    if (content === '' && reasoning === '' && !calls && !signature) return undefined;
    const delta: Delta = {};
    if (!state.begun) {
      state.begun = true;
      delta.role = 'assistant';
    }
    if (reasoning !== '') delta.reasoning_content = reasoning;
    if (content !== '') delta.content = content;
    if (calls) delta.tool_calls = calls;
    if (signature) delta['extra_content'] = withSignature(signature);
    return delta;
  }

  /** Google sends a call as a whole, with its arguments as an object. */
  #call(state: ChoiceState, { functionCall, thoughtSignature }: ResponsePart): ToolCallDelta {
    const index = state.calls++;
    requireWithin(state.calls, 'tool calls');
    const call: ToolCallDelta = {
      index,
      id: functionCall?.id || generatedId(this.requestId, state.index, index),
      type: 'function',
      function: { name: functionCall?.name ?? '', arguments: JSON.stringify(functionCall?.args ?? {}) },
    };
    if (thoughtSignature) call.extra_content = withSignature(thoughtSignature);
    return call;
  }
}

function blockedPrompt(reason: string, message: string | undefined): ProviderError {
  const text = `The prompt was blocked (${reason})${message ? `: ${message}` : ''}`.slice(0, 1_000);
  return new ProviderError('content_filtered', text, { quotes: message !== undefined });
}

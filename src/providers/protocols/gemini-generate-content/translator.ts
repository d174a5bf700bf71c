import type { Delta, FinishReason, ToolCallDelta } from '../../../wire/chat-completion.js';
import type { ChatGenerationRequest, GenerationChoice, GenerationChunk } from '../../../wire/generation.js';
import { ProviderError } from '../../provider-error.js';
import { finishReasonFrom } from './finish-reason.js';
import type { ResponsePart, Candidate, GenerateContentResponse, UsageMetadata } from './wire.js';
import { inBandGenerateContentError } from './error.js';
import { logprobsFrom } from './logprobs.js';
import { withSignature } from './signatures.js';
import { generatedId } from './tool-call-id.js';
import { tokens, usageFrom } from './usage.js';

interface Choice {
  readonly index: number;
  begun: boolean;
  calls: number;
  finish?: FinishReason;
}

/**
 * One answer, read event by event or as a whole. Finish reasons and usage are held back to the end: Google counts from the beginning in each
 * event, and earlier models said STOP in every one.
 */
export class GenerateContentTranslator {
  readonly #choices: Choice[];
  readonly #usage: UsageMetadata = {};
  #promptTold = false;
  #candidateTokens = 0;

  /** @param secrets are taken out of Google's error texts */
  constructor(
    private readonly request: ChatGenerationRequest,
    private readonly requestId: string,
    private readonly secrets: readonly string[],
  ) {
    this.#choices = Array.from({ length: request.n }, (_, index) => ({ index, begun: false, calls: 0 }));
  }

  /** One event of a stream. @returns undefined when it brings no output. @throws ProviderError */
  event(event: GenerateContentResponse): GenerationChunk | undefined {
    const choices = this.#read(event);
    if (choices.length === 0) return undefined;
    const chunk: GenerationChunk = { choices };
    if (!this.#promptTold && this.#usage.promptTokenCount !== undefined) {
      this.#promptTold = true;
      chunk.promptTokens = tokens(this.#usage.promptTokenCount) + tokens(this.#usage.toolUsePromptTokenCount);
    }
    const counted = event.usageMetadata?.candidatesTokenCount;
    if (counted !== undefined) {
      chunk.tokens = Math.max(0, tokens(counted) - this.#candidateTokens);
      this.#candidateTokens = tokens(counted);
    }
    return chunk;
  }

  /** The stream ended. @throws ProviderError bad_response when a choice has not */
  end(): GenerationChunk[] {
    const chunks: GenerationChunk[] = [];
    for (const choice of this.#choices) {
      const finish_reason = this.#finish(choice);
      if (!choice.begun)
        chunks.push({ choices: [{ index: choice.index, delta: { role: 'assistant', content: '' }, finish_reason: null }] });
      chunks.push({ choices: [{ index: choice.index, delta: {}, finish_reason }] });
    }
    const usage = usageFrom(this.#usage);
    if (usage) chunks.at(-1)!.usage = usage;
    return chunks;
  }

  /** An answer that is not streamed. @throws ProviderError */
  whole(body: GenerateContentResponse): GenerationChunk {
    const pieces = this.#read(body);
    const choices = this.#choices.map((choice): GenerationChoice => {
      const piece = pieces.find(({ index }) => index === choice.index) ?? {
        index: choice.index,
        delta: { role: 'assistant', content: '' },
      };
      return { ...piece, finish_reason: this.#finish(choice) };
    });
    const usage = usageFrom(this.#usage);
    return usage ? { choices, usage } : { choices };
  }

  #finish({ finish, calls }: Choice): FinishReason {
    if (!finish) throw new ProviderError('bad_response', 'Gemini ended its answer without a finish reason');
    return finish === 'stop' && calls > 0 ? 'tool_calls' : finish;
  }

  #read(event: GenerateContentResponse): GenerationChoice[] {
    if (event.error != null) throw inBandGenerateContentError(event.error, this.secrets);
    if (event.usageMetadata) Object.assign(this.#usage, event.usageMetadata);
    const pieces: GenerationChoice[] = [];
    const { candidates } = event;
    if (!Array.isArray(candidates) || candidates.length === 0) {
      const blocked = event.promptFeedback?.blockReason;
      if (blocked) throw blockedPrompt(blocked, event.promptFeedback?.blockReasonMessage);
      return pieces;
    }
    for (let position = 0; position < candidates.length; position++) {
      const candidate = candidates[position];
      // More candidates than were asked for are left out.
      const choice = candidate && this.#choices[candidate.index ?? position];
      const piece = choice && this.#piece(choice, candidate);
      if (piece) pieces.push(piece);
    }
    return pieces;
  }

  #piece(choice: Choice, candidate: Candidate): GenerationChoice | undefined {
    const delta = this.#delta(choice, candidate.content?.parts);
    const logprobs = candidate.logprobsResult && logprobsFrom(candidate.logprobsResult, this.request.top_logprobs ?? 0);
    choice.finish = finishReasonFrom(candidate.finishReason) ?? choice.finish;
    if (!delta && !logprobs) return undefined;
    const piece: GenerationChoice = { index: choice.index, delta: delta ?? {}, finish_reason: null };
    if (logprobs) piece.logprobs = logprobs;
    return piece;
  }

  #delta(choice: Choice, parts: readonly (ResponsePart | null)[] | null | undefined): Delta | undefined {
    if (!Array.isArray(parts)) return undefined;
    let content = '';
    let reasoning = '';
    let calls: ToolCallDelta[] | undefined;
    let signature: string | undefined;
    for (const part of parts as readonly (ResponsePart | null)[]) {
      if (!part) continue;
      if (part.functionCall?.name) (calls ??= []).push(this.#call(choice, part));
      else {
        if (part.thoughtSignature) signature = part.thoughtSignature;
        if (typeof part.text !== 'string') continue;
        if (part.thought) reasoning += part.text;
        else content += part.text;
      }
    }
    if (content === '' && reasoning === '' && !calls && !signature) return undefined;
    const delta: Delta = {};
    if (!choice.begun) {
      choice.begun = true;
      delta.role = 'assistant';
    }
    if (reasoning !== '') delta.reasoning_content = reasoning;
    if (content !== '') delta.content = content;
    if (calls) delta.tool_calls = calls;
    if (signature) delta['extra_content'] = withSignature(signature);
    return delta;
  }

  /** Google sends a call whole, with its arguments as an object. */
  #call(choice: Choice, { functionCall, thoughtSignature }: ResponsePart): ToolCallDelta {
    const index = choice.calls++;
    const call: ToolCallDelta = {
      index,
      id: functionCall?.id || generatedId(this.requestId, choice.index, index),
      type: 'function',
      function: { name: functionCall?.name ?? '', arguments: JSON.stringify(functionCall?.args ?? {}) },
    };
    if (thoughtSignature) call.extra_content = withSignature(thoughtSignature);
    return call;
  }
}

function blockedPrompt(reason: string, message: string | undefined): ProviderError {
  return new ProviderError('content_filtered', `The prompt was blocked (${reason})${message ? `: ${message}` : ''}`.slice(0, 1_000));
}

import type { ChatLogprobs } from '../../../wire/chat-completion.js';
import type { GenerationChoice } from '../../../wire/generation.js';
import { END, type Vocabulary } from '../language/vocabulary.js';
import type { ChoiceDelta } from './choice-delta.js';
import type { ChoiceShape } from './write-response.js';

/** Writes the deltas of a choice as the `delta`s of a chat completion. */
export class ChatShape implements ChoiceShape {
  /** @param logprobs whether the request asks for log probabilities */
  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly logprobs: boolean,
    private readonly callsTools: boolean,
  ) {}

  first(index: number): GenerationChoice {
    return { index, delta: { role: 'assistant', content: this.callsTools ? null : '' }, finish_reason: null };
  }

  part(index: number, delta: ChoiceDelta): GenerationChoice {
    if (delta.finish) return { index, delta: {}, finish_reason: delta.finish };
    if (delta.reasoning !== '') return { index, delta: { reasoning_content: delta.reasoning }, finish_reason: null };
    if (this.callsTools) return { index, delta: { tool_calls: [...delta.toolCalls] }, finish_reason: null };
    return { index, delta: { content: delta.text }, logprobs: this.#logprobs(delta), finish_reason: null };
  }

  whole(index: number, delta: ChoiceDelta): GenerationChoice {
    const content = this.callsTools ? { content: null, tool_calls: [...delta.toolCalls] } : { content: delta.text };
    const logprobs = this.callsTools ? null : this.#logprobs(delta);
    const reasoning = delta.reasoning === '' ? {} : { reasoning_content: delta.reasoning };
    return { index, delta: { role: 'assistant', ...content, ...reasoning }, logprobs, finish_reason: delta.finish };
  }

  #logprobs(delta: ChoiceDelta): ChatLogprobs | null {
    if (!this.logprobs) return null;
    const content = delta.tokens.map((token) => ({
      ...this.#named(token.id, token.logprob!),
      top_logprobs: token.top.map(({ id, logprob }) => this.#named(id, logprob)),
    }));
    return { content, refusal: null };
  }

  #named(id: number, logprob: number) {
    return { token: this.vocabulary.labels[id]!, logprob, bytes: id === END ? null : [...this.vocabulary.bytes[id]!] };
  }
}

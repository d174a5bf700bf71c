import type { ChatLogprobs } from '../../../wire/chat-completion.js';
import type { GenerationChoice } from '../../../wire/generation.js';
import { END, type Vocabulary } from '../language/vocabulary.js';
import type { Piece } from './piece.js';
import type { AnswerShape } from './write-answer.js';

/** Pieces as `delta`s of a chat answer. */
export class ChatShape implements AnswerShape {
  /** @param logprobs whether they were asked for */
  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly logprobs: boolean,
    private readonly callsTools: boolean,
  ) {}

  first(index: number): GenerationChoice {
    return { index, delta: { role: 'assistant', content: this.callsTools ? null : '' }, finish_reason: null };
  }

  part(index: number, piece: Piece): GenerationChoice {
    if (piece.finish) return { index, delta: {}, finish_reason: piece.finish };
    if (this.callsTools) return { index, delta: { tool_calls: [...piece.toolCalls] }, finish_reason: null };
    return { index, delta: { content: piece.text }, logprobs: this.#logprobs(piece), finish_reason: null };
  }

  whole(index: number, piece: Piece): GenerationChoice {
    const delta = this.callsTools ? { content: null, tool_calls: [...piece.toolCalls] } : { content: piece.text };
    const logprobs = this.callsTools ? null : this.#logprobs(piece);
    return { index, delta: { role: 'assistant', ...delta }, logprobs, finish_reason: piece.finish };
  }

  #logprobs(piece: Piece): ChatLogprobs | null {
    if (!this.logprobs) return null;
    const content = piece.tokens.map((token) => ({
      ...this.#named(token.id, token.logprob!),
      top_logprobs: token.top.map(({ id, logprob }) => this.#named(id, logprob)),
    }));
    return { content, refusal: null };
  }

  #named(id: number, logprob: number) {
    return { token: this.vocabulary.labels[id]!, logprob, bytes: id === END ? null : [...this.vocabulary.bytes[id]!] };
  }
}

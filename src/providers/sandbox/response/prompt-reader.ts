import { ProviderError } from '../../contract/provider-error.js';
import type { Language } from '../language/language.js';
import type { Reading } from '../language/language-model.js';
import { marker, type Marker, type Turn } from '../language/documents.js';
import { END } from '../language/vocabulary.js';
import type { Pacer } from '../pacer.js';
import type { PlacedToken } from './choice-delta.js';
import { TextAssembler } from './text-assembler.js';
import { type Ranking, score, unscored } from './token-source.js';

/** A prompt that has been read and can be continued any number of times. */
export interface ReadPrompt {
  readonly reading: Reading;
  readonly tokenCount: number;
}

/** Reads prompts in slices that leave the event loop free, and refuses those that do not fit the context. */
export class PromptReader {
  #tokenCount = 0;

  constructor(
    private readonly language: Language,
    /** The longest context, in tokens. */
    private readonly contextLength: number,
    private readonly pacer: Pacer,
    private readonly signal: AbortSignal,
  ) {}

  /** Reads a conversation, up to the place where the assistant speaks. */
  async readConversation(turns: Iterable<Turn>): Promise<ReadPrompt> {
    const reading = this.language.model.newReading();
    for (const turn of turns) {
      this.#begin(reading, turn.marker);
      await this.#read(turn.text, (token) => reading.read(token));
      this.#count(1);
      reading.read(END);
    }
    this.#begin(reading, marker.assistant);
    return { reading, tokenCount: this.#tokenCount };
  }

  /** Reads a text that is to be continued. */
  async readText(text: string): Promise<ReadPrompt> {
    const reading = this.language.model.newReading();
    reading.beginTurn(marker.text);
    await this.#read(text, (token) => reading.read(token));
    return { reading, tokenCount: this.#tokenCount };
  }

  /**
   * Reads a text that is to be continued, and scores each of its tokens by what precedes it. The first has no score.
   */
  async readScored(text: string, ranking: Ranking): Promise<ReadPrompt & { tokens: PlacedToken[] }> {
    const { model, vocabulary } = this.language;
    const reading = model.newReading();
    reading.beginTurn(marker.text);
    const assembler = new TextAssembler(vocabulary);
    const tokens: PlacedToken[] = [];
    let offset = 0;
    await this.#read(text, (token) => {
      const scored = tokens.length === 0 ? unscored(token) : score(model.next(reading), token, ranking);
      tokens.push({ ...scored, offset });
      offset += assembler.push(token).length;
      reading.read(token);
    });
    return { reading, tokenCount: this.#tokenCount, tokens };
  }

  /** Counts tokens that belong to the prompt but are not read in order. */
  reserve(tokens: number): void {
    this.#count(tokens);
  }

  async #read(text: string, each: (token: number) => void): Promise<void> {
    for (const tokens of this.language.tokenizer.encodeByPreToken(text)) {
      this.#count(tokens.length);
      for (const token of tokens) each(token);
      if (!this.pacer.due) continue;
      await this.pacer.yieldToEventLoop();
      this.signal.throwIfAborted();
    }
  }

  #begin(reading: Reading, turn: Marker): void {
    this.#count(1);
    reading.beginTurn(turn);
  }

  #count(tokens: number): void {
    this.#tokenCount += tokens;
    if (this.#tokenCount < this.contextLength) return;
    throw new ProviderError(
      'context_length_exceeded',
      `This model's maximum context length is ${this.contextLength} tokens, and the prompt leaves no room for an answer`,
    );
  }
}

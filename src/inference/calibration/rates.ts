import type { Amounts, Part } from './linear-fit.js';

export type Parts<Name extends string> = Readonly<Record<Name, Part>>;

/** Weights of text are about tokens already (SampledWeight), for the tokenizer of the model more or fewer. */
const latin: Part = { usual: 1, spread: 0.3, range: [0.4, 2.5] };
const other: Part = { usual: 1, spread: 0.4, range: [0.4, 2.5] };

/**
 * What the tokens of a prompt are made of. Anthropic puts 264 to 806 before tools, Llama and gpt-oss 30 to 70 always.
 */
export type PromptPart = 'latin' | 'other' | 'toolBytes' | 'tools' | 'request';
export const promptParts: Parts<PromptPart> = {
  latin,
  other,
  /** UTF-8 bytes of tools' declarations. */
  toolBytes: { usual: 1 / 6, spread: 0.1, range: [0, 0.6] },
  /** 1 where there are any. */
  tools: { usual: 0, spread: 200, range: [0, 1_024] },
  /** 1. */
  request: { usual: 0, spread: 20, range: [0, 256] },
};

/** What the tokens of an answer are made of. Around a call of a tool models generate 2 to 50 that nobody sees. */
export type OutputPart = 'latin' | 'other' | 'calls';
export const outputParts: Parts<OutputPart> = { latin, other, calls: { usual: 10, spread: 20, range: [0, 128] } };

/** What is known of how an offer counts. */
export interface Rates {
  /** Whether enough of its answers were counted; otherwise only the facts count. */
  readonly learned: boolean;
  /** Tokens of a unit of each part of a prompt, and of what was generated. */
  readonly prompt: Amounts<PromptPart>;
  readonly output: Amounts<OutputPart>;
  /** Tokens of one image. */
  readonly image: number;
  /** Tokens of hidden reasoning in a millisecond of silence before the first token. */
  readonly hidden: number;
  /** Tokens in a millisecond of an answer that is not streamed. */
  readonly whole: number;
  /**
   * The least share of a prompt that is not read from a cache: where it may be there (`mayBeCached`), and elsewhere.
   */
  readonly uncached: { readonly later: number; readonly first: number };
  /** Tokens of a prompt that are read from a cache at most: no more than earlier prompts had can be there. */
  readonly mostCached: number;
}

/** Tokens of an image of one tile: 255 at OpenAI, 258 at Gemini; Claude counts as many for 437 x 437 pixels. */
const IMAGE = 255;

/** Tokens of hidden reasoning in a millisecond: models in use that hide it generate 40 to 200 a second. */
const REASONING = 0.03;

/** Where all answers were too short to tell, texts count less than usual, and all else as little as it can. */
export const facts: Rates = {
  learned: false,
  prompt: { latin: 0.7, other: 0.7, toolBytes: 1 / 6, tools: 0, request: 0 },
  output: { latin: 0.7, other: 0.7, calls: 2 },
  image: IMAGE,
  hidden: 0,
  whole: 0,
  uncached: { later: 1, first: 1 },
  mostCached: Infinity,
};

/** What is known of an offer whose model reasons, perhaps unseen. */
export const factsOfReasoning: Rates = { ...facts, hidden: REASONING };

/** What is known of offers that charge less for what they read from a cache: all of a prompt may be there. */
const uncached = { later: 0, first: 1 };
export const factsOfCaching: Rates = { ...facts, uncached };
export const factsOfBoth: Rates = { ...factsOfReasoning, uncached };

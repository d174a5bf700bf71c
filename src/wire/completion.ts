import type { Integer } from './integer.js';
import type { AnswerMembers } from './answer-members.js';
import type { Usage } from './usage.js';

/** The wire format's legacy logprobs; all four arrays have one element per token. */
export interface CompletionLogprobs {
  tokens: string[];
  /** Natural logarithms. Null for the first token of an echoed prompt, because nothing precedes it. */
  token_logprobs: (number | null)[];
  /**
   * The most likely tokens with their log probabilities; the chosen one alone where 0 were asked for. Null beside a
   * null token_logprob. The endpoint sees to it that the chosen one is there; a provider may leave all of it null then.
   */
  top_logprobs: (Record<string, number> | null)[] | null;
  /** Offset of each token in the choice's text, in UTF-16 code units. */
  text_offset: Integer[];
}

/** Response of create completion, and each event of its stream (specification, Text completion). */
export interface Completion extends AnswerMembers {
  id: string;
  object: 'text_completion';
  created: Integer;
  model: string;
  choices: {
    text: string;
    index: Integer;
    logprobs: CompletionLogprobs | null;
    finish_reason: 'stop' | 'length' | 'content_filter' | null;
  }[];
  usage?: Usage | null;
}

import type { Distribution } from './distribution.js';
import { type Document, marker } from './documents.js';
import type { LanguageModel, Reading } from './language-model.js';

/** How much likelier the next token of a recalled text is than all others together. */
const CERTAINTY = 1e9;

/**
 * Predicts a text that is known by heart, whatever the temperature. Once another token was drawn, by `logit_bias` or a
 * penalty, it is the model alone.
 */
export class Recall {
  #at = 0;

  constructor(
    private readonly model: LanguageModel,
    private readonly tokens: readonly number[],
  ) {}

  /** The distribution of the next token. The next call fills the same object again. */
  next(reading: Reading): Distribution {
    const distribution = this.model.next(reading);
    if (this.#at > 0 && reading.history[0] !== this.tokens[this.#at - 1]) this.#at = this.tokens.length;
    const token = this.tokens[this.#at++];
    if (token === undefined) return distribution;
    distribution.add(token, CERTAINTY);
    distribution.normalise();
    return distribution;
  }
}

/** What is said where the corpus has no answer. */
const SANDBOX =
  'This is the sandbox of Switchyard, and it has no answer to that. It is a small language model that shows how answers, streams and charges work before there is a provider. Ask it about the weather, or ask the model of a provider with a live key.';

/** The answers to the questions of the corpus, which are known again in any case and without their last signs. */
export class Answers {
  readonly #byQuestion = new Map<string, string>();

  constructor(documents: readonly Document[]) {
    for (const document of documents)
      for (const [at, { marker: speaker, text }] of document.entries())
        if (speaker === marker.user) this.#byQuestion.set(plain(text), document[at + 1]!.text);
  }

  to(question: string): string {
    return this.#byQuestion.get(plain(question)) ?? SANDBOX;
  }
}

const plain = (question: string) =>
  question
    .toLowerCase()
    .match(/[^\s.!?]+/g)
    ?.join(' ') ?? '';

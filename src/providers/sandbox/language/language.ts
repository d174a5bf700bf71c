import { corpus } from '../corpus/corpus.js';
import { Pacer } from '../pacer.js';
import { ContextIndex } from './context-index.js';
import { readDocuments } from './documents.js';
import { LanguageModel } from './language-model.js';
import { Answers } from './recall.js';
import { Tokenizer } from './tokenizer.js';
import { TopicIndex } from './topics.js';
import { END, learnVocabulary, type Vocabulary } from './vocabulary.js';

/** The language that the sandbox knows: its tokens, and the model that it learned from the corpus. */
export interface Language {
  readonly vocabulary: Vocabulary;
  readonly tokenizer: Tokenizer;
  readonly model: LanguageModel;
  readonly answers: Answers;
}

let learned: Promise<Language> | undefined;

/**
 * Learns the language on first use, in slices that leave the event loop free, and keeps it. Every process learns the
 * same.
 */
export function language(): Promise<Language> {
  learned ??= learn(corpus);
  return learned;
}

export async function learn(sources: readonly string[]): Promise<Language> {
  const pacer = new Pacer();
  const documents = sources.flatMap(readDocuments);
  const vocabulary = await learnVocabulary(
    documents.flat().map((turn) => turn.text),
    pacer,
  );
  const tokenizer = new Tokenizer(vocabulary);
  const sequences: number[][] = [];
  for (const document of documents) {
    if (pacer.due) await pacer.yieldToEventLoop();
    sequences.push(document.flatMap((turn) => [turn.marker, ...tokenizer.encode(turn.text), END]));
  }
  const topics = new TopicIndex(vocabulary, documents);
  await pacer.yieldToEventLoop();
  const index = await ContextIndex.build(sequences, pacer);
  return { vocabulary, tokenizer, model: new LanguageModel(index, topics, vocabulary), answers: new Answers(documents) };
}

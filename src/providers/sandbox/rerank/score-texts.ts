import { textPieces } from '../../../json/json-pieces.js';
import type { RerankAnswer, RerankRequest } from '../../../wire/rerank.js';
import { usageOf } from '../../../wire/usage.js';
import { ProviderError } from '../../contract/provider-error.js';
import type { Language } from '../language/language.js';
import { stem } from '../language/topics.js';
import type { Pacer } from '../pacer.js';

interface RerankTask {
  readonly request: RerankRequest;
  readonly language: Language;
  /** Tokens of one text. */
  readonly contextLength: number;
  readonly pacer: Pacer;
  readonly signal: AbortSignal;
}

const stemsIn = (text: string): string[] => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(stem);

/**
 * The score of a text is the share of the query's words that it has, in any form: 0 to 1, and always the same.
 * @throws ProviderError context_length_exceeded
 */
export async function scoreTexts({ request, language: { tokenizer }, contextLength, pacer, signal }: RerankTask): Promise<RerankAnswer> {
  const { query, input } = request;
  const wanted = new Set(stemsIn(query));
  const scores: number[] = [];
  let tokens = 0;
  for (let index = 0; index < input.length; index++) {
    const found = new Set<string>();
    const before = tokens;
    for (const text of textPieces(input[index]!)) {
      for (const one of stemsIn(text)) if (wanted.has(one)) found.add(one);
      for (const preToken of tokenizer.encodeByPreToken(text)) {
        tokens += preToken.length;
        if (tokens - before > contextLength)
          throw new ProviderError('context_length_exceeded', `documents[${index}] has more than ${contextLength} tokens`);
        if (pacer.due) await pacer.yieldToEventLoop();
        if (signal.aborted) throw new ProviderError('unreachable', 'The request was given up');
      }
    }
    scores.push(found.size / Math.max(1, wanted.size));
  }
  return { scores, usage: usageOf(tokens, 0) };
}

import type { FinishReason } from '../../../wire/chat-completion.js';
import type { Vocabulary } from '../language/vocabulary.js';
import { finishDelta, type PlacedToken, type ChoiceDeltas, textDelta } from './choice-delta.js';
import { StopMatcher } from './stop-matcher.js';
import { TextAssembler } from './text-assembler.js';
import type { TokenSource } from './token-source.js';

export interface TextLimits {
  /** The most tokens to generate. */
  readonly maxTokens: number;
  readonly stop: readonly string[];
  /** The length of the choice's text before the first token, in UTF-16 code units. */
  readonly offset: number;
}

/**
 * Yields the text of one choice, a token at a time. A token whose text may turn out to be part of a stop sequence, or
 * of an unfinished character, is held back with its log probability. Tokens that lie in a stop sequence are dropped
 * with its text and do not count.
 */
export function* textDeltas(source: TokenSource, vocabulary: Vocabulary, limits: TextLimits): ChoiceDeltas {
  const assembler = new TextAssembler(vocabulary);
  const matcher = new StopMatcher(limits.stop);
  let held: PlacedToken[] = [];
  let decoded = limits.offset;
  let released = limits.offset;

  const release = (text: string) => {
    released += text.length;
    const ready = held.filter((token) => token.offset < released);
    held = held.slice(ready.length);
    return text === '' ? undefined : textDelta(text, ready);
  };

  for (let generated = 0; generated < limits.maxTokens; generated++) {
    const token = source.next();
    if (!token) return yield* end('stop');
    held.push({ ...token, offset: decoded });
    const text = assembler.push(token.id);
    decoded += text.length;
    yield release(matcher.push(text));
    if (matcher.stopped) return yield finishDelta('stop');
  }
  return yield* end(source.ended ? 'stop' : 'length');

  function* end(reason: FinishReason): ChoiceDeltas {
    yield release(matcher.push(assembler.end()) + matcher.end());
    yield finishDelta(matcher.stopped ? 'stop' : reason);
  }
}

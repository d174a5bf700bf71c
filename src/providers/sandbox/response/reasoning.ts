import type { ChosenCall } from '../tools/choose-tools.js';
import type { Question } from '../tools/question.js';
import type { Script } from '../tools/script.js';
import type { Tokenizer } from '../language/tokenizer.js';
import { type ChoiceDeltas, reasoningDelta } from './choice-delta.js';
import { TextAssembler } from './text-assembler.js';
import { ownOf } from '../../../wire/own-members.js';

/** How many characters of the question are repeated. */
const MAX_QUESTION = 300;

/** How many sentences an effort is worth; what has no row is worth as much as `medium`. */
const sentences: Readonly<Record<string, number>> = { none: 0, minimal: 1, low: 1, medium: 2, high: 3, xhigh: 3, max: 3 };

/** What the model thinks before it answers: what is asked, what that takes, and what comes next. */
export function reasoningText(question: Question, script: Script | undefined, calls: readonly ChosenCall[], effort = 'medium'): string {
  const asked = question.text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_QUESTION);
  const names = [...new Set(calls.map(({ tool }) => tool.function.name))].join(' and ');
  const steps = script?.rounds.flat().length ?? 0;
  const thoughts = [
    asked === '' ? 'The user has written nothing that I can read.' : `The user says: "${asked}"`,
    calls.length > 0 ? `To go on I must call ${names}.` : 'I need no function for what comes next, so I answer in words.',
    steps === 0 ? 'There is nothing else to be done.' : `Of ${steps} calls in all, ${question.results.length} have been answered.`,
  ];
  return thoughts.slice(0, ownOf(sentences, effort) ?? sentences['medium']).join(' ');
}

/** Yields the text a token at a time, no more than half of what the choice may have, so that an answer follows. */
export function* reasoningDeltas(text: string, tokenizer: Tokenizer, maxTokens: number): ChoiceDeltas {
  const assembler = new TextAssembler(tokenizer.vocabulary);
  let held = 0;
  for (const token of tokenizer.encode(text).slice(0, Math.floor(maxTokens / 2))) {
    held++;
    const decoded = assembler.push(token);
    if (decoded === '') continue;
    yield reasoningDelta(decoded, held);
    held = 0;
  }
  const rest = assembler.end();
  if (rest !== '') yield reasoningDelta(rest, held);
}

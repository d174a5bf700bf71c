import type { Message } from '../../../wire/chat-completion.js';
import { describeResult } from '../response/tool-result.js';
import type { Plan } from './plan.js';

/** How many characters of one result are repeated. */
const MAX_RESULT = 300;

/** Says what was done for a question and what came of it: a line for each call, and one for what was not possible. */
export function reportOf({ rounds, impossible }: Plan, results: readonly Message[]): string {
  const calls = rounds.flat();
  const lines = results.map((result, index) => {
    const call = calls[index];
    const told = describeResult(result, MAX_RESULT);
    return call ? `${index + 1}. ${call.said} (${call.tool.function.name}): ${told}` : `${index + 1}. ${told}`;
  });
  const open = impossible.map((said) => `I could not do this: ${said}.`);
  return [`I have made ${results.length === 1 ? '1 call' : `${results.length} calls`}:`, ...lines, ...open].join('\n');
}

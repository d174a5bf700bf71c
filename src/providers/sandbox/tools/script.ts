import type { Tool } from '../../../wire/chat-completion.js';
import { ProviderError } from '../../contract/provider-error.js';
import type { Question } from './question.js';

/** One line of a script: the call of a function, with its arguments as JSON. */
interface ScriptedCall {
  readonly tool: Tool;
  readonly arguments: string;
}

/** What the user has the model do, step by step, so that an agent can be tried without money and without chance. */
export interface Script {
  /** The calls of a round are made in parallel. */
  readonly rounds: readonly (readonly ScriptedCall[])[];
  /** The last answer. Absent: the results in words. */
  readonly answer?: string;
}

const CALL = /^call ([\w.-]{1,128}) (\{.*\})$/;
const THEN = /^then$/;
const SAY = /^say (.+)$/;

/** How many lines are played, so that no agent goes on for ever. */
const MAX_CALLS = 24;

/**
 * Reads the lines `call NAME {"argument": ...}`, `then`, which begins the next round, and `say TEXT` of a question.
 * @returns undefined where the question has no call
 * @throws ProviderError invalid_request, where a call names none of the tools
 */
export function scriptOf({ text }: Question, tools: readonly Tool[]): Script | undefined {
  const rounds: ScriptedCall[][] = [[]];
  let answer: string | undefined;
  for (const line of text.split('\n').map((one) => one.trim())) {
    const call = CALL.exec(line);
    if (call && isJson(call[2]!)) rounds.at(-1)!.push({ tool: namedTool(tools, call[1]!), arguments: call[2]! });
    else if (THEN.test(line)) rounds.push([]);
    else answer = SAY.exec(line)?.[1] ?? answer;
    if (rounds.flat().length >= MAX_CALLS) break;
  }
  const made = rounds.filter((round) => round.length > 0);
  return made.length === 0 ? undefined : { rounds: made, answer };
}

/** @returns what is left of the first round that is not done, after so many results */
export function nextRound({ rounds }: Script, done: number): readonly ScriptedCall[] {
  let before = 0;
  for (const round of rounds) {
    if (done < before + round.length) return round.slice(done - before);
    before += round.length;
  }
  return [];
}

function namedTool(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((one) => one.function.name === name);
  if (!tool) throw new ProviderError('invalid_request', `The script calls the function '${name}', which is not among the tools`);
  return tool;
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

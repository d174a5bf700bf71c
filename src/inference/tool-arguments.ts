import { textBytes } from '../wire/members.js';
import type { Message } from '../wire/chat-completion.js';

/**
 * UTF-8 bytes and commas of the arguments of all tool calls together: many vendors want them as objects, which are
 * built at once.
 */
const MAX_ARGUMENTS = 4 * 1024 * 1024;
const MAX_COMMAS = 250_000;
const COMMA = 0x2c;

const NONE: readonly never[] = [];

/** What holds the arguments of a call, and their name in it. */
export type CalledArguments = readonly [holder: object, name: string];

/**
 * @param calledIn the arguments of the calls of a message
 * @param pathOf where the client has the calls of a message
 * @returns what is wrong with the arguments of the calls in a conversation, beginning with the path; undefined where
 * nothing is
 */
export function argumentsProblem<M>(
  messages: readonly M[],
  calledIn: (message: M) => readonly CalledArguments[],
  pathOf: (index: number) => string,
): string | undefined {
  let [bytes, commas] = [0, 0];
  for (const [index, message] of messages.entries()) {
    for (const called of calledIn(message)) bytes += textBytes(...called);
    if (bytes > MAX_ARGUMENTS) return `${pathOf(index)}: the arguments of all calls must have at most ${MAX_ARGUMENTS} bytes together`;
  }
  // A comma stands behind another character.
  if (bytes <= 2 * MAX_COMMAS) return undefined;
  for (const [index, message] of messages.entries()) {
    for (const [holder, name] of calledIn(message)) commas += commasIn((holder as Record<string, string>)[name]!);
    if (commas > MAX_COMMAS) return `${pathOf(index)}: the arguments of all calls must have at most ${MAX_COMMAS} commas together`;
  }
  return undefined;
}

/** The arguments of the calls of a message in the canonical form. */
export function calledArguments({ role, tool_calls }: Message): readonly CalledArguments[] {
  return role === 'assistant' && tool_calls ? tool_calls.map((call) => [call.function, 'arguments'] as const) : NONE;
}

function commasIn(text: string): number {
  let commas = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === COMMA) commas++;
  return commas;
}

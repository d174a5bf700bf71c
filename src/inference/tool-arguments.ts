import { textBytes, textPieces } from '../json/long-text.js';
import type { Message } from '../wire/chat-completion.js';

/**
 * UTF-8 bytes and commas of the arguments of all tool calls together: many vendors want them as objects, which are
 * built at once.
 */
const MAX_ARGUMENTS = 4 * 1024 * 1024;
const MAX_COMMAS = 250_000;
const COMMA = 0x2c;

/**
 * @param pathOf where the client has the calls of a message
 * @returns what is wrong with the arguments of the calls in a conversation, beginning with the path; undefined where
 * nothing is
 */
export function argumentsProblem(messages: readonly Message[], pathOf: (index: number) => string): string | undefined {
  let bytes = 0;
  for (const [index, { role, tool_calls }] of messages.entries()) {
    if (role !== 'assistant' || !tool_calls) continue;
    for (const call of tool_calls) bytes += textBytes(call.function, 'arguments');
    if (bytes > MAX_ARGUMENTS) return `${pathOf(index)}: the arguments of all calls must have at most ${MAX_ARGUMENTS} bytes together`;
  }
  // A comma stands behind another character.
  return bytes > 2 * MAX_COMMAS ? commasProblem(messages, pathOf) : undefined;
}

function commasProblem(messages: readonly Message[], pathOf: (index: number) => string): string | undefined {
  let commas = 0;
  for (const [index, { role, tool_calls }] of messages.entries()) {
    if (role !== 'assistant' || !tool_calls) continue;
    for (const call of tool_calls) for (const piece of textPieces(call.function, 'arguments')) commas += commasIn(piece);
    if (commas > MAX_COMMAS) return `${pathOf(index)}: the arguments of all calls must have at most ${MAX_COMMAS} commas together`;
  }
  return undefined;
}

function commasIn(text: string): number {
  let commas = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === COMMA) commas++;
  return commas;
}

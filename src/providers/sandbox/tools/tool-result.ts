import type { Message } from '../../../wire/chat-completion.js';
import { messageText } from '../response/transcript.js';

/** How many characters of one result are repeated. */
const MAX_RESULT = 600;

/** Puts what the functions returned into words: one sentence for each result of the last round. */
export function toolResultText(messages: readonly Message[]): string {
  const lastQuestion = messages.findLastIndex((message) => message.role !== 'tool');
  const results = messages.slice(lastQuestion + 1);
  return results.map((result) => `${source(result, messages)} ${describeResult(result)}`).join(' ');
}

function source(result: Message, messages: readonly Message[]): string {
  const calls = messages.flatMap((message) => message.tool_calls ?? []);
  const name = result.name ?? calls.find((call) => call.id === result.tool_call_id)?.function.name;
  return name === undefined ? 'The result is:' : `According to ${name}:`;
}

function describeResult(result: Message): string {
  const words =
    inWords(parse(messageText(result)))
      .trim()
      .slice(0, MAX_RESULT) || 'nothing was returned';
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Writes `{"temp_c": 18, "sky": ["clear"]}` as `temp c is 18, sky is clear`. */
function inWords(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null || depth > 3) return typeof value === 'string' ? value : JSON.stringify(value);
  if (Array.isArray(value)) return value.map((item) => inWords(item, depth + 1)).join(', ');
  return Object.entries(value)
    .map(([key, item]) => `${key.replaceAll('_', ' ')} is ${inWords(item, depth + 1)}`)
    .join(', ');
}

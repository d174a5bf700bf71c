import { hasText, longTextAt } from '../json/long-text.js';
import { isObject } from '../wire/json-object.js';

/** Bounds of ours: the wire format documents none. */
export const MAX_MESSAGES = 10_000;
const MAX_PARTS = 2_000;
const MAX_TOOL_CALLS = 1_000;

const roles = ['system', 'developer', 'user', 'assistant', 'tool'];

/**
 * Checks the shapes of the messages of a request. It does not check the order of roles, because models differ in what
 * they accept, and ignores fields that the wire format does not know.
 * @returns what is wrong, beginning with the path of the wrong field; undefined where nothing is
 */
export function messagesProblem(messages: unknown): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return 'messages must be a non-empty array';
  if (messages.length > MAX_MESSAGES) return `messages must have at most ${MAX_MESSAGES} elements`;
  for (let index = 0; index < messages.length; index++) {
    const problem = messageProblem(messages[index]);
    if (problem) return `messages[${index}]${problem}`;
  }
  return undefined;
}

function messageProblem(message: unknown): string | undefined {
  if (!isObject(message)) return ' must be an object';
  const { role, name, tool_call_id } = message;
  if (typeof role !== 'string' || !roles.includes(role)) return `.role must be one of ${roles.join(', ')}`;
  if (name !== undefined && name !== null && typeof name !== 'string') return '.name must be a string';
  if (role === 'assistant') return assistantProblem(message);
  if (role === 'tool' && (typeof tool_call_id !== 'string' || tool_call_id === '')) return '.tool_call_id must be a non-empty string';
  return contentProblem(message);
}

/** Content may be null or absent where there are tool calls or a refusal. */
function assistantProblem(message: Record<string, unknown>): string | undefined {
  const { tool_calls, refusal, function_call } = message;
  if (function_call !== undefined && function_call !== null) return '.function_call is not supported: use tool_calls';
  if (refusal !== undefined && refusal !== null && typeof refusal !== 'string') return '.refusal must be a string';
  if (tool_calls !== undefined && tool_calls !== null) {
    const problem = toolCallsProblem(tool_calls);
    if (problem) return problem;
  }
  const hasContent = hasText(message, 'content') || (message.content !== undefined && message.content !== null);
  if (hasContent) return contentProblem(message);
  if ((Array.isArray(tool_calls) && tool_calls.length > 0) || typeof refusal === 'string') return undefined;
  return '.content must be a string or an array of parts where there are no tool_calls';
}

function toolCallsProblem(calls: unknown): string | undefined {
  if (!Array.isArray(calls)) return '.tool_calls must be an array';
  if (calls.length > MAX_TOOL_CALLS) return `.tool_calls must have at most ${MAX_TOOL_CALLS} elements`;
  for (let index = 0; index < calls.length; index++) {
    const problem = toolCallProblem(calls[index]);
    if (problem) return `.tool_calls[${index}]${problem}`;
  }
  return undefined;
}

function toolCallProblem(call: unknown): string | undefined {
  if (!isObject(call)) return ' must be an object';
  if (typeof call.id !== 'string' || call.id === '') return '.id must be a non-empty string';
  if (call.type !== 'function') return ".type must be 'function'";
  if (!isObject(call.function)) return '.function must be an object';
  if (typeof call.function.name !== 'string' || call.function.name === '') return '.function.name must be a non-empty string';
  return hasText(call.function, 'arguments') ? undefined : '.function.arguments must be a string';
}

function contentProblem(message: Record<string, unknown>): string | undefined {
  if (hasText(message, 'content')) return undefined;
  const { content } = message;
  if (!Array.isArray(content)) return '.content must be a string or an array of parts';
  if (content.length === 0) return '.content must not be an empty array';
  if (content.length > MAX_PARTS) return `.content must have at most ${MAX_PARTS} elements`;
  for (let index = 0; index < content.length; index++) {
    const problem = partProblem(content[index]);
    if (problem) return `.content[${index}]${problem}`;
  }
  return undefined;
}

function partProblem(part: unknown): string | undefined {
  if (!isObject(part)) return ' must be an object';
  const { type, image_url } = part;
  if (typeof type !== 'string' || type === '') return '.type must be a non-empty string';
  if (type === 'text' && !hasText(part, 'text')) return '.text must be a string';
  if (type !== 'image_url') return undefined;
  if (!isObject(image_url)) return '.image_url must be an object';
  if (!hasText(image_url, 'url') || (!longTextAt(image_url, 'url') && image_url.url === ''))
    return '.image_url.url must be a non-empty string';
  const { detail } = image_url;
  return detail === undefined || detail === null || typeof detail === 'string' ? undefined : '.image_url.detail must be a string';
}

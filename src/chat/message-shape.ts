import { argumentsProblem, type CalledArguments } from '../inference/tool-arguments.js';
import { hasSomeText, hasText, hasTextUpTo, mayHaveText, valueAt } from '../wire/members.js';
import { isObject } from '../wire/json-object.js';
import { listProblem } from '../wire/list-problem.js';
import type { ClientMessage } from './client-messages.js';

/** Bounds of ours: the wire format documents none. */
const MAX_MESSAGES = 10_000;
const MAX_PARTS = 2_000;
const MAX_TOOL_CALLS = 1_000;

/** Characters of the name of a function or a custom tool in the forms that are translated. */
const MAX_NAME = 256;
const NAME = `.name must be a non-empty string of at most ${MAX_NAME} characters`;

const NONE: readonly never[] = [];

export const messagesSchema = { minItems: 1, maxItems: MAX_MESSAGES };

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

/**
 * Checks the shapes of the messages of a request. It does not check the order of roles, because models differ in what
 * they accept, and ignores fields that the wire format does not know.
 * @returns what is wrong, beginning with the path of the wrong field; undefined where nothing is
 */
export function messagesProblem(messages: unknown): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return 'messages must be a non-empty array';
  return (
    listProblem(messages, 'messages', MAX_MESSAGES, messageProblem) ??
    argumentsProblem(messages as readonly ClientMessage[], calledIn, (index) => `messages[${index}].tool_calls`)
  );
}

function calledIn({ role, tool_calls, function_call }: ClientMessage): readonly CalledArguments[] {
  if (role !== 'assistant' || (!tool_calls && !function_call)) return NONE;
  const calls = (tool_calls ?? []).map((call) =>
    call.type === 'custom' ? ([call.custom, 'input'] as const) : ([call.function, 'arguments'] as const),
  );
  return function_call ? [...calls, [function_call, 'arguments']] : calls;
}

function messageProblem(message: unknown): string | undefined {
  if (!isObject(message)) return ' must be an object';
  const role = valueAt(message, 'role');
  if (typeof role !== 'string' || !roles.includes(role)) return `.role must be one of ${roles.join(', ')}`;
  if (!mayHaveText(message, 'name')) return '.name must be a string';
  if (role === 'assistant') return assistantProblem(message);
  if (role === 'tool' && !hasSomeText(message, 'tool_call_id')) return '.tool_call_id must be a non-empty string';
  if (role === 'function' && !hasName(message)) return NAME;
  return contentProblem(message);
}

/** Content may be null or absent where there are tool calls or a refusal. */
function assistantProblem(message: Record<string, unknown>): string | undefined {
  if (!mayHaveText(message, 'refusal')) return '.refusal must be a string';
  const function_call = valueAt(message, 'function_call');
  const calledOne = function_call !== undefined && function_call !== null;
  if (calledOne) {
    const problem = isObject(function_call) && !hasName(function_call) ? NAME : calledProblem(function_call);
    if (problem) return `.function_call${problem}`;
  }
  const tool_calls = valueAt(message, 'tool_calls');
  if (tool_calls !== undefined && tool_calls !== null) {
    const problem = toolCallsProblem(tool_calls);
    if (problem) return problem;
  }
  const hasContent = hasText(message, 'content') || (message.content !== undefined && message.content !== null);
  if (hasContent) return contentProblem(message);
  if (calledOne || (Array.isArray(tool_calls) && tool_calls.length > 0) || hasText(message, 'refusal')) return undefined;
  return '.content must be a string or an array of parts where there are no tool_calls';
}

function toolCallsProblem(calls: unknown): string | undefined {
  if (!Array.isArray(calls)) return '.tool_calls must be an array';
  return listProblem(calls, '.tool_calls', MAX_TOOL_CALLS, toolCallProblem);
}

function toolCallProblem(call: unknown): string | undefined {
  if (!isObject(call)) return ' must be an object';
  if (!hasSomeText(call, 'id')) return '.id must be a non-empty string';
  const type = valueAt(call, 'type');
  if (type !== 'function' && type !== 'custom') return ".type must be 'function' or 'custom'";
  const called = valueAt(call, type);
  if (type === 'function') return within('.function', calledProblem(called));
  return within('.custom', isObject(called) && !hasName(called) ? NAME : calledProblem(called, 'input'));
}

function within(path: string, problem: string | undefined): string | undefined {
  return problem && path + problem;
}

/** A name that is read at once. */
function hasName(holder: object): boolean {
  return hasSomeText(holder, 'name') && hasTextUpTo(holder, 'name', MAX_NAME);
}

function calledProblem(called: unknown, text = 'arguments'): string | undefined {
  if (!isObject(called)) return ' must be an object';
  if (!hasSomeText(called, 'name')) return '.name must be a non-empty string';
  return hasText(called, text) ? undefined : `.${text} must be a string`;
}

function contentProblem(message: Record<string, unknown>): string | undefined {
  if (hasText(message, 'content')) return undefined;
  const { content } = message;
  if (!Array.isArray(content)) return '.content must be a string or an array of parts';
  if (content.length === 0) return '.content must not be an empty array';
  return listProblem(content, '.content', MAX_PARTS, partProblem);
}

function partProblem(part: unknown): string | undefined {
  if (!isObject(part)) return ' must be an object';
  const type = valueAt(part, 'type');
  const image_url = valueAt(part, 'image_url');
  if (typeof type !== 'string' || type === '') return '.type must be a non-empty string';
  if (type === 'text' && !hasText(part, 'text')) return '.text must be a string';
  if (type !== 'image_url') return undefined;
  if (!isObject(image_url)) return '.image_url must be an object';
  if (!hasSomeText(image_url, 'url')) return '.image_url.url must be a non-empty string';
  return mayHaveText(image_url, 'detail') ? undefined : '.image_url.detail must be a string';
}

import { changedFrom } from '../json/json-source.js';
import { copyMember, copyWith, hasSomeText, hasText, valueAt } from '../wire/members.js';
import type { ContentPart, CustomToolCall, Message, Role, ToolCall } from '../wire/chat-completion.js';
import { argumentsOf } from '../wire/custom-tool.js';

/** A message as clients may send it: also with calls of custom tools, and in the words of the format before tools. */
export interface ClientMessage {
  role: Role | 'function';
  content?: string | ContentPart[] | null;
  name?: string;
  tool_calls?: (ToolCall | CustomToolCall)[] | null;
  function_call?: { name: string; arguments: string } | null;
  [field: string]: unknown;
}

/**
 * The messages in the canonical form: calls and results of functions have ids, calls of custom tools are those of the
 * functions that stand for them, reasoning has one name, and what is empty is left out.
 * @returns the same array where nothing changes: what goes on as it came costs least
 */
export function canonicalMessages(messages: readonly ClientMessage[]): readonly Message[] {
  if (!messages.some(differs)) return messages as readonly Message[];
  const ids = new FunctionIds();
  const canonical = messages.map((message): Message => (differs(message) ? converted(message, ids) : (message as Message)));
  return changedFrom(messages, canonical);
}

function differs(message: ClientMessage): boolean {
  const { role, tool_calls, function_call, audio } = message;
  if (role === 'function') return true;
  if (role !== 'assistant') return false;
  if (function_call !== undefined || hasText(message, 'reasoning')) return true;
  if (isNothing(tool_calls) || isNothing(audio) || isNothing(valueAt(message, 'refusal'))) return true;
  return tool_calls?.some(({ type }) => type === 'custom') === true;
}

function converted(message: ClientMessage, ids: FunctionIds): Message {
  const { role, tool_calls, function_call } = message;
  if (role === 'function') return copyWith(message as Message, { role: 'tool', tool_call_id: ids.called(message.name!), name: undefined });
  const canonical = copyWith(message as Message, { function_call: undefined });
  for (const name of saysNothing) if (isNothing(valueAt(message, name))) canonical[name] = undefined;
  const calls = tool_calls?.map((call) => (call.type === 'custom' ? functionCall(call) : call));
  if (function_call) canonical.tool_calls = [...(calls ?? []), ids.call(function_call)];
  else if (calls?.length) canonical.tool_calls = calls;
  if (!hasText(message, 'reasoning')) return canonical;
  if (!hasSomeText(message, 'reasoning_content')) copyMember(message, 'reasoning', canonical, 'reasoning_content');
  return Object.assign(canonical, { reasoning: undefined });
}

/** Members of answers that clients send back although they are empty, and that many a vendor refuses so. */
const saysNothing = ['tool_calls', 'refusal', 'audio'] as const;

function isNothing(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function functionCall({ custom: { input, ...called }, ...call }: CustomToolCall): ToolCall {
  return { ...call, type: 'function', function: { ...called, arguments: argumentsOf(input) } };
}

/** Makes up the ids that the format before tools does not have: the result of a function is that of its last call. */
class FunctionIds {
  #calls = 0;
  readonly #last = new Map<string, string>();

  call(called: { name: string; arguments: string }): ToolCall {
    const id = `call_${this.#calls++}`;
    this.#last.set(called.name, id);
    return { id, type: 'function', function: called };
  }

  /** A result of a function that was not called has an id of its own. */
  called(name: string): string {
    return this.#last.get(name) ?? `call_${this.#calls++}`;
  }
}

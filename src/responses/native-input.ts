import { changedFrom } from '../json/json-source.js';
import { copyMember, valueAt } from '../wire/members.js';
import type { JsonObject } from '../wire/json-object.js';
import type { InputItem } from '../wire/response-input.js';
import { isForeignReasoning } from './encrypted-reasoning.js';
import { type CallIds, callIdsIn, foreignItem, isWordless, loadedTools, typeOf, withKnownParts, wordsOf } from './foreign-items.js';
import { hostedItem } from './hosted-tools.js';
import { type LeaveOut, membersOf, othersOf } from './members-of.js';
import { type Callable, callablesOf, fullName } from './tools.mapping.js';

/** OpenAI's mark of caching. */
const BREAKPOINT = 'prompt_cache_breakpoint';

/** Whether a tool is one that a search finds. */
export const DEFERRED = 'defer_loading';

/** The members of a part by its type. */
const parts: ReadonlyMap<string, readonly string[]> = new Map([
  ['input_text', ['text', BREAKPOINT]],
  ['output_text', ['text']],
  ['refusal', ['refusal']],
  ['input_image', ['image_url', 'detail', BREAKPOINT]],
  ['input_file', ['file_data', 'file_url', 'file_id', 'filename', BREAKPOINT]],
  ['input_audio', ['input_audio', BREAKPOINT]],
  ['summary_text', ['text']],
  ['reasoning_text', ['text']],
]);

/** The members of an item by its type, of which those that are lists have parts. Ids are the gateway's, and stay here. */
const items: ReadonlyMap<string, readonly string[]> = new Map([
  ['message', ['role', 'content', 'phase']],
  ['function_call', ['call_id', 'name', 'arguments']],
  ['custom_tool_call', ['call_id', 'name', 'input']],
  ['function_call_output', ['call_id', 'output']],
  ['custom_tool_call_output', ['call_id', 'output']],
  ['reasoning', ['summary', 'content', 'encrypted_content']],
  ['tool_search_call', ['call_id', 'execution', 'status', 'arguments']],
  ['tool_search_output', ['call_id', 'execution', 'status']],
  ['additional_tools', ['role']],
  ['compaction', ['encrypted_content']],
]);

/** What messages of the assistant are: words that it says on its way, or the answer. */
const phases: ReadonlySet<unknown> = new Set(['commentary', 'final_answer']);

/**
 * The conversation with its known members alone, which the canonical request has as well. Texts are not decoded.
 * @param bodyOnly is called with each member that it has not
 */
export function nativeInput(input: readonly InputItem[], leaveOut: LeaveOut, bodyOnly: LeaveOut): readonly JsonObject[] {
  const calls = callIdsIn(input);
  return changedFrom(
    input,
    input.flatMap((item) => {
      const known = withKnownParts(item);
      return known ? nativeItem(known, calls, leaveOut, bodyOnly) : [];
    }),
  );
}

/** What items and parts of answers have beside what they say. */
const answered: readonly string[] = ['id', 'status', 'type'];

/** Reasoning of another vendor means nothing to this one, and neither does a summary alone. */
function nativeItem(item: InputItem, calls: CallIds, leaveOut: LeaveOut, bodyOnly: LeaveOut): JsonObject[] {
  const type = String(typeOf(item));
  const kind = foreignItem(type);
  if (!items.has(type)) {
    if (!kind) return [];
    if (!isWordless(item, kind)) othersOf(item, [...answered, ...wordsOf(item, kind)], bodyOnly);
    return [hostedItem(item, calls)];
  }
  if (type === 'reasoning' && isForeignReasoning(item)) return [];
  const native: JsonObject = { type };
  const members = items.get(type) ?? [];
  for (const name of members) {
    const value = valueAt(item, name) ?? undefined;
    if (Array.isArray(value)) native[name] = (value as { type: string }[]).map((part) => nativePart(part, leaveOut));
    else if (value !== undefined) copyMember(item, name, native);
  }
  const read = kind?.loads ? ['tools'] : members.includes('name') ? ['namespace'] : [];
  othersOf(item, [...answered, ...members, ...read], leaveOut);
  if (type === 'reasoning') native['summary'] ??= [];
  bodyOnly(item, 'phase');
  if (kind?.loads)
    native['tools'] = callablesOf(loadedTools([item])).map((callable) => {
      bodyOnly(callable.tool, DEFERRED);
      return nativeTool(callable, leaveOut);
    });
  if (native['phase'] !== undefined && !phases.has(native['phase'])) delete native['phase'];
  if (typeof native['name'] === 'string') native['name'] = fullName(native['name'], valueAt(item, 'namespace'));
  return [native];
}

/** Those of the items that messages have no words for, or not all: calls of a search and loaded tools have. */
export function hostedItems(native: unknown): readonly JsonObject[] {
  const isHosted = ({ type }: JsonObject): boolean =>
    type === 'compaction' || (foreignItem(type) !== undefined && !items.has(String(type)));
  return Array.isArray(native) ? (native as JsonObject[]).filter(isHosted) : [];
}

/**
 * Tools of namespaces go by their one name, as they do to all providers.
 * @param deferred whether a search may find those that are told later
 */
export function nativeTool({ tool, name }: Callable, leaveOut: LeaveOut, deferred = true): JsonObject {
  const known = toolMembers[tool.type];
  const native = membersOf(tool, deferred ? [...known, DEFERRED] : known, leaveOut, ['name']);
  const format = native['format'];
  if (format) native['format'] = membersOf(format, ['type', 'definition', 'syntax'], leaveOut);
  // A spread would decode the description.
  if (tool.type !== 'tool_search') native['name'] = name;
  return native;
}

const toolMembers: Readonly<Record<Callable['tool']['type'], readonly string[]>> = {
  function: ['type', 'description', 'parameters', 'strict'],
  custom: ['type', 'description', 'format'],
  tool_search: ['type', 'execution', 'description', 'parameters'],
};

function nativePart(part: { readonly type: string }, leaveOut: LeaveOut): JsonObject {
  const native = membersOf(part, ['type', ...(parts.get(part.type) ?? [])], leaveOut);
  const { input_audio: sound } = native;
  if (sound) native['input_audio'] = membersOf(sound, ['data', 'format'], leaveOut);
  return native;
}

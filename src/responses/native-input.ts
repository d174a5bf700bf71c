import { changedFrom } from '../json/json-source.js';
import { copyMember, valueAt } from '../json/long-text.js';
import type { JsonObject } from '../wire/json-object.js';
import type { InputItem } from '../wire/response-input.js';
import { isForeignReasoning } from './encrypted-reasoning.js';
import { hostedItem, isHostedItem } from './hosted-tools.js';
import { typeOf } from './input-shape.js';
import { fullName } from './tools.mapping.js';

/** The members of a part by its type. */
const parts: ReadonlyMap<string, readonly string[]> = new Map([
  ['input_text', ['text']],
  ['output_text', ['text']],
  ['refusal', ['refusal']],
  ['input_image', ['image_url', 'detail']],
  ['input_file', ['file_data', 'file_url', 'file_id', 'filename']],
  ['input_audio', ['input_audio']],
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
]);

/** What messages of the assistant are: words that it says on its way, or the answer. */
const phases: ReadonlySet<unknown> = new Set(['commentary', 'final_answer']);

/** The conversation with its known members alone, which the canonical request has as well. Texts are not decoded. */
export function nativeInput(input: readonly InputItem[]): readonly JsonObject[] {
  return changedFrom(input, input.flatMap(nativeItem));
}

/** Reasoning of another vendor means nothing to this one, and neither does a summary alone. */
function nativeItem(item: InputItem): JsonObject[] {
  const type = String(typeOf(item));
  if (isHostedItem(type)) return hosted(item);
  if (type === 'reasoning' && isForeignReasoning(item)) return [];
  const native: JsonObject = { type };
  for (const name of items.get(type) ?? []) {
    const value = valueAt(item, name) ?? undefined;
    if (Array.isArray(value)) native[name] = (value as { type: string }[]).map(nativePart);
    else if (value !== undefined) copyMember(item, name, native);
  }
  if (type === 'reasoning') native['summary'] ??= [];
  if (native['phase'] !== undefined && !phases.has(native['phase'])) delete native['phase'];
  if (typeof native['name'] === 'string') native['name'] = fullName(native['name'], valueAt(item, 'namespace'));
  return [native];
}

function hosted(item: InputItem): JsonObject[] {
  const native = hostedItem(item);
  return native ? [native] : [];
}

/** Those of the items that are of hosted tools. */
export function hostedItems(native: unknown): readonly JsonObject[] {
  return Array.isArray(native) ? (native as JsonObject[]).filter(({ type }) => isHostedItem(type)) : [];
}

function nativePart(part: { readonly type: string }): JsonObject {
  const { type } = part;
  const native: JsonObject = { type };
  for (const name of parts.get(type) ?? []) if (valueAt(part, name) != null) copyMember(part, name, native);
  if (type === 'input_audio') native[type] = soundOf(native[type] as object);
  return native;
}

function soundOf(given: object): JsonObject {
  const sound: JsonObject = {};
  for (const name of ['data', 'format']) if (valueAt(given, name) != null) copyMember(given, name, sound);
  return sound;
}

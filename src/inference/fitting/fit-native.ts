import { changedFrom } from '../../json/json-source.js';
import { copyMembers, copyOf, copyWith, hasSomeText, hasText, type Member, putJoined } from '../../wire/members.js';
import type { RequestRules } from '../../providers/contract/request-rules.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import type { NativeRequest } from '../../wire/native.js';
import { fittedArguments } from './fit-messages.js';
import type { RequestNames } from './keyed-names.js';
import { fittedSchema, mapped } from './tool-schema.js';

/**
 * A request in OpenAI's Responses as the vendor takes it, whose canonical form has been fitted and has kept its order.
 * @param functionName gives the name that a function has at the vendor
 * @returns the same request where nothing changes; undefined where it is of another format, or cannot be fitted so
 */
export function fitNative(
  native: NativeRequest,
  rules: RequestRules,
  names: RequestNames,
  functionName: (holder: { name: string }) => string,
): NativeRequest | undefined {
  if (native.wire !== 'openai-responses' || rules.files || rules.thinking) return undefined;
  const named = (holder: JsonObject): JsonObject => {
    const name = hasText(holder, 'name') ? functionName(holder as { name: string }) : undefined;
    return name === undefined || name === holder['name'] ? holder : copyWith(holder, { name });
  };
  const tool = (given: unknown): unknown => {
    if (!isCallable(given)) return given;
    const { parameters } = given;
    const schema = rules.toolSchema && isObject(parameters) ? fittedSchema(parameters, rules.toolSchema, () => undefined) : parameters;
    return named(schema === parameters ? given : copyWith(given, { parameters: schema }));
  };
  const part = (given: unknown): unknown =>
    isObject(given) && given['type'] === 'input_file' && hasText(given, 'file_data') && !hasSomeText(given, 'filename')
      ? copyWith(given, { filename: 'file' })
      : given;
  const item = (given: unknown): unknown => {
    if (!isObject(given)) return given;
    const id = rules.callIds && names.id(given, 'call_id', rules.callIds);
    let fitted = id === undefined ? given : copyWith(given, { call_id: id });
    if (isCallable(given)) fitted = named(fitted);
    const text = rules.argumentsObject && hasText(given, 'arguments') ? fittedArguments(given as { arguments: string }) : undefined;
    if (text !== undefined) fitted = copyWith(fitted, { arguments: text });
    if (rules.developer === false && isSystem(given) && given['role'] === 'developer') fitted = copyWith(fitted, { role: 'system' });
    const { tools } = given;
    const changed = Array.isArray(tools) ? mapped(tools, tool) : tools;
    if (changed !== tools) fitted = copyWith(fitted, { tools: changed });
    for (const name of rules.fileNames ? ['content', 'output'] : []) {
      const parts = hasText(given, name) ? undefined : given[name];
      const shown = Array.isArray(parts) ? mapped(parts, part) : parts;
      if (shown !== parts) fitted = copyWith(fitted, { [name]: shown });
    }
    return fitted;
  };
  const { body } = native;
  const changes: JsonObject = {};
  for (const [name, fit] of [
    ['tools', tool],
    ['input', item],
  ] as const) {
    const list = hasText(body, name) ? undefined : body[name];
    const fitted = Array.isArray(list) ? mapped(list, fit) : list;
    if (fitted !== list) changes[name] = changedFrom(list as object, fitted as object);
  }
  const choice = tool(body['tool_choice']);
  if (choice !== body['tool_choice']) changes['tool_choice'] = choice;
  const { text } = body;
  const format = isObject(text) && isObject(text['format']) ? text['format'] : {};
  const fitted = named(format);
  if (fitted !== format) changes['text'] = { ...(text as JsonObject), format: fitted };
  const input = changes['input'] ?? (hasText(body, 'input') ? [] : body['input']);
  if (rules.system === 'one' && Array.isArray(input) && !withOneSystem(body, input, changes)) return undefined;
  return Object.keys(changes).length > 0 ? { ...native, body: copyMembers(changes, copyOf(body)) } : native;
}

/**
 * Makes messages of the system part of the instructions, unless there is one alone, at the beginning.
 * @param changes gets the members that change
 * @returns false where one has more than text
 */
function withOneSystem(body: JsonObject, input: readonly unknown[], changes: JsonObject): boolean {
  const messages = input.filter(isSystem);
  if (messages.length === 0 || (messages.length === 1 && input[0] === messages[0] && !hasSomeText(body, 'instructions'))) return true;
  const texts = messages.flatMap((message): readonly Member[] => {
    const parts = hasText(message, 'content') ? undefined : message['content'];
    return Array.isArray(parts) ? parts.map((part: object) => [part, 'text']) : [[message, 'content']];
  });
  if (!texts.every(([holder, name]) => hasText(holder, name))) return false;
  if (hasSomeText(body, 'instructions')) texts.unshift([body, 'instructions']);
  putJoined(changes, 'instructions', texts, '\n\n');
  changes['input'] = changedFrom(
    input,
    input.filter((item) => !isSystem(item)),
  );
  return true;
}

/** Tools that a conversation has loaded have that role too, and no content. */
function isSystem(item: unknown): item is JsonObject {
  return isObject(item) && Object.hasOwn(item, 'content') && (item['role'] === 'system' || item['role'] === 'developer');
}

/** Whether a tool, a choice of one or a call is of a function or of a custom tool. */
function isCallable(value: unknown): value is JsonObject {
  return isObject(value) && ['function', 'custom', 'function_call', 'custom_tool_call'].includes(String(value['type']));
}

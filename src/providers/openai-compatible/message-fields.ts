import { changedFrom } from '../../json/json-source.js';
import { copyMember, copyWith } from '../../json/long-text.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';

const classical: ReadonlySet<string> = new Set(['role', 'content', 'tool_calls', 'tool_call_id']);

/** For vendors that refuse unknown fields in a message, and clients that send a message back as they got it. */
export function onlyMessageFields(body: JsonObject, more: readonly string[] = []): JsonObject {
  return kept(body, (field) => classical.has(field) || more.includes(field));
}

/** For vendors that refuse the `name` of a message. */
export function withoutNames(body: JsonObject): JsonObject {
  return kept(body, (field) => field !== 'name');
}

/** @returns the same object where nothing is left out: what goes on as it came costs least */
function kept(body: JsonObject, keeps: (field: string) => boolean): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  const isKept = (message: unknown): boolean => !isObject(message) || Object.keys(message).every(keeps);
  if (messages.every(isKept)) return body;
  const changed = messages.map((message: unknown) => (isKept(message) ? message : fieldsOf(message as JsonObject, keeps)));
  return copyWith(body, { messages: changedFrom(messages, changed) });
}

function fieldsOf(message: JsonObject, keeps: (field: string) => boolean): JsonObject {
  const fields: JsonObject = {};
  for (const name of Object.keys(message)) if (keeps(name)) copyMember(message, name, fields);
  return fields;
}

import { isObject, type JsonObject } from '../../wire/json-object.js';

const classical: ReadonlySet<string> = new Set(['role', 'content', 'tool_calls', 'tool_call_id']);

/** For vendors that refuse unknown fields in a message, and clients that send a message back as they got it. */
export function onlyMessageFields(body: JsonObject, more: readonly string[] = []): JsonObject {
  return mapped(body, (field) => classical.has(field) || more.includes(field));
}

/** For vendors that refuse the `name` of a message. */
export function withoutNames(body: JsonObject): JsonObject {
  return mapped(body, (field) => field !== 'name');
}

function mapped(body: JsonObject, keeps: (field: string) => boolean): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  const kept = messages.map((message: unknown) =>
    isObject(message) ? Object.fromEntries(Object.entries(message).filter(([field]) => keeps(field))) : message,
  );
  return { ...body, messages: kept };
}

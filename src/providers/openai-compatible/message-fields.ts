import { isJson, type Json } from '../protocols/json.js';

const classical: ReadonlySet<string> = new Set(['role', 'content', 'tool_calls', 'tool_call_id']);

/** For vendors that refuse what they do not know in a message, and clients that send one back as they got it. */
export function onlyMessageFields(body: Json, more: readonly string[] = []): Json {
  return mapped(body, (field) => classical.has(field) || more.includes(field));
}

/** For vendors that refuse a name beside a message. */
export function withoutNames(body: Json): Json {
  return mapped(body, (field) => field !== 'name');
}

function mapped(body: Json, keeps: (field: string) => boolean): Json {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  const kept = messages.map((message: unknown) =>
    isJson(message) ? Object.fromEntries(Object.entries(message).filter(([field]) => keeps(field))) : message,
  );
  return { ...body, messages: kept };
}

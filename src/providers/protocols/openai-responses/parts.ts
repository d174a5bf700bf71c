import type { ChatLogprobs, Delta } from '../../../wire/chat-completion.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import type { ResponsePart } from './wire.js';

/** Deltas of one item, and log probabilities of its text. */
export type Part = Delta & { readonly logprobs?: ChatLogprobs };

export function argumentsOf(call: number, text: string): Part | undefined {
  return text === '' ? undefined : { tool_calls: [{ index: call, function: { arguments: text } }] };
}

/** The content of a JSON string literal. */
export function literalOf(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

export function partsIn(value: unknown): (ResponsePart & JsonObject)[] {
  return Array.isArray(value) ? (value as unknown[]).filter((part): part is JsonObject => isObject(part)) : [];
}

/** Sources in the form of chat completions; those of files have ids of the vendor's, and go no further. */
export function annotationsOf(annotations: readonly unknown[]): Part | undefined {
  const cited = annotations.filter((one): one is JsonObject => isObject(one) && one['type'] === 'url_citation');
  if (cited.length === 0) return undefined;
  return {
    annotations: cited.map(({ url, title, start_index, end_index }) => ({
      type: 'url_citation',
      url_citation: { url, title, start_index, end_index },
    })),
  };
}

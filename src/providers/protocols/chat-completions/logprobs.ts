import type { ChatLogprobs, TokenLogprob } from '../../../wire/chat-completion.js';
import type { CompletionLogprobs } from '../../../wire/completion.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { isText } from '../is-text.js';

/** @param most alternatives of a token that are passed on */
export function chatLogprobsFrom(value: unknown, most: number): ChatLogprobs | undefined {
  if (!isObject(value)) return undefined;
  return { content: entries(value['content'], most), refusal: entries(value['refusal'], most) };
}

function entries(value: unknown, most?: number): TokenLogprob[] | null {
  if (!Array.isArray(value)) return null;
  return value.filter(isObject).map((entry) => {
    const top = Array.isArray(entry['top_logprobs']) ? entry['top_logprobs'].filter(isObject) : [];
    return Object.assign(tokenLogprob(entry), { top_logprobs: top.slice(0, most).map(tokenLogprob) });
  });
}

function tokenLogprob(entry: JsonObject): { token: string; logprob: number; bytes: number[] | null } {
  const bytes = entry['bytes'];
  return {
    token: isText(entry['token']) ? entry['token'] : '',
    logprob: finite(entry['logprob']) ?? impossible,
    bytes: Array.isArray(bytes) && bytes.every(Number.isInteger) ? (bytes as number[]) : null,
  };
}

/** The log probability that the wire format gives for a token that is not among the most likely. */
const impossible = -9999;

/**
 * The legacy shape: four arrays of one length. llama.cpp answers in the chat shape, which is converted.
 * @param textLength UTF-16 code units of the choice so far, where the text offsets begin
 */
export function completionLogprobsFrom(value: unknown, textLength: number): CompletionLogprobs | undefined {
  if (!isObject(value)) return undefined;
  if (Array.isArray(value['content'])) return fromChat(entries(value['content']) ?? [], textLength);
  const { tokens, token_logprobs, top_logprobs, text_offset } = value;
  if (!Array.isArray(tokens) || !Array.isArray(token_logprobs)) return undefined;
  const names = tokens.map(String);
  const offsets = names.map((_, index) => finite(Array.isArray(text_offset) ? text_offset[index] : undefined));
  return {
    tokens: names,
    token_logprobs: names.map((_, index) => finite(token_logprobs[index]) ?? null),
    top_logprobs: Array.isArray(top_logprobs) ? names.map((_, index) => numbers(top_logprobs[index])) : null,
    text_offset: offsets.every((offset) => offset !== undefined) ? offsets : offsetsOf(names, textLength),
  };
}

function fromChat(content: readonly TokenLogprob[], textLength: number): CompletionLogprobs {
  const tokens = content.map(({ token }) => token);
  return {
    tokens,
    token_logprobs: content.map(({ logprob }) => logprob),
    top_logprobs: content.map((entry) => Object.fromEntries(entry.top_logprobs.map(({ token, logprob }) => [token, logprob]))),
    text_offset: offsetsOf(tokens, textLength),
  };
}

function offsetsOf(tokens: readonly string[], from: number): number[] {
  let offset = from;
  return tokens.map((token) => {
    const start = offset;
    offset += token.length;
    return start;
  });
}

function numbers(value: unknown): Record<string, number> | null {
  if (!isObject(value)) return null;
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, number] => finite(entry[1]) !== undefined));
}

function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

import { jsonBytes, memberBytes } from '../../json/json-bytes.js';
import { sourceBytes } from '../../json/json-source.js';
import { textBytes, valueAt } from '../../wire/members.js';
import { mayBeRead } from '../../providers/contract/extra-parameters.js';
import type { ContentPart, Message } from '../../wire/chat-completion.js';
import { type GenerationChoice, type GenerationRequest, type InferenceRequest, isOverInputs } from '../../wire/generation.js';
import { type Modality, modalityOfMember, modalityOfType } from '../../wire/media-part.js';
import { digitsIn } from '../../wire/token-ids.js';
import { samplingNumberNames } from '../../wire/sampling-shape.js';
import { contentParts } from '../fitting/content-parts.js';
import { mediaBound } from './media-size.js';
import { promptIds } from './token-ids.js';

/**
 * Counts tokens without a tokenizer, in two ways:
 *
 * - an upper bound, for holds: a byte-level token is never shorter than one UTF-8 byte
 * - a low estimate, for charges without a provider's count: natural text has 4 to 5 bytes a token with the vocabularies
 *   in use, so one token for 6 bytes errs on the customer's side
 */
const BYTES_PER_TOKEN = 6;

/** Tokens that the chat template adds to a message; the templates of the models in use add 3 to 8. */
const MESSAGE_OVERHEAD = 16;

/** Tokens that separate a part of a message from the next one. */
const PART_OVERHEAD = 4;

/**
 * Tokens that vendors put before the declarations of tools, or before a schema: 264 to 806 by
 * docs.anthropic.com/en/docs/agents-and-tools/tool-use, which are the most.
 */
const TOOLS_OVERHEAD = 1_024;

/**
 * Bytes of a tool's declaration as JSON that vendors put in no prompt, or in a shorter form:
 * `{"type":"function","function":{"name":"","description":"","parameters":{"type":"object","properties":{},"required":[]}}},`
 */
const TOOL_ENVELOPE = 120;

export interface PromptSize {
  /** UTF-8 bytes of the text that the model reads. What vendors may or may not show to the model is left out. */
  readonly bytes: number;
  /** Upper bound of the prompt's tokens. Every byte of the request counts in it that is passed on. */
  readonly bound: number;
}

/**
 * Members of a request that are flags, numbers or words which the endpoint has checked, the prompt or the inputs, which
 * are counted by themselves, and what repeats other members. Every other member counts in the bound, also one that did
 * not exist when this was written.
 */
const checked: ReadonlySet<string> = new Set([
  'operation',
  'model',
  'stream',
  'n',
  'max_tokens',
  ...samplingNumberNames,
  'logprobs',
  'top_logprobs',
  'echo',
  'parallel_tool_calls',
  'prompt',
  'messages',
  'native',
  'max_tool_calls',
  'input',
  'dimensions',
  'encoding_format',
]);

/** Members beside the prompt that the model reads. */
const read: ReadonlySet<string> = new Set(['suffix', 'response_format', 'extra']);

/**
 * The size of all that a request passes on, except for its `prompt`, `messages` or `input`. The bytes of tools'
 * declarations
 * are told apart, too.
 */
export function settingsSize(request: InferenceRequest): PromptSize & { readonly toolBytes: number } {
  let [bytes, bound, toolBytes] = [0, MESSAGE_OVERHEAD, 0];
  for (const name in request) {
    if (checked.has(name)) continue;
    const value: unknown = request[name as keyof InferenceRequest];
    if (value === undefined) continue;
    const size = (name === 'extra' ? jsonBytes(value) : sizeOf(value)) + name.length + 4;
    bound += size;
    if (name === 'tools') toolBytes = Math.max(0, size - TOOL_ENVELOPE * (value as readonly unknown[]).length);
    else if (read.has(name)) bytes += readBytes(request, name, size);
  }
  if (request.operation === 'chat' && (request.tools ?? request.hosted_tools ?? request.response_format)) bound += TOOLS_OVERHEAD;
  return { bytes: bytes + toolBytes, bound, toolBytes };
}

/** The bytes of a value as JSON. Where no long text can be in it, it is fastest to make the JSON. */
function sizeOf(value: unknown): number {
  return typeof value !== 'object' || value === null || sourceBytes(value) > 0
    ? jsonBytes(value)
    : Buffer.byteLength(JSON.stringify(value));
}

/** @param size the bytes of the member as JSON */
function readBytes(request: InferenceRequest, name: string, size: number): number {
  if (name === 'extra') return extrasRead(request.extra ?? {});
  if (request.operation === 'completion') return textBytes(request, name);
  if (isOverInputs(request)) return 0;
  return name === 'response_format' && request.response_format?.type !== 'json_schema' ? 0 : size;
}

/** The bytes of parameters beyond the wire format that the model reads, or may read because nobody knows them. */
function extrasRead(extra: Readonly<Record<string, unknown>>): number {
  let bytes = 0;
  for (const name in extra) if (mayBeRead(name)) bytes += memberBytes(extra, name);
  return bytes;
}

/** Tokens that one part of a message counts at most which holds media. */
export type Ceiling = (modality: Modality) => number;

/** The size of `prompt` or `messages`. */
export function promptSize(request: GenerationRequest, ceiling: Ceiling): PromptSize {
  if (request.operation === 'completion') {
    const ids = promptIds(request);
    if (ids) return sizeOfIds(ids);
    const bytes = textBytes(request, 'prompt');
    return { bytes, bound: bytes + MESSAGE_OVERHEAD };
  }
  let [bytes, bound] = [0, 0];
  for (const message of request.messages) {
    bound += MESSAGE_OVERHEAD;
    for (const name in message) {
      // The endpoint has checked the role.
      if (name === 'role') continue;
      const parts = name === 'content' ? contentParts(message) : undefined;
      if (name === 'content' && !parts) {
        const text = textBytes(message, name);
        bytes += text;
        bound += text;
        continue;
      }
      const size = parts ? partsSize(parts, ceiling) : memberSize(message, name, ceiling);
      bytes += size.bytes;
      bound += size.bound;
    }
  }
  return { bytes, bound };
}

/** A token id counts with all its digits, because a provider may read it as it likes. */
export function sizeOfIds(ids: readonly number[]): PromptSize {
  const digits = digitsIn(ids);
  return { bytes: digits, bound: digits + ids.length + MESSAGE_OVERHEAD };
}

/** A member of a message beside its content, as vendors add them (reasoning): the model reads it too. */
function memberSize(message: Message, name: string, ceiling: Ceiling): PromptSize {
  const value = valueAt(message, name);
  const object = typeof value === 'object' && value !== null ? jsonBytes(value) : undefined;
  // Servers of which it is not known which name they read get reasoning under two.
  const bound = object === undefined ? memberBytes(message, name) * (name === 'reasoning_content' ? 2 : 1) : object + name.length + 4;
  // An id only tells which call a result belongs to.
  if (name === 'tool_call_id') return { bytes: 0, bound };
  const modality = value == null ? undefined : modalityOfMember(name);
  if (modality) return { bytes: 0, bound: bound + ceiling(modality) * (Array.isArray(value) ? value.length : 1) };
  return { bytes: object ?? (typeof value === 'string' ? textBytes(message, name) : 0), bound };
}

function partsSize(parts: readonly ContentPart[], ceiling: Ceiling): PromptSize {
  let [bytes, bound] = [0, 0];
  for (const part of parts) {
    bound += PART_OVERHEAD;
    if (part.type === 'text') {
      const text = textBytes(part, 'text');
      bytes += text;
      bound += text;
      for (const name in part) if (name !== 'type' && name !== 'text') bound += memberBytes(part, name);
      continue;
    }
    const modality = modalityOfType(part);
    if (modality === 'text' || modality === 'unknown') {
      const size = jsonBytes(part);
      bytes += size;
      bound += size;
    } else bound += mediaBound(part, modality, ceiling);
  }
  return { bytes, bound };
}

/** Estimates tokens from UTF-8 bytes; never more than a tokenizer finds in natural text. */
export function estimateTokens(bytes: number): number {
  return bytes === 0 ? 0 : Math.max(1, Math.floor(bytes / BYTES_PER_TOKEN));
}

/** UTF-8 bytes of what the model generated in one chunk's choice; 1 at least, where it is anything at all. */
export function generatedBytes(choice: GenerationChoice): number {
  return textBytesOf(choice) || otherBytes(choice);
}

function textBytesOf({ text, delta }: GenerationChoice): number {
  let bytes = text ? Buffer.byteLength(text) : 0;
  if (!delta) return bytes;
  if (delta.content) bytes += Buffer.byteLength(delta.content);
  if (delta.refusal) bytes += Buffer.byteLength(delta.refusal);
  if (delta.reasoning_content) bytes += Buffer.byteLength(delta.reasoning_content);
  if (delta.tool_calls) {
    for (const call of delta.tool_calls) {
      bytes += Buffer.byteLength(call.function?.name ?? '') + Buffer.byteLength(call.function?.arguments ?? '');
    }
  }
  return bytes;
}

/** Members of a delta that are counted as text, or generate nothing. */
const counted: ReadonlySet<string> = new Set(['role', 'content', 'refusal', 'reasoning_content', 'tool_calls']);

/**
 * What vendors deliver without a text of the wire format: texts in members of their own count by their bytes, all else
 * (images, citations, embeddings, log probabilities alone) as little as it can.
 */
function otherBytes({ delta, logprobs, answers }: GenerationChoice): number {
  let bytes = logprobs || answers ? 1 : 0;
  for (const name in delta) {
    if (counted.has(name)) continue;
    const value = delta[name];
    if (typeof value === 'string') bytes += Buffer.byteLength(value);
    else if (value != null) bytes += 1;
  }
  return bytes;
}

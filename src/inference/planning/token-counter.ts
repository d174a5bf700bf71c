import { textBytes } from '../../json/long-text.js';
import type { ContentPart, Message } from '../../wire/chat-completion.js';
import type { GenerationChoice, GenerationRequest } from '../../wire/generation.js';
import { contentParts } from './content-parts.js';

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

/** Tokens reserved for one image where its cost is not known: twice that of four 512-pixel tiles and the base. */
const IMAGE_TOKENS = 2_048;

export interface PromptSize {
  /** UTF-8 bytes of all text. */
  readonly bytes: number;
  readonly messages: number;
  readonly images: number;
}

export function promptSize(request: GenerationRequest): PromptSize {
  if (request.operation === 'completion') {
    return { bytes: Buffer.byteLength(request.prompt) + Buffer.byteLength(request.suffix ?? ''), messages: 1, images: 0 };
  }
  let bytes = 0;
  let images = 0;
  for (const message of request.messages) {
    const parts = contentParts(message);
    if (!parts) bytes += textBytes(message, 'content');
    else {
      for (const part of parts) {
        if (part.type === 'text') bytes += textBytes(part, 'text');
        else if (part.type === 'image_url') images++;
        else bytes += jsonBytes(part);
      }
    }
    bytes += vendorFieldBytes(message);
  }
  if (request.tools) bytes += jsonBytes(request.tools);
  if (request.response_format?.type === 'json_schema') bytes += jsonBytes(request.response_format);
  return { bytes, messages: request.messages.length, images };
}

/** UTF-8 bytes of what vendors add to a message (reasoning, signed thinking), which the model reads too. */
function vendorFieldBytes(message: Message): number {
  let bytes = 0;
  for (const field in message) {
    if (field === 'role' || field === 'content' || field === 'tool_call_id') continue;
    const value = message[field];
    if (typeof value === 'string') bytes += Buffer.byteLength(value);
    else if (typeof value === 'object' && value !== null) bytes += jsonBytes(value);
  }
  return bytes;
}

function jsonBytes(value: ContentPart | object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Upper bound of the prompt tokens. */
export function promptTokenBound(size: PromptSize): number {
  return size.bytes + size.messages * MESSAGE_OVERHEAD + size.images * IMAGE_TOKENS + MESSAGE_OVERHEAD;
}

/** Estimates tokens from UTF-8 bytes; never more than a tokenizer finds in natural text. */
export function estimateTokens(bytes: number): number {
  return bytes === 0 ? 0 : Math.max(1, Math.floor(bytes / BYTES_PER_TOKEN));
}

/** UTF-8 bytes of what the model generated in one chunk's choice. */
export function generatedBytes(choice: GenerationChoice): number {
  let bytes = choice.text ? Buffer.byteLength(choice.text) : 0;
  const { delta } = choice;
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

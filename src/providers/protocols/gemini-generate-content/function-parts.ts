import { copyMember, hasSomeText, hasText, type Member, putJoined } from '../../../wire/members.js';
import type { Message, ToolCall } from '../../../wire/chat-completion.js';
import type { JsonObject } from '../../../wire/json-object.js';
import { ProviderError } from '../../contract/provider-error.js';
import { argumentsObject } from '../../translation/arguments-object.js';
import { idKey } from '../id-key.js';
import { textName, textPart } from './content-parts.js';
import type { Blob, Part } from './wire.js';
import { blobAt } from './media-part.js';
import { signatureOf } from './signatures.js';
import { isGeneratedId } from './tool-call-id.js';

/** Bytes of functions' results up to which it is looked at whether they are objects: these are built at once. */
const MAX_OBJECTS = 1024 * 1024;

/** What is left of that in a conversation. */
export class ResultsLeft {
  #left = MAX_OBJECTS;

  /** @returns whether there are as many, which are then no longer left */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

/** Bytes of a text that tell whether it may be one. */
const BEGINNING = 256;

/** @throws ProviderError invalid_request */
export function functionCallPart(call: ToolCall, where: string): Part {
  const { function: called, extra_content } = call;
  const args = objectOf(called.arguments || '{}');
  if (!args) throw new ProviderError('invalid_request', `${where}.function.arguments is not a JSON object`);
  const part: Part = { functionCall: Object.assign(idOf(call, 'id'), { name: called.name, args }) };
  const thoughtSignature = signatureOf(extra_content);
  if (thoughtSignature) part.thoughtSignature = thoughtSignature;
  return part;
}

/**
 * @param names of the functions that were called so far, by the ids of their calls
 * @throws ProviderError invalid_request
 */
export function functionResponsePart(message: Message, names: ReadonlyMap<string, string>, where: string, left: ResultsLeft): Part {
  const name = names.get(idKey(message, 'tool_call_id')) ?? message.name;
  if (!name) throw new ProviderError('invalid_request', `${where}.tool_call_id names no tool call of an earlier message`);
  const { text, media } = resultOf(message, where);
  const functionResponse: Part['functionResponse'] = Object.assign(idOf(message, 'tool_call_id'), {
    name,
    response: message.is_error === true ? told(text, 'error') : responseOf(text, left),
  });
  if (media.length > 0) functionResponse.parts = media;
  return { functionResponse };
}

function resultOf(message: Message, where: string): { text: Part; media: { inlineData: Blob }[] } {
  if (hasText(message, 'content') || !Array.isArray(message.content)) return { text: textPart(message, 'content'), media: [] };
  const texts: Member[] = [];
  const media: { inlineData: Blob }[] = [];
  for (const [index, part] of message.content.entries()) {
    const text = textName(part);
    const inlineData = part.type === 'image_url' && part.image_url ? blobAt(part.image_url, 'url') : undefined;
    if (text) texts.push([part, text]);
    else if (inlineData) media.push({ inlineData });
    else throw new ProviderError('invalid_request', `${where}.content[${index}] is neither text nor an image as a data: URL`);
  }
  const text: Part = {};
  putJoined(text, 'text', texts);
  return { text, media };
}

/**
 * Without the keys `output` and `error` Google takes the whole object as the function's result. Long numbers would be
 * rounded in it.
 */
function responseOf(result: Part, left: ResultsLeft): JsonObject {
  if (!mayBeParsed(result, left)) return told(result, 'output');
  const text = result.text!;
  return (/\d{16}/.test(text) ? undefined : objectOf(text)) ?? { output: text };
}

/** The key says what the text is: the function's result, or why it has failed. */
function told(result: Part, key: 'output' | 'error'): JsonObject {
  const response = {};
  copyMember(result, 'text', response, key);
  return response;
}

function mayBeParsed(result: Part, left: ResultsLeft): boolean {
  const text = result.text!;
  return mayBeObject(text.slice(0, BEGINNING)) && left.take(text.length);
}

function mayBeObject(beginning: string): boolean {
  return /^\s*(\{|$)/.test(beginning);
}

/** Google knows the ids that it gave. Ids that we made stand for calls without one, and are left out. */
function idOf(holder: object, name: string): { id?: string } {
  const id = {};
  if (hasSomeText(holder, name) && !isGeneratedId(idKey(holder, name))) copyMember(holder, name, id, 'id');
  return id;
}

function objectOf(text: string): JsonObject | undefined {
  return text.trimStart().startsWith('{') ? argumentsObject(text) : undefined;
}

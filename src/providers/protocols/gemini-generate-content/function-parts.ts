import type { Message, ToolCall } from '../../../wire/chat-completion.js';
import type { JsonObject } from '../../../wire/json-object.js';
import { ProviderError } from '../../provider-error.js';
import { argumentsObject } from '../arguments-object.js';
import { textOf } from './content-parts.js';
import type { Blob, Part } from './wire.js';
import { blobOf } from './media-part.js';
import { signatureOf } from './signatures.js';
import { isGeneratedId } from './tool-call-id.js';

/** @throws ProviderError invalid_request */
export function functionCallPart({ id, function: called, extra_content }: ToolCall, where: string): Part {
  const args = objectOf(called.arguments || '{}');
  if (!args) throw new ProviderError('invalid_request', `${where}.function.arguments is not a JSON object`);
  const part: Part = { functionCall: { ...idOf(id), name: called.name, args } };
  const thoughtSignature = signatureOf(extra_content);
  if (thoughtSignature) part.thoughtSignature = thoughtSignature;
  return part;
}

/**
 * @param names of the functions that were called so far, by the ids of their calls
 * @throws ProviderError invalid_request
 */
export function functionResponsePart(message: Message, names: ReadonlyMap<string, string>, where: string): Part {
  const id = message.tool_call_id ?? '';
  const name = names.get(id) ?? message.name;
  if (!name) throw new ProviderError('invalid_request', `${where}.tool_call_id names no tool call of an earlier message`);
  const { text, media } = resultOf(message, where);
  // Without the keys `output` and `error` Google takes the whole object as the function's result. Long numbers would be
  // rounded in it.
  const response = (/\d{16}/.test(text) ? undefined : objectOf(text)) ?? { output: text };
  const functionResponse: Part['functionResponse'] = { ...idOf(id), name, response };
  if (media.length > 0) functionResponse.parts = media;
  return { functionResponse };
}

function resultOf({ content }: Message, where: string): { text: string; media: { inlineData: Blob }[] } {
  if (!Array.isArray(content)) return { text: content ?? '', media: [] };
  const texts: string[] = [];
  const media: { inlineData: Blob }[] = [];
  for (const [index, part] of content.entries()) {
    const text = textOf(part);
    const inlineData = part.type === 'image_url' ? blobOf(part.image_url?.url ?? '') : undefined;
    if (text !== undefined) texts.push(text);
    else if (inlineData) media.push({ inlineData });
    else throw new ProviderError('invalid_request', `${where}.content[${index}] is neither text nor an image as a data: URL`);
  }
  return { text: texts.join('\n'), media };
}

/** Google knows the ids that it gave. Ids that we made stand for calls without one, and are left out. */
function idOf(id: string): { id?: string } {
  return id === '' || isGeneratedId(id) ? {} : { id };
}

function objectOf(text: string): JsonObject | undefined {
  return text.trimStart().startsWith('{') ? argumentsObject(text) : undefined;
}

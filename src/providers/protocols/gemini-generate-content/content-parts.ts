import type { ContentPart, Message } from '../../../wire/chat-completion.js';
import type { Part } from './wire.js';
import { mediaPart } from './media-part.js';

/**
 * Converts the content of a message, whatever its form, to parts: one empty part at least.
 * @throws ProviderError invalid_request
 */
export function contentParts({ content }: Message, where: string): Part[] {
  if (typeof content === 'string') return [{ text: content }];
  const parts = (content ?? []).map((part, index) => {
    const text = textOf(part);
    return text === undefined ? mediaPart(part, `${where}.content[${index}]`) : { text };
  });
  return parts.length > 0 ? parts : [{ text: '' }];
}

export function textOf(part: ContentPart): string | undefined {
  if (part.type === 'text') return part.text ?? '';
  return part.type === 'refusal' ? (part.refusal ?? '') : undefined;
}

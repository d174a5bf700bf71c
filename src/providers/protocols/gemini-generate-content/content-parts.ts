import { copyMember, hasSomeText, hasText } from '../../../wire/members.js';
import type { ContentPart, Message } from '../../../wire/chat-completion.js';
import { fileOfPart } from '../../translation/file-of-part.js';
import type { Part } from './wire.js';
import { mediaPart } from './media-part.js';

/**
 * Converts the content of a message, whatever its form, to parts: one empty part at least.
 * @throws ProviderError invalid_request
 */
export function contentParts(message: Message, where: string): Part[] {
  if (hasText(message, 'content')) return [textPart(message, 'content')];
  const content = (message.content ?? []) as readonly ContentPart[];
  const parts = content.flatMap((part, index) => {
    const name = textName(part);
    return name === undefined ? [...titleOf(part), mediaPart(part, `${where}.content[${index}]`)] : textPart(part, name);
  });
  return parts.length > 0 ? parts : [{ text: '' }];
}

/** The name of a file, for which Google's media have no place. */
function titleOf(part: ContentPart): Part[] {
  const file = fileOfPart(part) ?? {};
  return hasSomeText(file, 'filename') ? [textPart(file, 'filename')] : [];
}

/** A part with the text of a member; an empty one where there is none. */
export function textPart(holder: object, name: string): Part {
  const part: Part = { text: '' };
  if (hasText(holder, name)) copyMember(holder, name, part, 'text');
  return part;
}

/** @returns the name of the member that has the text of a part; undefined where the part is no text */
export function textName({ type }: ContentPart): 'text' | 'refusal' | undefined {
  return type === 'text' || type === 'refusal' ? type : undefined;
}

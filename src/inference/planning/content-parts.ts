import { longTextAt } from '../../json/long-text.js';
import type { ContentPart, Message } from '../../wire/chat-completion.js';

/** The parts of a message's content; undefined where the content is one text or absent. */
export function contentParts(message: Message): readonly ContentPart[] | undefined {
  if (longTextAt(message, 'content')) return undefined;
  return Array.isArray(message.content) ? message.content : undefined;
}

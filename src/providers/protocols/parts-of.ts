import { copyMember, hasText } from '../../wire/members.js';
import type { ContentPart, Message } from '../../wire/chat-completion.js';

/** The parts of a message; one where its content is a text. */
export function partsOf(message: Message): readonly ContentPart[] {
  if (!hasText(message, 'content')) return (message.content ?? []) as readonly ContentPart[];
  const part = { type: 'text' };
  copyMember(message, 'content', part, 'text');
  return [part];
}

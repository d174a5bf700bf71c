import type { ContentPart, Message } from '../../wire/chat-completion.js';

/** The parts of a message's content; undefined where the content is one text or absent. */
export function contentParts(message: Message): readonly ContentPart[] | undefined {
  return Array.isArray(message.content) ? message.content : undefined;
}

/** Whether any message is more than a role and one text. */
export function saysMore(messages: readonly Message[]): boolean {
  for (const message of messages) {
    for (const name in message) {
      if (name === 'content' ? contentParts(message) : name !== 'role') return true;
    }
  }
  return false;
}

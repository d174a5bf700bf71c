import { changedFrom } from '../../json/json-source.js';
import { copyMember, copyWith, textBytes } from '../../wire/members.js';
import type { ContentPart, Message } from '../../wire/chat-completion.js';
import { modalityOfType } from '../../wire/media-part.js';

/** UTF-8 bytes of the id of a call up to which it is named. */
const MAX_ID = 64;

/**
 * The messages with tools' results that are text alone: their images follow in a message of the user behind all results
 * of the turn.
 * @returns the same array where nothing changes
 */
export function mediaBehindResults(messages: readonly Message[]): readonly Message[] {
  const hasMedia = (message: Message): boolean => message.role === 'tool' && partsOf(message)?.some(isMedia) === true;
  if (!messages.some(hasMedia)) return messages;
  const sent: Message[] = [];
  let shown: ContentPart[] = [];
  for (const message of messages) {
    if (message.role !== 'tool' && shown.length > 0) {
      sent.push({ role: 'user', content: shown });
      shown = [];
    }
    sent.push(hasMedia(message) ? textResult(message, shown) : message);
  }
  if (shown.length > 0) sent.push({ role: 'user', content: shown });
  return changedFrom(messages, sent);
}

function isMedia(part: ContentPart): boolean {
  return modalityOfType(part) !== 'text';
}

function partsOf(message: Message): readonly ContentPart[] | undefined {
  return Array.isArray(message.content) ? message.content : undefined;
}

/** @param shown gets what is no text */
function textResult(message: Message, shown: ContentPart[]): Message {
  const parts = partsOf(message)!;
  const about: ContentPart = { type: 'text', text: '' };
  // What is said here is no part of what is held for the request: it is little beside what is held for media.
  if (textBytes(message, 'tool_call_id') <= MAX_ID) copyMember(message, 'tool_call_id', about, 'text');
  shown.push({ type: 'text', text: `The result of the tool call ${about.text}:` }, ...parts.filter(isMedia));
  const texts = parts.filter((part) => !isMedia(part));
  return copyWith(message, { content: texts.length > 0 ? texts : 'The result is in the next message of the user.' });
}

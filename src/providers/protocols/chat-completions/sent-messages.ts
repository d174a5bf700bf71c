import { changedFrom } from '../../../json/json-source.js';
import { copyMember, copyOf, copyWith, hasText, longTextAt, textBytes } from '../../../json/long-text.js';
import type { ContentPart, Message } from '../../../wire/chat-completion.js';
import { modalityOfType } from '../../../wire/media-part.js';
import { isObject } from '../../../wire/json-object.js';

/** UTF-8 bytes of the id of a call up to which it is named. */
const MAX_ID = 64;

/** The names that servers have for the reasoning of an assistant's message. */
export type ReasoningName = 'reasoning_content' | 'reasoning';

/** Engines have changed the name (vLLM), and others keep the older one (SGLang, llama.cpp). */
const bothNames: readonly ReasoningName[] = ['reasoning_content', 'reasoning'];

/**
 * The messages as the format has them: a tool's result is text alone, so that its images follow in a message of the
 * user behind all results of the turn, and it has no word for a failure. Reasoning that another format has signed is
 * left out.
 * @param names of reasoning that the server reads
 * @returns the same array where nothing changes: what goes on as it came costs least
 */
export function sentMessages(messages: readonly Message[], names = bothNames): readonly Message[] {
  const renames = names.length !== 1 || names[0] !== 'reasoning_content';
  const isForeign = (message: Message): boolean => {
    if (message.role === 'tool') return message.is_error !== undefined || partsOf(message)?.some(isMedia) === true;
    if (message.role !== 'assistant') return false;
    return (renames && hasText(message, 'reasoning_content')) || hasForeignBlocks(message);
  };
  if (!messages.some(isForeign)) return messages;
  const sent: Message[] = [];
  let shown: ContentPart[] = [];
  for (const message of messages) {
    if (message.role !== 'tool' && shown.length > 0) {
      sent.push({ role: 'user', content: shown });
      shown = [];
    }
    if (!isForeign(message)) sent.push(message);
    else if (message.role === 'tool') sent.push(textResult(message, shown));
    else sent.push(saidMessage(message, names));
  }
  if (shown.length > 0) sent.push({ role: 'user', content: shown });
  return changedFrom(messages, sent);
}

function hasForeignBlocks({ thinking_blocks: blocks }: Message): boolean {
  return Array.isArray(blocks) && !blocks.every(isOwn);
}

function isOwn(block: unknown): boolean {
  return !isObject(block) || block['wire'] === undefined;
}

function isMedia(part: ContentPart): boolean {
  return modalityOfType(part) !== 'text';
}

function partsOf(message: Message): readonly ContentPart[] | undefined {
  return !longTextAt(message, 'content') && Array.isArray(message.content) ? message.content : undefined;
}

/** @param shown gets what is no text */
function textResult(message: Message, shown: ContentPart[]): Message {
  const result = copyWith(message, { is_error: undefined });
  const parts = partsOf(message);
  const others = parts?.filter((part) => isMedia(part));
  if (!parts || !others?.length) return result;
  const about: ContentPart = { type: 'text', text: '' };
  // What is said here is no part of what is held for the request: it is little beside what is held for media.
  if (textBytes(message, 'tool_call_id') <= MAX_ID) copyMember(message, 'tool_call_id', about, 'text');
  shown.push({ type: 'text', text: `The result of the tool call ${about.text}:` }, ...others);
  const texts = parts.filter((part) => !isMedia(part));
  return Object.assign(result, { content: texts.length > 0 ? texts : 'The result is in the next message of the user.' });
}

function saidMessage(message: Message, names: readonly ReasoningName[]): Message {
  const said = copyOf(message);
  if (hasForeignBlocks(message)) {
    const kept = (message.thinking_blocks as readonly unknown[]).filter(isOwn);
    said.thinking_blocks = kept.length > 0 ? kept : undefined;
  }
  if (!hasText(message, 'reasoning_content')) return said;
  if (!names.includes('reasoning_content')) said.reasoning_content = undefined;
  if (names.includes('reasoning')) copyMember(message, 'reasoning_content', said, 'reasoning');
  return said;
}

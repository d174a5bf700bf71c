import { changedFrom } from '../../../json/json-source.js';
import { copyMember, copyOf, copyWith, hasText } from '../../../wire/members.js';
import type { Message } from '../../../wire/chat-completion.js';
import { isObject } from '../../../wire/json-object.js';
import { mediaBehindResults } from '../../translation/media-behind-results.js';

/** The names that servers have for the reasoning of an assistant's message. */
export type ReasoningName = 'reasoning_content' | 'reasoning';

/** Engines have changed the name (vLLM), and others keep the older one (SGLang, llama.cpp). */
const bothNames: readonly ReasoningName[] = ['reasoning_content', 'reasoning'];

/**
 * The messages as the format has them: a tool's result is text alone (`mediaBehindResults`), and it has no word for a
 * failure. Reasoning that another format has signed, or that the server does not read, is left out.
 * @param names of reasoning that the server reads
 * @returns the same array where nothing changes: what goes on as it came costs least
 */
export function sentMessages(messages: readonly Message[], names = bothNames): readonly Message[] {
  const renames = names.length !== 1 || names[0] !== 'reasoning_content';
  const isForeign = (message: Message): boolean => {
    if (message.role === 'tool') return message.is_error !== undefined;
    if (message.role !== 'assistant') return false;
    return (renames && hasText(message, 'reasoning_content')) || ownBlocks(message, names) !== message.thinking_blocks;
  };
  const shown = mediaBehindResults(messages);
  if (!shown.some(isForeign)) return shown;
  const sent = shown.map((message) => {
    if (!isForeign(message)) return message;
    return message.role === 'tool' ? copyWith(message, { is_error: undefined }) : saidMessage(message, names);
  });
  return changedFrom(messages, sent);
}

function ownBlocks({ thinking_blocks: blocks }: Message, names: readonly ReasoningName[]): unknown {
  if (!Array.isArray(blocks)) return blocks;
  const kept = blocks.filter((block) => takesBlock(block, names));
  if (kept.length === blocks.length && names.length > 0) return blocks;
  return kept.length > 0 ? kept : undefined;
}

/** Whether a server takes an element of `thinking_blocks`. @param names as for `sentMessages` */
export function takesBlock(block: unknown, names = bothNames): boolean {
  return names.length > 0 && (!isObject(block) || block['wire'] === undefined);
}

function saidMessage(message: Message, names: readonly ReasoningName[]): Message {
  const said = copyOf(message);
  const blocks = ownBlocks(message, names);
  if (blocks !== message.thinking_blocks) said.thinking_blocks = blocks;
  if (!hasText(message, 'reasoning_content')) return said;
  if (!names.includes('reasoning_content')) said.reasoning_content = undefined;
  if (names.includes('reasoning')) copyMember(message, 'reasoning_content', said, 'reasoning');
  return said;
}

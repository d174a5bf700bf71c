import { createHash } from 'node:crypto';
import { copyMember, hasSomeText, hasVisibleText } from '../../../wire/members.js';
import type { Message, ToolCall } from '../../../wire/chat-completion.js';
import { ProviderError } from '../../contract/provider-error.js';
import { argumentsObject } from '../../translation/arguments-object.js';
import { marked, textBlock, textBlocks } from './content-parts.js';
import type { Block, TextBlock, ToolUseBlock } from './wire.js';
import { placedBlocks } from '../../translation/signed-thinking.js';

/**
 * Converts an assistant's message to the blocks that it was made of: signed thinking at its old place, text before the
 * tool calls that follow it.
 * @throws ProviderError invalid_request
 */
export function assistantBlocks(message: Message): Block[] {
  const refusal = hasSomeText(message, 'refusal') ? [textBlock(message, 'refusal')] : [];
  const texts = new TextCursor([...textBlocks(message), ...refusal]);
  const calls = (message.tool_calls ?? []).map(toolUse);
  const blocks: Block[] = [];
  let called = 0;
  for (const { block, content, toolCalls } of placedBlocks(message)) {
    blocks.push(...texts.upTo(content), ...calls.slice(called, toolCalls), block);
    called = Math.max(called, toolCalls);
  }
  blocks.push(...texts.upTo(Infinity), ...calls.slice(called));
  const last = blocks.at(-1);
  if (last?.type === 'tool_use' || last?.type === 'text') marked(last, message.cache_control);
  return blocks;
}

/** Characters of an id, which is sent with each call and each result. */
const MAX_ID = 1_024;

/** Characters of a longer id that tell it from others, together with its length, and characters of their hash. */
const TELLING = 4 * MAX_ID;
const HASH = 16;

/**
 * The vendor accepts ids of the form `^[a-zA-Z0-9_-]+$`. A conversation that began at another provider may bring other
 * ids. A longer one ends with a hash: to replace characters of 30 MB takes seven times as much memory.
 */
export function toolUseId(holder: object, name: string): string {
  const id = (holder as Record<string, string>)[name]!;
  if (id.length <= MAX_ID) return plainId(id);
  const told = `${id.length} ${id.slice(0, TELLING)}`;
  return plainId(id.slice(0, MAX_ID - HASH)) + createHash('sha256').update(told).digest('hex').slice(0, HASH);
}

function plainId(id: string): string {
  return id.replaceAll(/[^\w-]/g, '_');
}

function toolUse(call: ToolCall): ToolUseBlock {
  const { arguments: text } = call.function;
  const block: ToolUseBlock = { type: 'tool_use', id: toolUseId(call, 'id'), name: '', input: {} };
  copyMember(call.function, 'name', block);
  const input = argumentsObject(text);
  if (!input) throw new ProviderError('invalid_request', `The arguments of tool call '${call.id.slice(0, 100)}' are not a JSON object`);
  block.input = input;
  return marked(block, (call as { cache_control?: unknown }).cache_control);
}

/** Hands out text blocks in order, cut at the places of the signed blocks. */
class TextCursor {
  #taken = 0;

  constructor(private readonly blocks: TextBlock[]) {}

  /** @returns what was not yet handed out of the first `offset` UTF-16 code units */
  upTo(offset: number): TextBlock[] {
    if (offset === Infinity) return this.blocks.splice(0).filter((block) => hasVisibleText(block, 'text'));
    const taken: TextBlock[] = [];
    for (let block = this.blocks[0]; block && this.#taken < offset; block = this.blocks[0]) {
      const room = offset - this.#taken;
      if (block.text.length <= room) this.blocks.shift();
      else {
        this.blocks[0] = { ...block, text: block.text.slice(room) };
        block = { type: 'text', text: block.text.slice(0, room) };
      }
      this.#taken += block.text.length;
      if (/\S/.test(block.text)) taken.push(block);
    }
    return taken;
  }
}

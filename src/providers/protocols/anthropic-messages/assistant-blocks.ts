import type { Message, ToolCall } from '../../../wire/chat-completion.js';
import { isObject } from '../../../wire/json-object.js';
import { ProviderError } from '../../provider-error.js';
import { parsedJson } from '../parsed-json.js';
import { marked, textBlocks } from './content-parts.js';
import type { Block, TextBlock, ToolUseBlock } from './wire.js';
import { placedBlocks } from './signatures.js';

/**
 * Converts an assistant's message to the blocks that it was made of: signed thinking at its old place, text before the
 * tool calls that follow it.
 * @throws ProviderError invalid_request
 */
export function assistantBlocks(message: Message): Block[] {
  const refusal = message.refusal ? [{ type: 'text' as const, text: message.refusal }] : [];
  const texts = new TextCursor([...textBlocks({ ...message, cache_control: undefined }), ...refusal]);
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

/**
 * The vendor accepts ids of the form `^[a-zA-Z0-9_-]+$`. A conversation that began at another provider may bring other
 * ids.
 */
export function toolUseId(id: string): string {
  return id.replaceAll(/[^\w-]/g, '_');
}

function toolUse({ id, function: { name, arguments: text } }: ToolCall): ToolUseBlock {
  return { type: 'tool_use', id: toolUseId(id), name, input: toolInput(text, id) };
}

function toolInput(text: string, id: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  const input = parsedJson(text);
  if (!isObject(input))
    throw new ProviderError('invalid_request', `The arguments of tool call '${id.slice(0, 100)}' are not a JSON object`);
  return input;
}

/** Hands out text blocks in order, cut at the places of the signed blocks. */
class TextCursor {
  #taken = 0;

  constructor(private readonly blocks: TextBlock[]) {}

  /** @returns what was not yet handed out of the first `offset` UTF-16 code units */
  upTo(offset: number): TextBlock[] {
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

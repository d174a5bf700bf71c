import { copyMember, hasSomeText, hasText, valueAt } from '../../wire/members.js';
import type { Message } from '../../wire/chat-completion.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import type { ProofMember } from '../contract/carried-proofs.js';
import type { RedactedThinkingBlock, ThinkingBlock } from '../../wire/anthropic-message.js';

/**
 * A thinking block on its way through the client: an element of `thinking_blocks` on the delta and the message, which
 * is to be sent back unchanged with the message. The vendor refuses thinking without its signature, and thinking that
 * has moved among the other blocks.
 */
export type SignedBlock = (ThinkingBlock | RedactedThinkingBlock) & {
  /** Position among the signed blocks of the response, by which clients that merge deltas by index keep them apart. */
  index: number;
  /**
   * How much of the response comes before this block: UTF-16 code units of `content` and the number of `tool_calls`.
   * Absent where nothing comes before it.
   */
  after?: { content: number; tool_calls: number };
};

interface PlacedBlock {
  readonly block: ThinkingBlock | RedactedThinkingBlock;
  readonly content: number;
  readonly toolCalls: number;
}

/**
 * The signed blocks that a client sends back with an assistant's message: our own `thinking_blocks`, which other
 * gateways spell in the same way but without a position, or the `reasoning_details` of OpenRouter. Blocks without a
 * signature are left out.
 */
export function placedBlocks(message: Message): PlacedBlock[] {
  const { thinking_blocks: ours, reasoning_details: theirs } = message;
  const carried = Array.isArray(ours) ? ours : theirs;
  if (!Array.isArray(carried)) return [];
  const blocks: PlacedBlock[] = [];
  for (const entry of carried as unknown[]) {
    const block = isObject(entry) && isOurs(entry) ? signedBlock(entry) : undefined;
    if (!isObject(entry) || !block) continue;
    const after = isObject(entry['after']) ? entry['after'] : {};
    blocks.push({ block, content: count(after['content']), toolCalls: count(after['tool_calls']) });
  }
  return blocks;
}

/** Whether the vendor takes what a client carries back. */
export function takesProof(proof: JsonObject, member: ProofMember): boolean {
  return member !== 'extra_content' && isOurs(proof);
}

/** The vendor refuses signatures of others. OpenRouter names the vendor in `format`: `anthropic-claude-v1`. */
function isOurs({ wire, format }: JsonObject): boolean {
  return (wire === undefined || wire === 'anthropic-messages') && (typeof format !== 'string' || format.startsWith('anthropic'));
}

function signedBlock(entry: Record<string, unknown>): PlacedBlock['block'] | undefined {
  const type = valueAt(entry, 'type');
  if (type === 'thinking' || type === 'reasoning.text') {
    const thought = type === 'thinking' ? type : 'text';
    if (!hasSomeText(entry, 'signature')) return undefined;
    const block: ThinkingBlock = { type: 'thinking', thinking: '', signature: '' };
    if (hasText(entry, thought)) copyMember(entry, thought, block, 'thinking');
    copyMember(entry, 'signature', block);
    return block;
  }
  if ((type !== 'redacted_thinking' && type !== 'reasoning.encrypted') || !hasSomeText(entry, 'data')) return undefined;
  const block: RedactedThinkingBlock = { type: 'redacted_thinking', data: '' };
  copyMember(entry, 'data', block);
  return block;
}

function count(value: unknown): number {
  return Number.isSafeInteger(value) ? Math.max(0, value as number) : 0;
}

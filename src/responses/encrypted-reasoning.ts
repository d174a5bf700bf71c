import { type CarriedTexts, isCarried } from '../inference/carried/carried-facts.js';
import type { CarriedReader } from '../inference/carried/carried-reader.js';
import { copyMember, hasSomeText, type Member, putJoined, valueAt } from '../wire/members.js';
import type { ReasoningBlock } from '../wire/reasoning-block.js';
import { typeOf } from './foreign-items.js';

/** What is between two texts of reasoning. */
export const BETWEEN = '\n\n';

const MEMBER = 'encrypted_content';

type Block = Omit<ReasoningBlock, 'index' | 'after'>;

/** What the `encrypted_content` of a reasoning item stands for. */
type EncryptedReasoning =
  | { readonly block: Block }
  /** What belongs to the call that follows, or to the answer. */
  | { readonly extra_content: unknown; readonly of: 'call' | 'answer' };

/** The vendor's signature of the text of a block, or the vendor's encrypted reasoning. */
export function proofOf({ type, signature, data, wire }: ReasoningBlock): string | undefined {
  return type === 'thinking' && wire !== 'openai-responses' ? signature : data;
}

/** The `encrypted_content` of the item of a block. It is as opaque to clients as OpenAI's own, which goes as it is. */
export function encryptedBlock(block: ReasoningBlock, carried: CarriedTexts): string | undefined {
  const { type, signature, data, wire } = block;
  if (wire === 'openai-responses' || !proofOf(block)) return proofOf(block);
  return carried.write({ block: type === 'thinking' ? { type, signature } : { type, data } });
}

/**
 * What is not the gateway's own is not decoded, and neither are the texts.
 * @param item has some `encrypted_content`
 * @param texts of the item
 * @returns undefined where it is left out
 */
export function decrypted(item: object, texts: readonly Member[], reader: CarriedReader): EncryptedReasoning | undefined {
  if (!isCarried(item, MEMBER)) {
    const block: Block = { type: 'redacted_thinking', wire: 'openai-responses' };
    copyMember(item, MEMBER, block, 'data');
    return { block };
  }
  const facts = reader.facts(item, MEMBER, `reasoning.${MEMBER}`);
  if (!facts || 'extra_content' in facts) return facts;
  const block: Block = { ...facts.block };
  if (block.type === 'thinking') putJoined(block, 'thinking', texts, BETWEEN);
  return { block };
}

/** Whether an item is reasoning in words that means nothing to a vendor of this format. */
export function isUnproved(item: object): boolean {
  const summary: unknown = typeOf(item) === 'reasoning' ? valueAt(item, 'summary') : undefined;
  return Array.isArray(summary) && summary.length > 0 && !hasSomeText(item, MEMBER) && isForeignReasoning(item);
}

/** Whether an item of reasoning has nothing that a vendor of this format could go on with. */
export function isForeignReasoning(item: object): boolean {
  if (!hasSomeText(item, MEMBER)) return !Array.isArray(valueAt(item, 'content'));
  return isCarried(item, MEMBER);
}

import type { ReasoningBlock } from '../wire/reasoning-block.js';

/** Begins what the gateway has made; anything else is OpenAI's own. */
const OURS = 'switchyard.1.';

type Block = Omit<ReasoningBlock, 'index' | 'after'>;

/** What the `encrypted_content` of a reasoning item stands for. */
export type EncryptedReasoning =
  | { readonly block: Block }
  /** JSON of the `extra_content` of the call that follows, or of the answer. */
  | { readonly extra: string; readonly of: 'call' | 'answer' };

/**
 * The `encrypted_content` of the item of a block: the vendor's signature of the item's text, or the vendor's encrypted
 * reasoning. It is as opaque to clients as OpenAI's own, which goes as it is.
 */
export function encryptedBlock({ type, signature, data, wire }: ReasoningBlock): string | undefined {
  if (wire === 'openai-responses') return data;
  const value = type === 'thinking' ? signature : data;
  return value && `${OURS}${type === 'thinking' ? 's' : 'd'}.${value}`;
}

/** The same for what a vendor wants to have back with a call, or with the answer. */
export function encryptedExtra(extra: unknown, of: 'call' | 'answer'): string {
  return `${OURS}${of === 'call' ? 'c' : 'a'}.${JSON.stringify(extra)}`;
}

/** @param text of the item */
export function decrypted(content: string, text: string): EncryptedReasoning {
  const value = content.slice(OURS.length + 2);
  switch (content.startsWith(OURS) && content.slice(OURS.length, OURS.length + 2)) {
    case 's.':
      return { block: { type: 'thinking', thinking: text, signature: value } };
    case 'd.':
      return { block: { type: 'redacted_thinking', data: value } };
    case 'c.':
      return { extra: value, of: 'call' };
    case 'a.':
      return { extra: value, of: 'answer' };
    default:
      return { block: { type: 'redacted_thinking', data: content, wire: 'openai-responses' } };
  }
}

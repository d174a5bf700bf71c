import { type Member, putJoined } from '../json/joined-text.js';
import { copyMember, hasSomeText, longTextAt, putLongText, setMember, textStart, valueAt } from '../json/long-text.js';
import type { ReasoningBlock } from '../wire/reasoning-block.js';

/** Begins what the gateway has made; anything else is OpenAI's own. */
const OURS = 'switchyard.1.';
/** Characters of it and of what says which kind it is. */
const MARK_LENGTH = OURS.length + 2;

/** What is between two texts of reasoning. */
export const BETWEEN = '\n\n';

type Block = Omit<ReasoningBlock, 'index' | 'after'>;

/** What the `encrypted_content` of a reasoning item stands for. */
export type EncryptedReasoning =
  | { readonly block: Block }
  /** The text is JSON of the `extra_content` of the call that follows, or of the answer. */
  | { readonly extra: Member; readonly of: 'call' | 'answer' };

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

/**
 * Neither the texts nor what is encrypted is decoded.
 * @param item has some `encrypted_content`
 * @param texts of the item
 */
export function decrypted(item: object, texts: readonly Member[]): EncryptedReasoning {
  const name = 'encrypted_content';
  const [mark, kind] = [textStart(item, name, OURS.length), textStart(item, name, MARK_LENGTH).slice(OURS.length)];
  switch (mark === OURS && kind) {
    case 's.': {
      const block: Block = { type: 'thinking' };
      putJoined(block, 'thinking', texts, BETWEEN);
      return { block: withRest(block, 'signature', item) };
    }
    case 'd.':
      return { block: withRest<Block>({ type: 'redacted_thinking' }, 'data', item) };
    case 'c.':
      return { extra: [withRest({}, 'json', item), 'json'], of: 'call' };
    case 'a.':
      return { extra: [withRest({}, 'json', item), 'json'], of: 'answer' };
    default: {
      const block: Block = { type: 'redacted_thinking', wire: 'openai-responses' };
      copyMember(item, name, block, 'data');
      return { block };
    }
  }
}

/** Gives an object what is encrypted behind the mark of the gateway. */
function withRest<T extends object>(to: T, name: string, item: object): T {
  const long = longTextAt(item, 'encrypted_content');
  if (long) putLongText(to, name, long.after(MARK_LENGTH));
  else setMember(to, name, (item as { encrypted_content: string }).encrypted_content.slice(MARK_LENGTH));
  return to;
}

/** Whether an item of reasoning has nothing that a vendor of this format could go on with. */
export function isForeignReasoning(item: object): boolean {
  if (!hasSomeText(item, 'encrypted_content')) return !Array.isArray(valueAt(item, 'content'));
  return textStart(item, 'encrypted_content', OURS.length).startsWith(OURS);
}

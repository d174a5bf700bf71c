import { createHmac, type KeyObject } from 'node:crypto';
import { hasText, hasTextUpTo, textPieces, textStart } from '../../json/long-text.js';
import type { NameRule } from '../../providers/request-rules.js';

/** Characters of an id that is made. */
const ID = 24;

/** Characters of the hash behind what is kept of a name. */
const HASH = 8;

/**
 * Makes ids and names that a vendor takes of those that it does not. They are the same in each turn of a conversation
 * and on each gateway of a store, and nobody without its key can make one that stands for another.
 */
export class KeyedNames {
  constructor(private readonly key: KeyObject) {}

  /** @returns undefined where the member is a text that the rule takes, or no text */
  id(holder: object, name: string, rule: NameRule): string | undefined {
    return fits(holder, name, rule) ? undefined : this.#hash(holder, name).slice(0, Math.min(rule.length, ID));
  }

  /** As `id`, with as much of the name as stays readable. */
  name(holder: object, name: string, rule: NameRule): string | undefined {
    if (fits(holder, name, rule)) return undefined;
    const kept = textStart(holder, name, rule.length)
      .replaceAll(/[^\w-]/g, '_')
      .replace(/^[^a-z_]/i, '_');
    return `${kept.slice(0, rule.length - HASH - 1)}_${this.#hash(holder, name).slice(0, HASH)}`;
  }

  /** Letters and digits. */
  #hash(holder: object, name: string): string {
    const hash = createHmac('sha256', this.key);
    for (const piece of textPieces(holder, name)) hash.update(piece, 'utf16le');
    return BigInt(`0x${hash.digest('hex')}`)
      .toString(36)
      .padStart(ID, '0');
  }
}

function fits(holder: object, name: string, { pattern, length }: NameRule): boolean {
  if (!hasText(holder, name)) return true;
  return hasTextUpTo(holder, name, length) && pattern.test((holder as Record<string, string>)[name]!);
}

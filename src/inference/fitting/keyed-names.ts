import { createHmac, type KeyObject } from 'node:crypto';
import { ApiError } from '../../common/api-error.js';
import { hasText, hasTextUpTo, textStart } from '../../wire/members.js';
import type { NameRule } from '../../providers/contract/request-rules.js';

/** Characters of an id that is made. */
const ID = 24;

/** Characters of the hash behind what is kept of a name. */
const HASH = 8;

/** UTF-16 code units of an id or a name that is changed at most. */
const LONGEST = 64 * 1024;

/** Different ids and names of a request that are changed at most: each is hashed in the turn that plans the request. */
const MOST = 10_000;

/**
 * Makes ids and names that a vendor takes of those that it does not. They are the same in each turn of a conversation
 * and on each gateway of a store, and nobody without its key can make one that stands for another.
 */
export class KeyedNames {
  constructor(private readonly key: KeyObject) {}

  forRequest(): RequestNames {
    return new RequestNames(this.key);
  }
}

/** Those of one request. */
export class RequestNames {
  #hashes: Map<string, string> | undefined;

  constructor(private readonly key: KeyObject) {}

  /**
   * @returns undefined where the member is a text that the rule takes, or no text
   * @throws ApiError 400 invalid_request where there are too many, or one is too long
   */
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
    const text = (holder as Record<string, string>)[name]!;
    if (text.length > LONGEST) throw new ApiError('invalid_request', 'An id of a call, or a name, is too long');
    const hashes = (this.#hashes ??= new Map<string, string>());
    const known = hashes.get(text);
    if (known !== undefined) return known;
    if (hashes.size === MOST) {
      throw new ApiError('invalid_request', `More than ${MOST} ids of calls, or names, are of a form that this model does not take`);
    }
    const made = BigInt(`0x${createHmac('sha256', this.key).update(text, 'utf16le').digest('hex')}`)
      .toString(36)
      .padStart(ID, '0');
    hashes.set(text, made);
    return made;
  }
}

function fits(holder: object, name: string, { pattern, length }: NameRule): boolean {
  if (!hasText(holder, name)) return true;
  return hasTextUpTo(holder, name, length) && pattern.test((holder as Record<string, string>)[name]!);
}

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { ReasoningBlock } from '../../wire/reasoning-block.js';

/**
 * What a vendor wants to have back with the next request, and the client's format has no place for: signed or encrypted
 * reasoning of another vendor, or `extra_content` of a tool call or of an answer. Clients send signatures and encrypted
 * reasoning back as they came, so it travels in these.
 */
export type CarriedFacts =
  | { readonly block: Pick<ReasoningBlock, 'type' | 'signature' | 'data' | 'wire'> }
  | { readonly extra_content: unknown; readonly of: 'call' | 'answer' };

/** Begins what the gateway gives clients to carry, and what it gave them in earlier versions. */
const CLAIMS = ['switchyard.', 'switchyard:'];
const MARK = 'switchyard.2.';
/** Bytes of a digest that its tag has. */
const TAG_BYTES = 16;
/** Characters of what stands before the payload. */
const HEAD = MARK.length + 22 + 1;

/** Whether a member says that the gateway has made it. */
export function isCarried(holder: object, name: string): boolean {
  const text = (holder as Record<string, string>)[name]!;
  return CLAIMS.some((claim) => text.startsWith(claim));
}

/** Gives clients facts to carry, with a tag by which the gateways of the same store know them again. */
export class CarriedTexts {
  constructor(private readonly key: KeyObject) {}

  write(facts: CarriedFacts): string {
    const payload = Buffer.from(JSON.stringify(facts)).toString('base64url');
    return this.#head(payload) + payload;
  }

  /** @returns JSON; undefined where no gateway of this store has written the text */
  payloadOf(text: string): Buffer | undefined {
    if (!text.startsWith(MARK)) return undefined;
    const head = Buffer.from(text.slice(0, HEAD));
    const payload = text.slice(HEAD);
    const written = Buffer.from(this.#head(payload));
    return head.length === written.length && timingSafeEqual(head, written) ? Buffer.from(payload, 'base64url') : undefined;
  }

  #head(payload: string): string {
    const tag = createHmac('sha256', this.key).update(payload).digest().subarray(0, TAG_BYTES);
    return `${MARK}${tag.toString('base64url')}.`;
  }
}

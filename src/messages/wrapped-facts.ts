import { decodedStart, longTextAt } from '../json/long-text.js';
import type { ReasoningBlock } from '../wire/reasoning-block.js';
import { isObject } from '../wire/json-object.js';

/** Begins a signature, or the data of a redacted block, that the gateway has made. */
const MARK = 'switchyard:';

/** Characters of what the gateway has wrapped. */
const MAX_WRAPPED = 4 * 1024 * 1024;

/**
 * What another vendor than Anthropic wants to have back with the next request, and Anthropic's format has no place for:
 * its own signed or encrypted reasoning, or `extra_content` of a tool call. Clients send signatures and redacted blocks
 * back as they came, so it travels in these.
 */
export type WrappedFacts = { readonly block: Pick<ReasoningBlock, 'signature' | 'data' | 'wire'> } | { readonly extra_content: unknown };

export function wrapped(facts: WrappedFacts): string {
  return MARK + Buffer.from(JSON.stringify(facts)).toString('base64url');
}

/** Whether the gateway has made a member of a block. */
export function isWrapped(block: object, name: string): boolean {
  const long = longTextAt(block, name);
  return (long ? decodedStart(long, MARK.length) : (block as Record<string, string>)[name]!).startsWith(MARK);
}

/** @returns undefined where the gateway has not made it */
export function unwrapped(text: string): WrappedFacts | undefined {
  if (!text.startsWith(MARK) || text.length > MAX_WRAPPED) return undefined;
  try {
    const facts: unknown = JSON.parse(Buffer.from(text.slice(MARK.length), 'base64url').toString());
    if (!isObject(facts)) return undefined;
    if ('extra_content' in facts) return { extra_content: facts['extra_content'] };
    return isObject(facts['block']) ? { block: blockOf(facts['block']) } : undefined;
  } catch {
    return undefined;
  }
}

function blockOf({ signature, data, wire }: Record<string, unknown>): Pick<ReasoningBlock, 'signature' | 'data' | 'wire'> {
  return {
    ...(typeof signature === 'string' && { signature }),
    ...(typeof data === 'string' && { data }),
    ...(wire === 'openai-responses' && { wire }),
  };
}

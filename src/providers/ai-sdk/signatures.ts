import { isDeepStrictEqual } from 'node:util';
import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { Message } from '../../wire/chat-completion.js';
import { isObject } from '../../wire/json-object.js';
import { isText } from '../protocols/is-text.js';

/**
 * What packages call the proof of a vendor that reasoning, or a call, is its own. Nothing else of what a client sends
 * back goes to a package: its ids point into the operator's account.
 */
const proofs: ReadonlySet<string> = new Set(['signature', 'redactedData', 'thoughtSignature', 'reasoningEncryptedContent']);

/** Stands between two blocks of reasoning, which the wire format has one text for. */
export const BETWEEN_BLOCKS = '\n\n';

/** A block of reasoning on its way through the client, in `extra_content.ai_sdk.reasoning` of the message. */
export interface ReasoningBlock {
  /** UTF-16 code units of `reasoning_content` that are the block's, without what stands between blocks. */
  length: number;
  signed?: SharedV4ProviderOptions;
}

/**
 * The proofs in a package's metadata, or in what a client has sent back, by vendors; undefined where there are none.
 */
export function signedOf(metadata: unknown): SharedV4ProviderOptions | undefined {
  const signed = Object.entries(isObject(metadata) ? metadata : {}).flatMap(([vendor, said]) => {
    const kept = Object.entries(isObject(said) ? said : {}).filter(
      (pair): pair is [string, string] => proofs.has(pair[0]) && isText(pair[1]),
    );
    return kept.length > 0 ? [[vendor, Object.fromEntries(kept)] as const] : [];
  });
  return signed.length > 0 ? Object.fromEntries(signed) : undefined;
}

/** What the `extra_content` of a message or of a tool call has of ours. */
export function carried(extraContent: unknown): unknown {
  return isObject(extraContent) ? extraContent['ai_sdk'] : undefined;
}

/** The blocks of an assistant's reasoning; one without a proof where the client has changed its text. */
export function reasoningBlocks(message: Message): { text: string; signed?: SharedV4ProviderOptions }[] {
  const all = message.reasoning_content ?? '';
  const whole = all === '' ? [] : [{ text: all }];
  const kept = carried(message['extra_content']);
  const told: readonly unknown[] = isObject(kept) && Array.isArray(kept['reasoning']) ? kept['reasoning'] : [];
  if (told.length === 0) return whole;
  const blocks: { text: string; signed?: SharedV4ProviderOptions }[] = [];
  let at = 0;
  for (const one of told) {
    const { length, signed } = isObject(one) ? one : {};
    if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0) return whole;
    if (length > 0 && at > 0) {
      if (!all.startsWith(BETWEEN_BLOCKS, at)) return whole;
      at += BETWEEN_BLOCKS.length;
    }
    const block = { text: all.slice(at, at + length), signed: signedOf(signed) };
    const last = blocks.at(-1);
    // Some vendors prove several blocks by one proof, which they want back once.
    if (last?.signed && isDeepStrictEqual(last.signed, block.signed)) last.text += (block.text && BETWEEN_BLOCKS) + block.text;
    else blocks.push(block);
    at += length;
  }
  return at === all.length ? blocks : whole;
}

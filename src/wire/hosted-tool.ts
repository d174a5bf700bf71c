import type { Integer } from './integer.js';
import type { JsonObject } from './json-object.js';
import type { ReasoningBlock } from './reasoning-block.js';

/** A tool that its vendor runs, or has declared itself, in the words of the client's format (`NativeRequest`). */
export interface HostedTool {
  readonly type: string;
  readonly [member: string]: unknown;
}

/**
 * A step of an item of an answer that the canonical form has no word for: a call of a hosted tool, and in Anthropic's
 * format each block of text, whose text comes as `content`. It is an element of `hosted_items` on the delta, and only in
 * answers to requests with hosted tools. In OpenAI's format all ids in it are the gateway's own to give.
 */
export interface HostedItemDelta {
  /** Position among the items of the answer and its blocks of reasoning. */
  index: Integer;
  /**
   * `done` has the whole item in OpenAI's format, and `delta` what a block grows by in Anthropic's; any other step is the
   * word of the client's format for what the vendor is doing.
   */
  step: 'added' | 'done' | (string & {});
  item?: JsonObject & { type: string };
  /** How much of the response comes before the item. */
  after?: ReasoningBlock['after'];
}

import type { Integer } from './integer.js';
import type { JsonObject } from './json-object.js';

/** A tool that its vendor runs, or has declared itself, in the words of the client's format (`NativeRequest`). */
export interface HostedTool {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** How much of an answer was said: UTF-16 code units of its texts, and sources of them. */
export type SaidLengths = Record<'content' | 'reasoning_content' | 'refusal' | 'annotations', Integer>;

/** How much of an answer comes before; absent: none. */
export type AnswerPosition = Partial<SaidLengths & Record<'tool_calls', Integer>>;

/**
 * A step of an item of an answer, of a vendor whose format has items or blocks: what the canonical form has no word for,
 * as a call of a hosted tool; or where a message, reasoning or a part of them begins, which has its text in the canonical
 * form. It is an element of `hosted_items` on the delta. Blocks of Anthropic's format are told whole only in answers to
 * requests with hosted tools. In OpenAI's format all ids in it are the gateway's own to give.
 */
export interface HostedItemDelta {
  /** Position among the items of the answer and its blocks of reasoning. */
  index: Integer;
  /**
   * `part` begins another part of a message or of reasoning. `done` has the whole item, or what of it is known at its
   * end, in OpenAI's format, and `delta` what a block grows by in Anthropic's; any other step is the word of the client's
   * format for what the vendor is doing.
   */
  step: 'added' | 'part' | 'done' | (string & {});
  item?: JsonObject & { type: string };
  /** How much of the response comes before the step. */
  after?: AnswerPosition;
}

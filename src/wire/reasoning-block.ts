import type { Integer } from './integer.js';
import type { Wire } from './native.js';

/**
 * A block of a model's reasoning with what proves to its vendor that it is its own: an element of `thinking_blocks` on
 * the delta and the message, to be sent back unchanged with the message. In a stream it comes when the block has ended,
 * after its text has come as `reasoning_content`.
 */
export interface ReasoningBlock {
  /** Position among the blocks of the response, by which clients that merge deltas by index keep them apart. */
  index: Integer;
  /** `redacted_thinking` has no text. */
  type: 'thinking' | 'redacted_thinking';
  /** The text, or the vendor's summary of it. */
  thinking?: string;
  /** The vendor's proof of the text. */
  signature?: string;
  /** The reasoning itself, encrypted by the vendor. */
  data?: string;
  /** The format that gave signature and data, to which alone they are sent back; absent: Anthropic's. */
  wire?: Wire;
  /**
   * How much of the response comes before this block: UTF-16 code units of `content` and the number of `tool_calls`.
   * Absent where nothing comes before it.
   */
  after?: { content: Integer; tool_calls: Integer };
}

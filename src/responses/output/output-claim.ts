import { ApiError } from '../../common/api-error.js';
import type { ByteClaim } from '../../common/limits/byte-budget.js';
import type { GenerationChoice } from '../../wire/generation.js';

/**
 * Bytes of memory for each character of the output while it is gathered: two of its own, and one for what its pieces
 * take until they are put together (growing-text.ts).
 */
const GATHERED = 3;

/** Copies of the output at its end: a stream has all of it in four events. */
const COPIES = 4;

/** Bytes that are claimed beyond what is needed, so that not every delta asks. */
const STEP = 64 * 1024;

/** Characters that an item has beside its texts, about. */
const ITEM = 256;

/**
 * What the gathered output of one response takes of the budget of answers. It is claimed before it is kept, and given
 * back by whoever has made the claim, when the client has the response, or has left, or it is stored.
 */
export class OutputClaim {
  #characters = 0;
  #bytes = 0;
  #claimed = 0;

  /** @param over nothing would give back any more what is claimed */
  constructor(
    private readonly claim: ByteClaim,
    private readonly over: () => boolean = () => false,
  ) {}

  /** Characters of the output. */
  get characters(): number {
    return this.#characters;
  }

  /** @throws ApiError 503 service_unavailable where there is no room for what is added */
  add({ delta, logprobs }: GenerationChoice): void {
    const {
      content,
      reasoning_content,
      refusal,
      tool_calls,
      thinking_blocks,
      hosted_items,
      annotations,
      extra_content,
      reasoning_details,
    } = delta ?? {};
    if (content) this.addText(content);
    if (reasoning_content) this.addText(reasoning_content);
    if (refusal) this.addText(refusal);
    if (tool_calls)
      for (const call of tool_calls) {
        if (call.function?.arguments) this.addText(call.function.arguments);
        if (call.extra_content !== undefined) this.addText(JSON.stringify(call.extra_content));
      }
    if (logprobs ?? thinking_blocks ?? hosted_items ?? annotations ?? extra_content ?? reasoning_details)
      this.addText(JSON.stringify([logprobs, thinking_blocks, hosted_items, annotations, extra_content, reasoning_details]));
  }

  /** @throws ApiError 503 service_unavailable */
  addItem(): void {
    this.#add(ITEM, ITEM);
  }

  /** @throws ApiError 503 service_unavailable */
  addText(text: string): void {
    this.#add(text.length, Buffer.byteLength(text));
  }

  /**
   * The output is complete, and is about to be told or stored as a whole.
   * @throws ApiError 503 service_unavailable
   */
  end(): void {
    this.#resize(GATHERED * this.#characters + COPIES * this.#bytes);
  }

  #add(characters: number, bytes: number): void {
    this.#characters += characters;
    this.#bytes += bytes;
    const needed = GATHERED * this.#characters;
    if (needed > this.#claimed) this.#resize(needed + STEP);
  }

  #resize(bytes: number): void {
    if (this.over()) return;
    if (!this.claim.resize(bytes)) throw noRoom();
    this.#claimed = bytes;
  }
}

function noRoom(): ApiError {
  const message = 'The answers under way, or those of this account, have too many bytes together (server.answer_budget). Please retry.';
  return new ApiError('service_unavailable', message, { retryAfter: 1 });
}

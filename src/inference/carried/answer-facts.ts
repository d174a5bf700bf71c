import type { Delta, Message } from '../../wire/chat-completion.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';

/** Characters of an answer's details that are gathered; beyond them nothing is carried. */
const MAX_DETAILS = 1024 * 1024;

/** Members of a detail that grow piece by piece. */
const texts = ['text', 'summary'] as const;

/**
 * Gathers what a vendor wants to have back with an answer, for a format that has no place for it: `extra_content`, and
 * the `reasoning_details` of OpenRouter, which is told with the same members as a message has.
 */
export class AnswerFacts {
  #extra: unknown;
  readonly #details: JsonObject[] = [];
  #length = 0;
  #proved = false;

  add({ extra_content, reasoning_details: details }: Delta): void {
    this.#extra = extra_content ?? this.#extra;
    if (Array.isArray(details)) for (const piece of (details as unknown[]).filter(isObject)) this.#join(piece);
  }

  /** @returns undefined where there is nothing, or nothing that is signed or encrypted */
  get all(): unknown {
    if (!this.#proved || this.#length > MAX_DETAILS) return this.#extra;
    return { ...(isObject(this.#extra) && this.#extra), reasoning_details: this.#details };
  }

  /** Pieces of one detail have its type and index. One that is encrypted comes whole. */
  #join(piece: JsonObject): void {
    this.#proved ||= Boolean(piece['signature'] ?? piece['data']);
    for (const value of Object.values(piece)) if (typeof value === 'string') this.#length += value.length;
    if (this.#length > MAX_DETAILS) return;
    const last = this.#details.at(-1);
    if (!last || last['type'] !== piece['type'] || last['index'] !== piece['index'] || piece['data'] !== undefined) {
      this.#details.push({ ...piece });
      return;
    }
    for (const [name, value] of Object.entries(piece)) {
      const grows = texts.some((text) => text === name) && typeof last[name] === 'string' && typeof value === 'string';
      if (value != null) last[name] = grows ? `${last[name] as string}${value}` : value;
    }
  }
}

/** Puts what `AnswerFacts` has gathered to the answer that comes back. */
export function putAnswerFacts(message: Message, facts: unknown): void {
  if (!isObject(facts) || facts['reasoning_details'] === undefined) message['extra_content'] = facts;
  else {
    const { reasoning_details, ...extra } = facts;
    message['reasoning_details'] = reasoning_details;
    if (Object.keys(extra).length > 0) message['extra_content'] = extra;
  }
}

import type { Offer } from '../../catalogue/offer.js';
import type { Price } from '../../common/credits.js';
import type { FinishReason } from '../../wire/chat-completion.js';
import { type Usage, usageOf } from '../../wire/usage.js';
import type { Route } from '../routing/router.service.js';
import type { UpstreamMeter } from '../attempts/upstream-meter.js';

const FREE: Price = { prompt: 0n, completion: 0n };

/** One offer's share of an answer. */
export interface MeteredRoute {
  readonly route: Route;
  readonly meters: readonly UpstreamMeter[];
}

/** By whom an answer was generated, and how much of it: one offer, or several where a stream was cut and went on elsewhere. */
export class GenerationMeter {
  readonly #parts: MeteredRoute[] = [];

  add(part: MeteredRoute): void {
    this.#parts.push(part);
  }

  get last(): MeteredRoute | undefined {
    return this.#parts.at(-1);
  }

  has(offer: Offer): boolean {
    return this.#parts.some(({ route }) => route.offer === offer);
  }

  /** Generated so far. */
  get completionTokens(): number {
    let sum = 0;
    for (const { meters } of this.#parts) for (const meter of meters) sum += meter.completionTokens;
    return sum;
  }

  /** Of the client's own prompt. */
  get promptTokens(): number {
    let sum = 0;
    for (const meter of this.#parts[0]?.meters ?? []) sum += meter.promptTokens;
    return sum;
  }

  get finishReasons(): readonly FinishReason[] {
    const reasons: FinishReason[] = [];
    for (const { meters } of this.#parts) for (const meter of meters) reasons.push(...meter.finishReasons);
    return reasons;
  }

  get empty(): boolean {
    return this.#parts.every(({ meters }) => meters.every((meter) => meter.empty)) && this.usage.completion_tokens === 0;
  }

  /** True where not all of the usage is the provider's word. */
  get estimated(): boolean {
    return this.#parts.length > 1 || this.#parts.some(({ meters }) => meters.some((meter) => meter.estimated));
  }

  /** Of a whole answer. */
  get usage(): Usage {
    return this.#joined(total(this.last?.meters.map((meter) => meter.usage) ?? []));
  }

  /** Of an answer that is not whole. */
  get usageSoFar(): Usage {
    return this.#joined(total(this.last?.meters.map((meter) => meter.delivered) ?? []));
  }

  /** Each price of the cheapest: an answer in parts has one price, and no part may cost more than at its own offer. */
  get price(): Price {
    if (this.#parts.length === 1) return priceOf(this.#parts[0]!.route);
    const [first = FREE, ...others] = this.#parts.map(({ route }) => priceOf(route));
    return others.reduce(
      (least, { prompt, completion }) => ({
        prompt: prompt < least.prompt ? prompt : least.prompt,
        completion: completion < least.completion ? completion : least.completion,
      }),
      first,
    );
  }

  /** The client's own prompt, once, and everything that was generated. The last offer has read what came before as part of its prompt. */
  #joined(last: Usage): Usage {
    if (this.#parts.length < 2) return last;
    const before = this.completionTokens - this.last!.meters.reduce((sum, meter) => sum + meter.completionTokens, 0);
    return usageOf(Math.max(this.promptTokens, last.prompt_tokens - before), before + last.completion_tokens);
  }
}

export function priceOf({ offer }: Route): Price {
  return offer.price ?? FREE;
}

function total(usages: readonly Usage[]): Usage {
  if (usages.length === 1) return usages[0]!;
  return usageOf(
    usages.reduce((tokens, usage) => tokens + usage.prompt_tokens, 0),
    usages.reduce((tokens, usage) => tokens + usage.completion_tokens, 0),
  );
}

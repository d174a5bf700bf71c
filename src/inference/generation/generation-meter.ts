import type { Offer } from '../../catalogue/offer.js';
import type { Price } from '../../common/credits.js';
import type { FinishReason } from '../../wire/chat-completion.js';
import { type Usage, usageOf } from '../../wire/usage.js';
import type { UpstreamMeter } from '../attempts/upstream-meter.js';
import type { Route } from '../routing/router.service.js';

const FREE: Price = { prompt: 0n, completion: 0n };

/** A route that was asked, with a meter for each of its upstream calls. */
export interface MeteredRoute {
  readonly route: Route;
  readonly meters: readonly UpstreamMeter[];
}

/**
 * Counts what a generation comes to over the routes that served it: one, or several where a cut stream was continued.
 */
export class GenerationMeter {
  readonly #served: MeteredRoute[] = [];

  add(served: MeteredRoute): void {
    this.#served.push(served);
  }

  /** The route that serves now; undefined before the first chunk. */
  get last(): MeteredRoute | undefined {
    return this.#served.at(-1);
  }

  has(offer: Offer): boolean {
    return this.#served.some(({ route }) => route.offer === offer);
  }

  /** Tokens generated so far. */
  get completionTokens(): number {
    let sum = 0;
    for (const { meters } of this.#served) for (const meter of meters) sum += meter.completionTokens;
    return sum;
  }

  /** Tokens of the client's own prompt. */
  get promptTokens(): number {
    let sum = 0;
    for (const meter of this.#served[0]?.meters ?? []) sum += meter.promptTokens;
    return sum;
  }

  get finishReasons(): readonly FinishReason[] {
    const reasons: FinishReason[] = [];
    for (const { meters } of this.#served) for (const meter of meters) reasons.push(...meter.finishReasons);
    return reasons;
  }

  get empty(): boolean {
    return this.#served.every(({ meters }) => meters.every((meter) => meter.empty)) && this.usage.completion_tokens === 0;
  }

  /** True where not all of the usage was reported by the provider. */
  get estimated(): boolean {
    return this.#served.length > 1 || this.#served.some(({ meters }) => meters.some((meter) => meter.estimated));
  }

  /** Usage of a complete generation. */
  get usage(): Usage {
    return this.#joined(total(this.last?.meters.map((meter) => meter.usage) ?? []));
  }

  /** Usage of a generation that is not complete. */
  get usageSoFar(): Usage {
    return this.#joined(total(this.last?.meters.map((meter) => meter.delivered) ?? []));
  }

  /**
   * The lowest prompt price and the lowest completion price of the routes that served: a generation has one price, and
   * no route's tokens may cost more than at that route's offer.
   */
  get price(): Price {
    if (this.#served.length === 1) return priceOf(this.#served[0]!.route);
    const [first = FREE, ...others] = this.#served.map(({ route }) => priceOf(route));
    return others.reduce(
      (least, { prompt, completion }) => ({
        prompt: prompt < least.prompt ? prompt : least.prompt,
        completion: completion < least.completion ? completion : least.completion,
      }),
      first,
    );
  }

  /**
   * Counts the client's own prompt once, and everything that was generated. The last route has read the text of the
   * earlier ones as part of its prompt.
   */
  #joined(last: Usage): Usage {
    if (this.#served.length < 2) return last;
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

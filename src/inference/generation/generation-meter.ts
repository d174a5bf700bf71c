import type { PromptCount } from '../../billing/hold/ledger.js';
import type { Offer } from '../../catalogue/offer.js';
import type { Price } from '../../common/prices/credits.js';
import { priceInForce } from '../../common/prices/price-in-force.js';
import { leastPrice } from './least-price.js';
import type { FinishReason } from '../../wire/chat-completion.js';
import { sumOf, type Usage, usageOf } from '../../wire/usage.js';
import type { UpstreamMeter } from '../attempts/upstream-meter.js';
import { askedServiceTier } from '../planning/service-tier.js';
import type { FallbackAttempt } from '../attempts/fallback-attempt.js';
import type { Route } from '../routing/router.service.js';

const FREE: Price = { prompt: 0n, completion: 0n };

/**
 * Counts what a generation comes to over the routes that served it: one, or several where a cut stream was continued.
 */
export class GenerationMeter {
  readonly #served: FallbackAttempt[] = [];

  /** @param startedAt milliseconds since 1970 */
  constructor(private readonly startedAt: number) {}

  add(served: FallbackAttempt): void {
    this.#served.push(served);
  }

  /** The route that serves now; undefined before the first chunk. */
  get last(): FallbackAttempt | undefined {
    return this.#served.at(-1);
  }

  has(offer: Offer): boolean {
    return this.#served.some(({ route }) => route.offer === offer);
  }

  get #meters(): readonly UpstreamMeter[] {
    return this.#served.length === 1 ? this.#served[0]!.meters : this.#served.flatMap(({ meters }) => meters);
  }

  /** Tokens generated so far. */
  get completionTokens(): number {
    let sum = 0;
    for (const meter of this.#meters) sum += meter.completionTokens;
    return sum;
  }

  /** Tokens of the client's own prompt. */
  get promptTokens(): number {
    let sum = 0;
    for (const meter of this.#served[0]?.meters ?? []) sum += meter.promptTokens;
    return sum;
  }

  /** How often providers have told of something else than counts that changes what the prompt costs. */
  get partsTold(): number {
    let sum = 0;
    for (const { meters } of this.#served) for (const { partsTold } of meters) sum += partsTold;
    return sum;
  }

  /** The client's own prompt as it costs, by upstream call. */
  get prompts(): readonly PromptCount[] {
    const meters = this.#served.length === 1 ? this.#served[0]!.meters : [];
    const usages = meters.length > 1 ? meters.map((meter) => meter.delivered) : [this.usageSoFar];
    return usages.map(({ prompt_tokens, prompt_tokens_details, server_tool_use, service_tier }) => ({
      prompt_tokens,
      ...(prompt_tokens_details && { prompt_tokens_details }),
      ...(server_tool_use && { server_tool_use }),
      ...(service_tier !== undefined && { service_tier }),
    }));
  }

  get finishReasons(): readonly FinishReason[] {
    const meters = this.#meters;
    return meters.length === 1 ? meters[0]!.finishReasons : meters.flatMap(({ finishReasons }) => finishReasons);
  }

  /** Whether every choice has ended; what may still come is the usage. */
  get ended(): boolean {
    return this.last !== undefined && this.last.meters.every((meter) => meter.ended);
  }

  get empty(): boolean {
    return this.usage.completion_tokens === 0 && this.#meters.every(({ empty }) => empty);
  }

  /** True where not all of the usage was reported by the provider. */
  get estimated(): boolean {
    return this.#served.length > 1 || this.#meters.some(({ estimated }) => estimated);
  }

  /** Usage of a complete generation. */
  get usage(): Usage {
    return this.#joined(total(this.last, ({ usage }) => usage));
  }

  /** The usage of each upstream call; undefined where there was one, and where several routes served. */
  get calls(): readonly Usage[] | undefined {
    if (this.#served.length !== 1) return undefined;
    const { meters } = this.#served[0]!;
    return meters.length > 1 ? meters.map((meter) => meter.usage) : undefined;
  }

  /** What the provider of a generation that is not complete has told of it. */
  get told(): Usage | undefined {
    if (this.#served.length !== 1) return undefined;
    const told = this.#served[0]!.meters.flatMap((meter) => meter.told ?? []);
    return told.length > 1 ? sumOf(told) : told[0];
  }

  /** Usage of a generation that is not complete. */
  get usageSoFar(): Usage {
    return this.#joined(total(this.last, ({ delivered }) => delivered));
  }

  /**
   * The lowest price of each component at the routes that served, at their hours and the service tier that each has
   * reported, or else that was asked for: a generation has one price, and no route's tokens may cost more than at that
   * route's offer.
   */
  get price(): Price {
    if (this.#served.length === 1) return priceOf(this.#served[0]!.route);
    const [first = FREE, ...others] = this.#served.map(({ route, meters }) => {
      const when = { startedAt: this.startedAt, serviceTier: askedServiceTier(route.calls[0]!.request) };
      return priceInForce(priceOf(route), when, meters[0]!.serviceTier);
    });
    return others.reduce<Price>(leastPrice, first);
  }

  /**
   * Counts the client's own prompt once, and everything that was generated. The last route has read the text of the
   * earlier ones as part of its prompt.
   */
  #joined(last: Usage): Usage {
    if (this.#served.length < 2) return last;
    const before = this.completionTokens - this.last!.meters.reduce((sum, meter) => sum + meter.completionTokens, 0);
    const usage = usageOf(Math.max(this.promptTokens, last.prompt_tokens - before), before + last.completion_tokens);
    const own = total(this.#served[0], ({ delivered }) => delivered);
    const prompt_tokens_details = own.prompt_tokens_details ?? last.prompt_tokens_details;
    const { completion_tokens_details, server_tool_use, service_tier } = last;
    return { ...usage, prompt_tokens_details, completion_tokens_details, server_tool_use, service_tier };
  }
}

export function priceOf({ offer }: Route): Price {
  return offer.price ?? FREE;
}

/** Usage of a route that has delivered nothing yet: its prompts, and what is known of its answers. */
export function usageOfAsked(asked: FallbackAttempt): Usage {
  return total(asked, ({ abandoned }) => abandoned);
}

/** @param read what is known of one upstream call */
function total(attempt: FallbackAttempt | undefined, read: (meter: UpstreamMeter) => Usage): Usage {
  const { meters = [] } = attempt ?? {};
  return meters.length === 1 ? read(meters[0]!) : sumOf(meters.map(read));
}

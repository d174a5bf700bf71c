import { IsIn, IsObject } from '../../common/validation/class-validator.js';
import { environments, type Environment } from '../../auth/principal.js';
import { formatCredits, type PriceQuote } from '../../common/prices/credits.js';
import { quoteOf } from '../../common/prices/price-quote.js';
import { reasonOf } from '../../inference/routing/strategy.js';
import type { Strategy } from '../../wire/routing-strategy.js';
import type { TriedRoute, Tryout } from '../../inference/routing-tryout.js';
import type { Integer } from '../../wire/integer.js';
import { IsText, MayBeAbsent } from '../fields.js';

export class TryoutDto {
  /** The body of a POST /v1/chat/completions. */
  @IsObject()
  request: object;

  /** Id of an account whose rules count; absent: no rules do, or those of the key. */
  @MayBeAbsent(IsText(256, 1))
  account?: string;

  /** Id of a key whose rules count, with those of its project and account. */
  @MayBeAbsent(IsText(256, 1))
  key?: string;

  /** Where no key is named. */
  @IsIn(environments)
  environment: Environment = 'live';
}

/** An offer that would be asked. */
export class TriedRouteView {
  provider: string;
  upstream_model: string;
  /** Who answers: in test mode the sandbox. */
  answered_by: string;
  /** Why it stands at this place. */
  reason: string;
  /** `circuit_open` or `queue_full` where this process would pass it over now; null where it would be asked. */
  skipped: string | null;
  /** The price in force, in credits per 1,000 units; null where none is known. */
  price: PriceQuote | null;
  /** What the request will probably cost, in credits. */
  expected_cost: string;
  /** Upstream calls that the request takes there. */
  calls: Integer;
  dropped_parameters: string[];
}

/** An offer of the model that would not be asked. */
export class ExcludedOfferView {
  provider: string;
  upstream_model: string;
  reason: string;
}

/** The worst case that would be held before anything is sent. */
export class TriedHoldView {
  /** Credits. Where `may_shrink` is set, and the account has less, fewer output tokens are held. */
  amount: string;
  /** At most so many prompt tokens, over all upstream calls. */
  prompt_tokens: Integer;
  /** Output tokens of one choice at most. */
  max_tokens: Integer;
  choices: Integer;
  may_shrink: boolean;
}

export class TriedRefusalView {
  code: string;
  message: string;
}

/** Where a request would go, and why. */
export class TryoutView {
  model: string;
  strategy: Strategy;
  /** In the order in which they would be asked; empty where the request would be refused. */
  routes: TriedRouteView[];
  excluded: ExcludedOfferView[];
  /** Null where the request would be refused. */
  held: TriedHoldView | null;
  /** Why the request would be refused; null where it would not. */
  refusal: TriedRefusalView | null;
}

export function tryoutView({ model, strategy, routes, excluded, held, refusal }: Tryout): TryoutView {
  return {
    model,
    strategy,
    routes: routes.map((one, index) => routeView(one, strategy, index + 1)),
    excluded: excluded.map(({ offer, why }) => ({ provider: offer.provider.id, upstream_model: offer.upstreamModel, reason: why })),
    held: held
      ? {
          amount: formatCredits(held.amount),
          prompt_tokens: held.promptTokens,
          max_tokens: held.maxTokens,
          choices: held.choices,
          may_shrink: held.maxTokensMayShrink,
        }
      : null,
    refusal: refusal ? { code: refusal.code, message: refusal.message } : null,
  };
}

function routeView({ route, expectedCost, skipped }: TriedRoute, strategy: Strategy, place: number): TriedRouteView {
  const { offer, provider, calls, dropped } = route;
  return {
    provider: offer.provider.id,
    upstream_model: offer.upstreamModel,
    answered_by: provider.id,
    reason: reasonOf(strategy, route, place, expectedCost),
    skipped: skipped ?? null,
    price: offer.price ? quoteOf(offer.price) : null,
    expected_cost: formatCredits(expectedCost),
    calls: calls.length,
    dropped_parameters: [...dropped],
  };
}

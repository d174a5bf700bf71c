import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.js';
import { accessOf } from '../auth/rules/principal-rules.js';
import type { HoldRequest } from '../billing/hold/ledger.js';
import { worstCase } from '../billing/hold/worst-case.js';
import { accessibleModel } from '../catalogue/accessible-model.js';
import { CatalogueService } from '../catalogue/catalogue.service.js';
import type { Offer } from '../catalogue/offer.js';
import { ApiError } from '../common/api-error.js';
import { Clock } from '../common/time/clock.js';
import { ConfigService } from '../config/config.service.js';
import { RequestContext } from '../http/requests/request-context.js';
import type { GenerationRequest } from '../wire/generation.js';
import type { Strategy } from '../wire/routing-strategy.js';
import { worstCaseOf } from './routing/worst-case.js';
import { expectedCosts } from './routing/expected-cost.js';
import { type Route, RouterService } from './routing/router.service.js';
import { routingPolicy } from './routing/routing-policy.js';
import { isTestMode } from './test-mode.js';

/** A route that a request would take. */
export interface TriedRoute {
  readonly route: Route;
  /** What the request will probably cost there, in nano-credits. */
  readonly expectedCost: bigint;
  /** Why it would be passed over now, at this process; undefined where it would be asked. */
  readonly skipped: 'circuit_open' | 'queue_full' | undefined;
}

/** Where a request would go. */
export interface Tryout {
  readonly model: string;
  readonly strategy: Strategy;
  /** In the order in which they would be asked; empty where the request would be refused. */
  readonly routes: readonly TriedRoute[];
  readonly excluded: readonly { readonly offer: Offer; readonly why: string }[];
  /** Why the request would be refused. */
  readonly refusal: ApiError | undefined;
  /** What would be held, and its amount in nano-credits where all of it is affordable. */
  readonly held: (HoldRequest & { readonly amount: bigint }) | undefined;
}

/** Tells where a request would go, and why. Nothing is sent, held or counted. */
@Injectable()
export class RoutingTryout {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly router: RouterService,
    private readonly config: ConfigService,
    private readonly clock: Clock,
  ) {}

  /**
   * @param headers those that influence routing
   * @throws ApiError 404 model_not_found where no provider has the model, and what a wrong header is refused with
   */
  try(request: GenerationRequest, principal: Principal, headers: RequestContext['headers']): Tryout {
    const config = this.config.current;
    const all = this.catalogue.find(request.model);
    const { strategy } = routingPolicy(config, all.modelId, headers);
    const context = new RequestContext('', headers);
    const excluded: { offer: Offer; why: string }[] = [];
    const access = accessOf(principal.environment, principal.rules);
    const model = access ? accessibleModel(all, access) : all;
    for (const offer of all.offers) if (!model?.offers.includes(offer)) excluded.push({ offer, why: 'The rules do not allow it.' });
    const answer = { model: all.modelId, strategy, excluded };
    if (!model) return { ...answer, routes: [], refusal: new ApiError('model_not_found', 'The rules deny the model.'), held: undefined };
    const testMode = isTestMode(principal, config);
    try {
      const tell = (offer: Offer, why: string): void => void excluded.push({ offer, why });
      const now = this.clock.now();
      const routes = this.router.routes(model, [request], testMode, context, principal, tell);
      const planned = { model, routes, operation: request.operation, requestedTokens: request.max_tokens };
      return { ...answer, routes: tried(routes, principal, now), refusal: undefined, held: heldFor(planned, { principal, context }, now) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { ...answer, routes: [], refusal: error, held: undefined };
    }
  }
}

function tried(routes: readonly Route[], { accountId }: Principal, now: number): TriedRoute[] {
  const costs = expectedCosts(routes, now);
  return routes.map((route, index) => ({ route, expectedCost: costs[index]!, skipped: skippedNow(route, accountId) }));
}

function skippedNow({ health, simulated }: Route, account: string): TriedRoute['skipped'] {
  if (!simulated && !health.circuit.allows(account)) return 'circuit_open';
  return health.limit.fullFor(account) ? 'queue_full' : undefined;
}

function heldFor(...asked: Parameters<typeof worstCaseOf>): HoldRequest & { readonly amount: bigint } {
  const held = worstCaseOf(...asked);
  return { ...held, amount: worstCase(held, held.maxTokens) };
}

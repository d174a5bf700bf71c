import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Principal } from '../../auth/principal.js';
import type { CatalogueModel } from '../../catalogue/catalogue-model.js';
import type { ModelHealth } from '../../catalogue/model-health.js';
import type { Offer } from '../../catalogue/offer.js';
import { ApiError } from '../../common/api-error.js';
import { Clock } from '../../common/time/clock.js';
import { messageOf } from '../../common/message-of.js';
import type { Config } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import type { RequestContext } from '../../http/requests/request-context.js';
import { Metrics } from '../../observability/metrics.js';
import type { ModelProvider } from '../../providers/contract/model-provider.js';
import { ProviderRegistry } from '../../providers/registry/provider-registry.js';
import type { ModelStatus } from '../../wire/model.js';
import { KeyedNames } from '../fitting/keyed-names.js';
import { leavesOutMedia } from '../planning/result-media.js';
import { planCalls, requireOperation } from '../planning/plan-calls.js';
import { askedServiceTier } from '../planning/service-tier.js';
import type { InferenceRequests, UpstreamCall } from '../planning/upstream-call.js';
import { type BreakerState, breakerStates } from './circuit-breaker.js';
import { CircuitLog } from './circuit-log.js';
import { expectedCosts } from './expected-cost.js';
import { OfferHealth } from './offer-health.js';
import { RetryBudget } from './retry-budget.js';
import { allows, nothingAllowed, routingPolicy } from './routing-policy.js';
import { stickyKey } from './sticky-key.js';
import { type Candidate, ordered } from './strategy.js';

/** One way to answer a request: an offer, the provider that answers, and the upstream calls to make. */
export interface Route extends Candidate {
  /** The offer's provider, or in test mode the test provider. */
  readonly provider: ModelProvider;
  readonly calls: readonly UpstreamCall[];
  /** The client's parameters that this route does not support. */
  readonly dropped: ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();

/** Chooses among the offers of a model, and knows the health of each in this process. */
@Injectable()
export class RouterService implements OnModuleInit, ModelHealth {
  readonly #log = new CircuitLog();
  readonly #health = new Map<string, OfferHealth>();
  readonly #budgets = new Map<string, RetryBudget>();
  #onAccountPaused: (offer: Offer) => void = () => undefined;
  #onCircuitChanged: (offer: Offer, state: BreakerState) => void = () => undefined;

  constructor(
    private readonly registry: ProviderRegistry,
    private readonly config: ConfigService,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    private readonly names: KeyedNames,
  ) {}

  onModuleInit(): void {
    const gauges = (name: string, help: string, read: (health: OfferHealth) => number) =>
      this.metrics.gauges(name, help, 'offer', () => Array.from(this.#health.values(), (one) => [one.name, read(one)] as const));
    gauges('circuit_state', '0 closed, 1 half open, 2 open', ({ circuit }) => breakerStates.indexOf(circuit.state));
    const paused = 'Accounts that are kept from an offer because their own requests fail at it';
    gauges('paused_accounts', paused, ({ circuit }) => circuit.openAccounts);
    gauges('running_attempts', 'Attempts that run', ({ limit }) => limit.running);
    gauges('queued_attempts', 'Attempts that wait for their turn', ({ limit }) => limit.queued);
  }

  /**
   * All routes that can answer, in the order in which they are to be asked.
   * @param excluded is told of each offer that cannot, and why
   * @throws ApiError 400, 403 or 503 where there is none, with the reason
   */
  routes(
    model: CatalogueModel,
    requests: InferenceRequests,
    testMode: boolean,
    context: RequestContext,
    principal: Pick<Principal, 'accountId' | 'rules'>,
    excluded?: (offer: Offer, why: string) => void,
  ): readonly [Route, ...Route[]] {
    const config = this.config.current;
    const [first] = requests;
    requireOperation(model, first.operation);
    const policy = routingPolicy(config, model.modelId, context.headers);
    const routes: Route[] = [];
    let refusal: unknown;
    for (const offer of model.offers) {
      if (!offer.capabilities[first.operation]) {
        excluded?.(offer, 'It does not support the operation.');
        continue;
      }
      if (!allows(policy, offer, askedServiceTier(first))) {
        excluded?.(offer, 'The routing headers do not allow it.');
        continue;
      }
      if (!offer.status.active && !(testMode && offer.unpriced)) {
        excluded?.(offer, `It is out of service: ${offer.status.message}`);
        refusal ??= new ApiError('service_unavailable', `The model '${model.id}' is currently unavailable: ${offer.status.message}`);
        continue;
      }
      try {
        routes.push(this.#route(config, offer, requests, testMode, principal));
        if (testMode) break;
      } catch (error) {
        excluded?.(offer, messageOf(error));
        refusal ??= error;
      }
    }
    if (routes.length === 0) throw refusal ?? nothingAllowed(policy, model.id);
    if (routes.length === 1) return routes as [Route];
    // What a tool has brought is told in words where nobody takes it.
    const whole = routes.filter(({ dropped }) => !leavesOutMedia(dropped));
    const taken = whole.length > 0 ? whole : routes;
    for (const route of routes) if (!taken.includes(route)) excluded?.(route.offer, 'It does not take what a tool has brought.');
    const key = policy.strategy === 'sticky' ? stickyKey(first, principal.accountId) : undefined;
    return ordered(taken, { strategy: policy.strategy, stickyKey: key, costs: () => expectedCosts(taken, this.clock.now()) }) as [
      Route,
      ...Route[],
    ];
  }

  /** The listener is called when an account's requests have failed so often that its circuit opens. */
  onAccountPaused(listener: (offer: Offer) => void): void {
    this.#onAccountPaused = listener;
  }

  /** The listener is called when an offer's circuit of all accounts changes. */
  onCircuitChanged(listener: (offer: Offer, state: BreakerState) => void): void {
    this.#onCircuitChanged = listener;
  }

  budgetOf(provider: string): RetryBudget {
    let budget = this.#budgets.get(provider);
    if (!budget) this.#budgets.set(provider, (budget = new RetryBudget()));
    return budget;
  }

  /** The status for the catalogue, as one account sees it; undefined while its attempts are allowed. */
  statusOf(offer: Offer, account: string): ModelStatus | undefined {
    const state = this.knownHealthOf(offer)?.circuit.stateFor(account);
    return state === 'open' ? { active: false, message: 'Paused after failures of its provider' } : undefined;
  }

  /** The health of an offer; undefined before the first attempt at it. */
  knownHealthOf({ name }: Offer): OfferHealth | undefined {
    return this.#health.get(name);
  }

  /** @param provider the one that answers, where it is not the offer's own */
  healthOf(offer: Offer, provider = offer.provider): OfferHealth {
    const name = provider === offer.provider ? offer.name : `${provider.id}/${offer.watchedAs}`;
    let health = this.#health.get(name);
    if (health) return health;
    const changed = (state: BreakerState, account?: string): void => {
      this.#log.changed(account === undefined ? name : `${name} for account ${account}`, state);
      if (account === undefined) this.#onCircuitChanged(offer, state);
      else if (state === 'open') this.#onAccountPaused(offer);
    };
    health = new OfferHealth(name, this.config.current.routing, changed, this.budgetOf(provider.id), this.clock);
    this.#health.set(name, health);
    return health;
  }

  #route(
    config: Config,
    offer: Offer,
    requests: InferenceRequests,
    testMode: boolean,
    { accountId, rules }: Pick<Principal, 'accountId' | 'rules'>,
  ): Route {
    let dropped: Set<string> | undefined;
    const provider = testMode ? this.registry.get(config.routing.test_provider) : offer.provider;
    if (!provider) throw new ApiError('service_unavailable', 'No provider for test keys is installed');
    const health = this.healthOf(offer, provider);
    const calls = planCalls(offer, requests, {
      strict: config.routing.strict_parameters,
      dropped: (parameter) => (dropped ??= new Set()).add(parameter),
      ignores: (parameter) => health.ignored.has(accountId, parameter),
      unpaid: testMode,
      lowers: rules?.lowersMaxTokens ?? offer.lowersMaxTokens ?? config.routing.lower_max_tokens,
      names: this.names,
    });
    return {
      offer,
      provider,
      calls,
      dropped: dropped ?? NOTHING,
      health,
      simulated: testMode || offer.simulated,
    };
  }
}

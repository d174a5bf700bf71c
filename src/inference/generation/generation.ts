import type { Observer, Subscribable, Unsubscribable } from 'rxjs';
import type { Outcome } from '../../billing/hold/ledger.js';
import type { AttemptRecord, GenerationRecord } from '../../common/generation-record.js';
import type { Shutdown } from '../../common/shutdown.js';
import { isProviderError } from '../../providers/provider-error.js';
import type { GenerationChunk } from '../../wire/generation.js';
import { type Usage, usageOf } from '../../wire/usage.js';
import type { AdmittedRequest, AttemptsService } from '../attempts/attempts.service.js';
import { toApiError } from '../attempts/provider-error.mapping.js';
import { UpstreamMeter } from '../attempts/upstream-meter.js';
import type { FallbackHandler } from '../routing/fallback-attempt.js';
import { Fallback } from '../routing/fallback.js';
import type { RetryBudget } from '../routing/retry-budget.js';
import type { Route, RouterService } from '../routing/router.service.js';
import { DeliveredText, endAtLimit, mayContinue, missingOf, withoutBeginning } from './continuation.js';
import { type MeteredRoute, GenerationMeter, priceOf } from './generation-meter.js';
import { StoredText } from './stored-text.js';

/** One admitted request under way: it asks the routes, passes chunks to the client and settles the hold once. */
export class Generation implements FallbackHandler<Route>, Unsubscribable {
  readonly startedAt = performance.now();
  readonly #meter = new GenerationMeter();
  readonly #record: GenerationRecord;
  /** Only where the operator stores texts. */
  readonly #text: StoredText | undefined;
  /** Only where the stream may be continued by another offer. */
  readonly #delivered: DeliveredText | undefined;
  /** The routes that were asked since the beginning or the last cut. */
  #asked: MeteredRoute[] = [];
  #fallback: Fallback<Route> | undefined;
  #served = false;
  /** The error that cut the stream, where the routes that are asked now are to continue it. */
  #cut: unknown;
  #begun = false;
  #ended = false;

  constructor(
    private readonly admitted: AdmittedRequest,
    private readonly router: RouterService,
    private readonly attempts: AttemptsService,
    private readonly shutdown: Pick<Shutdown, 'signal'>,
    private readonly client: Observer<GenerationChunk>,
  ) {
    this.#record = admitted.context.record!;
    this.#record.startedAt = this.startedAt;
    this.#text = admitted.plan.config.observability.store_text ? new StoredText() : undefined;
    this.#delivered = mayContinue(admitted.plan) ? new DeliveredText() : undefined;
  }

  begin(): void {
    this.#askAll(this.admitted.plan.routes);
  }

  /** Cancels the running attempts and settles, unless the generation has ended. */
  unsubscribe(): void {
    if (this.#ended) return;
    this.#fallback?.unsubscribe();
    this.#settle(this.shutdown.signal.aborted ? 'shutdown' : 'client_left', this.#begun ? this.#meter.usageSoFar : usageOf(0, 0), true);
  }

  budgetOf({ provider }: Route): RetryBudget {
    return this.router.budgetOf(provider.id);
  }

  ask(route: Route, attempt: AttemptRecord): Subscribable<GenerationChunk> {
    const meters = route.calls.map(({ request, promptBytes }) => new UpstreamMeter(request, promptBytes));
    this.#asked.push({ route, meters });
    return this.attempts.ask(this.admitted, route, attempt, meters);
  }

  record(attempt: AttemptRecord): void {
    this.#record.attempts.push(attempt);
  }

  served(route: Route): void {
    this.#served = true;
    this.#meter.add(this.#asked.findLast((asked) => asked.route === route)!);
    this.#record.provider = route.provider.id;
    this.#record.upstreamModel = route.offer.upstreamModel;
    for (const parameter of route.dropped) this.#record.dropped.add(parameter);
    this.admitted.hold.servedAt(this.#meter.price);
  }

  next(given: GenerationChunk): void {
    const chunk = this.#cut === undefined ? given : withoutBeginning(given);
    if (!chunk || chunk.choices.length === 0) return;
    this.#text?.see(chunk);
    this.#delivered?.see(chunk);
    this.client.next(chunk);
    if (!this.admitted.plan.stream) return;
    const tokens = this.#meter.completionTokens;
    this.#begun = tokens > 0;
    this.admitted.hold.progress(tokens, this.#meter.promptTokens);
  }

  error(error: unknown): void {
    if (!this.#delivered) this.#fail(error);
    // No offer could continue the stream: the client gets the error that cut it.
    else if (!this.#served) this.#fail(this.#cut ?? error);
    else this.#continue(error);
  }

  complete(): void {
    if (this.#ended) return;
    const { usage, empty, estimated } = this.#meter;
    this.#settle(empty ? 'empty' : 'completed', usage, estimated);
    this.client.next({ choices: [], usage });
    this.client.complete();
  }

  /** @param cut the error that cut the stream which these routes are to continue */
  #askAll(routes: readonly Route[], cut?: unknown): void {
    this.#asked = [];
    this.#served = false;
    this.#cut = cut;
    this.#fallback = new Fallback(this, routes, this.admitted.plan.config.routing, cut !== undefined);
    this.#fallback.begin();
  }

  #continue(cut: unknown): void {
    const missing = missingOf(cut, this.admitted, this.#meter, this.#delivered!);
    if (missing === undefined) return this.#fail(cut);
    if (missing !== 'nothing' && missing !== 'end') return this.#askAll(missing, cut);
    if (missing === 'end') this.next(endAtLimit(this.admitted.plan));
    this.complete();
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    const timeout = isProviderError(error) && error.kind === 'timeout';
    this.#settle(timeout ? 'idle_timeout' : 'provider_failed', this.#meter.usageSoFar, true);
    this.client.error(toApiError(error));
  }

  #settle(outcome: Outcome, usage: Usage, estimated: boolean): void {
    this.#ended = true;
    const { last, finishReasons } = this.#meter;
    const route = last?.route ?? this.admitted.plan.routes[0];
    const price = last ? this.#meter.price : priceOf(route);
    const provider = route.provider.id;
    const record = this.#record;
    record.provider = provider;
    record.outcome = outcome;
    record.usage = usage;
    record.price = price;
    record.charged = this.admitted.hold.settle({ outcome, usage, estimated, provider, price });
    if (finishReasons.length > 0) record.finishReasons = finishReasons;
    if (this.#text) record.answer = this.#text.toString();
  }
}

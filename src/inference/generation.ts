import { catchError, EMPTY, filter, map, Observable, of } from 'rxjs';
import type { Outcome } from '../billing/ledger.js';
import { formatCredits } from '../common/credits.js';
import type { GenerationRecord } from '../common/generation-record.js';
import { isProviderError } from '../providers/provider-error.js';
import type { GenerationChunk } from '../wire/generation.js';
import { type Usage, usageOf } from '../wire/usage.js';
import { AnswerParts, priceOf } from './answer-parts.js';
import { AnswerText } from './answer-text.js';
import type { AttemptContext, AttemptsService } from './attempts.service.js';
import { continued, DeliveredText, isContinuable, mayContinue, withoutBeginning } from './continuation.js';
import { kindRules, toApiError } from './provider-error.mapping.js';
import { addDropped, setServedBy } from './response-headers.js';
import { withFallback } from './routing/fallback.js';
import type { Route, RouterService } from './routing/router.service.js';
import type { UpstreamMeter } from './upstream-meter.js';

/** One admitted request: who answers it, what was delivered, and its one settlement. */
export class Generation {
  readonly #parts = new AnswerParts();
  readonly #record: GenerationRecord;
  readonly #text: AnswerText | undefined;
  readonly #delivered: DeliveredText | undefined;
  #begun = false;
  #ended = false;

  constructor(
    private readonly context: AttemptContext,
    private readonly router: RouterService,
    private readonly attempts: AttemptsService,
  ) {
    this.#record = context.exchange.record!;
    this.#text = context.plan.config.observability.store_text ? new AnswerText() : undefined;
    this.#delivered = mayContinue(context.plan) ? new DeliveredText() : undefined;
  }

  /** @param shuttingDown whether unsubscribing is our own end rather than the client's leaving */
  run(shuttingDown: () => boolean): Observable<GenerationChunk> {
    return new Observable((subscriber) => {
      const { plan, hold, exchange } = this.context;
      this.#record.startedAt = performance.now();
      const source = this.#ask(plan.routes).subscribe({
        next: (chunk) => {
          if (chunk.choices.length === 0) return;
          this.#text?.see(chunk);
          this.#delivered?.see(chunk);
          subscriber.next(chunk);
          if (!plan.stream) return;
          const tokens = this.#parts.completionTokens;
          this.#begun = tokens > 0;
          hold.progress(tokens, this.#parts.promptTokens);
        },
        error: (error: unknown) => {
          const silent = isProviderError(error) && error.kind === 'timeout';
          this.#settle(silent ? 'idle_timeout' : 'provider_failed', this.#parts.usageSoFar, true);
          subscriber.error(toApiError(error));
        },
        complete: () => {
          const { usage, empty, estimated } = this.#parts;
          const charged = this.#settle(empty ? 'empty' : 'completed', usage, estimated);
          exchange.responseHeaders['x-switchyard-cost'] = formatCredits(charged);
          subscriber.next({ choices: [], usage });
          subscriber.complete();
        },
      });
      return () => {
        source.unsubscribe();
        if (this.#ended) return;
        this.#settle(shuttingDown() ? 'shutdown' : 'client_left', this.#begun ? this.#parts.usageSoFar : usageOf(0, 0), true);
      };
    });
  }

  /** @param cut why the answer has to go on at these routes */
  #ask(routes: readonly Route[], cut?: unknown): Observable<GenerationChunk> {
    const { plan, hold, exchange } = this.context;
    const { routing } = plan.config;
    const metersOf = new Map<Route, readonly UpstreamMeter[]>();
    let served = false;
    const chunks = withFallback<Route>({
      candidates: routes,
      settings: { retries: routing.retries, longestWaitMs: routing.max_retry_wait, hedge: routing.hedge },
      budgetOf: ({ provider }) => this.router.budgetOf(provider.id),
      startedAt: this.#record.startedAt!,
      retry: cut !== undefined,
      attempt: (route, attempt) => this.attempts.ask(this.context, route, attempt, (meters) => metersOf.set(route, meters)),
      record: (attempt) => this.#record.attempts.push(attempt),
      served: (route) => {
        served = true;
        this.#parts.add(route, metersOf.get(route)!);
        this.#record.upstreamModel = route.offer.upstreamModel;
        setServedBy(exchange, route.provider.id, route.offer.upstreamModel);
        hold.servedAt(this.#parts.price);
        for (const parameter of route.dropped) addDropped(exchange, parameter);
      },
    });
    if (!this.#delivered) return chunks;
    return chunks.pipe(
      catchError((error: unknown) => {
        // The client's answer was cut: that nobody could go on is no news to it.
        if (!served) throw cut ?? error;
        const rest = this.#goOn(error);
        if (!rest) throw error;
        return rest;
      }),
    );
  }

  /** What is missing of an answer whose stream was cut, from the offers that have not been cut yet; undefined where none can go on exactly. */
  #goOn(error: unknown): Observable<GenerationChunk> | undefined {
    const { plan, hold } = this.context;
    const { route: last, meters } = this.#parts.last!;
    const { text, plain } = this.#delivered!;
    if (!isProviderError(error) || !kindRules[error.kind].next || last.simulated || last.offer.completionsViaChat) return undefined;
    if (meters.some((meter) => meter.finishReasons.length > 0)) return EMPTY;
    if (!plain || !isContinuable(text, last.calls[0]!.request.stop)) return undefined;
    const maxTokens = (plan.asked ?? hold.maxTokens) - this.#parts.completionTokens;
    if (maxTokens < 1) return of(this.#atLimit());
    const others = plan.routes
      .filter(({ offer }) => !this.#parts.has(offer))
      .map((route) => continued(route, text, maxTokens, plan.asked !== undefined))
      .filter((route) => route !== undefined);
    if (others.length === 0) return undefined;
    return this.#ask(others, error).pipe(
      map(withoutBeginning),
      filter((chunk) => chunk !== undefined),
    );
  }

  /** All tokens that were asked for had come when the stream was cut. */
  #atLimit(): GenerationChunk {
    const said = this.context.plan.operation === 'chat' ? { delta: {} } : { text: '' };
    return { choices: [{ index: 0, ...said, finish_reason: 'length' }] };
  }

  #settle(outcome: Outcome, usage: Usage, estimated: boolean): bigint {
    this.#ended = true;
    const { last, price: answered, finishReasons } = this.#parts;
    const route = last?.route ?? this.context.plan.routes[0];
    const price = last ? answered : priceOf(route);
    const provider = route.provider.id;
    const charged = this.context.hold.settle({ outcome, usage, estimated, provider, price });
    Object.assign(this.#record, { outcome, usage, price, charged, provider, answer: this.#text?.toString() });
    if (finishReasons.length > 0) this.#record.finishReasons = finishReasons;
    return charged;
  }
}

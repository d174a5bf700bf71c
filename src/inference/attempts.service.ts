import { Injectable, Logger } from '@nestjs/common';
import { from, mergeAll, mergeMap, type Observable, toArray } from 'rxjs';
import type { Hold } from '../billing/ledger.js';
import { LivePerformance } from '../catalogue/live-performance.js';
import type { Offer } from '../catalogue/offer.js';
import type { Exchange } from '../common/exchange.js';
import type { AttemptRecord } from '../common/generation-record.js';
import { Traces } from '../observability/traces.js';
import { isProviderError } from '../providers/provider-error.js';
import type { GenerationChunk } from '../wire/generation.js';
import type { GenerationPlan } from './generation-plan.js';
import type { UpstreamCall } from './plan.js';
import { kindRules } from './provider-error.mapping.js';
import { notAsGiven } from './requirements.js';
import { addDropped } from './response-headers.js';
import type { Route } from './routing/router.service.js';
import { upstream } from './upstream.js';
import { UpstreamMeter } from './upstream-meter.js';

/** Upstream calls of one client request that run at the same time. */
const CONCURRENT_CALLS = 8;

/** What the attempts of one request share. */
export interface AttemptContext {
  readonly plan: GenerationPlan;
  readonly hold: Hold;
  readonly exchange: Exchange;
}

/** Asks one route. */
@Injectable()
export class AttemptsService {
  readonly #logger = new Logger(AttemptsService.name);

  constructor(
    private readonly performance: LivePerformance,
    private readonly traces: Traces,
  ) {}

  /**
   * All upstream calls of one route. An answer that is not streamed counts as begun when it is whole, so that any failure may lead elsewhere.
   * @param begins is given what counts each call
   */
  ask(
    context: AttemptContext,
    route: Route,
    attempt: AttemptRecord,
    begins: (meters: readonly UpstreamMeter[]) => void,
  ): Observable<GenerationChunk> {
    const meters = route.calls.map(({ request, promptBytes }) => new UpstreamMeter(request, promptBytes));
    begins(meters);
    const [only] = route.calls;
    if (route.calls.length === 1) return this.#metered(context, route, only!, attempt, meters[0]!);
    const chunks = from(route.calls).pipe(
      mergeMap((planned, index) => this.#metered(context, route, planned, attempt, meters[index]!), CONCURRENT_CALLS),
    );
    return context.plan.stream ? chunks : chunks.pipe(toArray(), mergeAll());
  }

  /** One upstream call: counted, its end checked, its figures recorded. */
  #metered(
    { plan, hold, exchange }: AttemptContext,
    route: Route,
    planned: UpstreamCall,
    attempt: AttemptRecord,
    meter: UpstreamMeter,
  ): Observable<GenerationChunk> {
    const { routing } = plan.config;
    const { provider, offer } = route;
    const started = performance.now();
    const record = (ok: boolean): void => {
      // What another provider answers in test mode says nothing of this one, and failures on request are no failures.
      if (provider !== offer.provider || (!ok && offer.simulated)) return;
      const { firstPieceAt } = meter;
      const firstTokenMs = plan.stream && firstPieceAt !== undefined ? firstPieceAt - started : undefined;
      const completionTokens = meter.usage.completion_tokens;
      this.performance.record(offer, { ok, totalMs: performance.now() - started, firstTokenMs, completionTokens });
    };
    const failed = (error: unknown): void => {
      if (!isProviderError(error)) return;
      const { code, next, alarm } = kindRules[error.kind];
      if (next) record(false);
      const line = `${provider.id} failed (${error.kind}, ${code}) request ${exchange.requestId}: ${error.message}`;
      if (alarm) this.#logger.error(line);
      else if (next) this.#logger.warn(line);
    };
    return upstream(
      provider,
      offer.completionsViaChat,
      affordable(planned, offer, hold),
      {
        requestId: exchange.requestId,
        upstreamModel: offer.upstreamModel,
        traceHeaders: this.traces.headersFor(exchange, attempt),
        flow: exchange.flow,
        timeouts: { firstToken: routing.first_token_timeout, idle: routing.idle_timeout, total: routing.total_timeout },
        dropped: (parameter) => {
          if (routing.strict_parameters) throw notAsGiven(offer, parameter);
          addDropped(exchange, parameter);
        },
      },
      {
        next: (chunk) => meter.see(chunk),
        error: failed,
        complete: () => {
          try {
            meter.requireFinished();
          } catch (error) {
            failed(error);
            throw error;
          }
          record(true);
        },
      },
    );
  }
}

/** The call within what the credits allow. */
function affordable(planned: UpstreamCall, offer: Offer, hold: Hold): UpstreamCall {
  if (planned.request.max_tokens !== undefined || hold.maxTokens >= offer.maxTokens) return planned;
  return { ...planned, request: { ...planned.request, max_tokens: hold.maxTokens } };
}

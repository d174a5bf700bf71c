import { Injectable } from '@nestjs/common';
import { from, mergeAll, mergeMap, type Subscribable, toArray } from 'rxjs';
import type { Hold } from '../../billing/hold/ledger.js';
import { LivePerformance } from '../../catalogue/live-performance.js';
import type { Offer } from '../../catalogue/offer.js';
import type { AttemptRecord } from '../../common/generation-record.js';
import type { RequestContext } from '../../http/requests/request-context.js';
import { Traces } from '../../observability/traces.js';
import type { GenerationChunk } from '../../wire/generation.js';
import type { GenerationPlan } from '../planning/generation-plan.js';
import type { UpstreamCall } from '../planning/plan-calls.js';
import { notAsGiven } from '../planning/requirements.js';
import type { Route } from '../routing/router.service.js';
import type { AttemptCall } from './attempt.js';
import { MeteredCall } from './metered-call.js';
import { toObservable } from './to-observable.js';
import type { UpstreamMeter } from './upstream-meter.js';
import { upstream } from './upstream.js';

/** Upstream calls of one client request that run at the same time. */
const CONCURRENT_CALLS = 8;

/** A request for which the ledger holds the worst case. */
export interface AdmittedRequest {
  readonly plan: GenerationPlan;
  readonly hold: Hold;
  readonly context: RequestContext;
}

/** Makes the upstream calls of one route. */
@Injectable()
export class AttemptsService {
  constructor(
    private readonly performance: LivePerformance,
    private readonly traces: Traces,
  ) {}

  /**
   * Makes all upstream calls of one route. Where nothing is streamed, it emits the chunks when all calls are complete,
   * so that after any failure another route may be asked.
   * @param meters one for each call
   */
  ask(admitted: AdmittedRequest, route: Route, attempt: AttemptRecord, meters: readonly UpstreamMeter[]): Subscribable<GenerationChunk> {
    const [only] = route.calls;
    if (route.calls.length === 1) return this.#metered(admitted, route, only!, attempt, meters[0]!);
    const chunks = from(route.calls).pipe(
      mergeMap((planned, index) => toObservable(this.#metered(admitted, route, planned, attempt, meters[index]!)), CONCURRENT_CALLS),
    );
    return admitted.plan.stream ? chunks : chunks.pipe(toArray(), mergeAll());
  }

  /** Makes one upstream call, with its tokens counted, its end checked and its performance recorded. */
  #metered(
    { plan, hold, context }: AdmittedRequest,
    route: Route,
    planned: UpstreamCall,
    attempt: AttemptRecord,
    meter: UpstreamMeter,
  ): Subscribable<GenerationChunk> {
    const { routing } = plan.config;
    const { provider, offer } = route;
    const call: AttemptCall = {
      requestId: context.requestId,
      upstreamModel: offer.upstreamModel,
      traceHeaders: this.traces.headersFor(context, attempt),
      flow: context.flow,
      timeouts: { firstToken: routing.first_token_timeout, idle: routing.idle_timeout, total: routing.total_timeout },
      dropped: (parameter) => {
        if (routing.strict_parameters) throw notAsGiven(offer, parameter);
        context.record!.dropped.add(parameter);
      },
    };
    const watch = new MeteredCall(route, context.requestId, meter, this.performance);
    return upstream(provider, offer.completionsViaChat, affordable(planned, offer, hold), call, watch);
  }
}

/** Limits the call's max_tokens to what the credits allow. */
function affordable(planned: UpstreamCall, offer: Offer, hold: Hold): UpstreamCall {
  if (planned.request.max_tokens !== undefined || hold.maxTokens >= offer.maxTokens) return planned;
  return { ...planned, request: { ...planned.request, max_tokens: hold.maxTokens } };
}

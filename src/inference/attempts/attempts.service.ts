import { Injectable, Logger } from '@nestjs/common';
import { catchError, defer, finalize, from, mergeMap, type Observable, type Subscribable } from 'rxjs';
import type { Hold } from '../../billing/hold/ledger.js';
import { LivePerformance } from '../../catalogue/live-performance.js';
import type { Offer } from '../../catalogue/offer.js';
import { AnswerBudget, ByteClaim } from '../../common/limits/byte-budget.js';
import { Clock } from '../../common/time/clock.js';
import { FairPlaces } from '../../common/limits/fair-places.js';
import type { AttemptRecord } from '../../common/requests/generation-record.js';
import { copyWith } from '../../wire/members.js';
import { Traces } from '../../observability/traces.js';
import { loggedError } from '../../providers/errors/logged-error.js';
import { isProviderError, type ProviderError } from '../../providers/contract/provider-error.js';
import { type GenerationChunk, type InferenceRequest, isOverInputs } from '../../wire/generation.js';
import { Calibrations } from '../calibration/calibrations.js';
import type { Rates } from '../calibration/rates.js';
import { asksForLastingWrites } from '../planning/cache-marks.js';
import { askedCalls } from '../planning/hosted-calls.js';
import type { FallbackAttempt } from './fallback-attempt.js';
import { ceilingOf, ceilingOfInputs } from './believed-usage.js';
import type { AdmittedRequest } from '../routing/generation-plan.js';
import { singleCalls } from '../planning/plan-calls.js';
import type { UpstreamCall } from '../planning/upstream-call.js';
import type { Route } from '../routing/router.service.js';
import { asPlanned } from './as-planned.js';
import { Attempt, type AttemptWatch } from './attempt.js';
import { isCallers, kindRules } from './provider-error.mapping.js';
import { toObservable } from './to-observable.js';
import { UpstreamMeter } from './upstream-meter.js';

/** Upstream calls of one client request that run at the same time, where there are places for them. */
const CONCURRENT_CALLS = 8;

/**
 * Upstream calls that run beside the first one of their request, in this process. Beyond them the calls of a request
 * run one after the other, so that no request is refused for it, and no account takes all connections to a provider.
 */
const FURTHER_CALLS = 1_000;

const logger = new Logger('Attempts');

/** Makes the upstream calls of one route, and records the performance of its offer. */
@Injectable()
export class AttemptsService implements AttemptWatch {
  readonly #furtherCalls = new FairPlaces(FURTHER_CALLS);

  constructor(
    private readonly performance: LivePerformance,
    private readonly traces: Traces,
    private readonly calibrations: Calibrations,
    private readonly budget: AnswerBudget,
    readonly clock: Clock,
  ) {}

  /** Makes all upstream calls of a route, with a meter for each. */
  ask(admitted: AdmittedRequest, attempt: FallbackAttempt): Subscribable<GenerationChunk> {
    const { route, record } = attempt;
    const { calls, offer } = route;
    const [only] = calls;
    if (only!.breakpoints) record.cacheBreakpoints = only!.breakpoints;
    const rates = this.calibrations.ratesOf(offer, admitted.account);
    const meters = (attempt.meters = calls.map((planned) => meterOf(planned, offer, rates, this.clock)));
    if (calls.length === 1 && only!.request.n === 1) return this.#call(admitted, route, only!, record, meters[0]!);
    const each = (planned: UpstreamCall, n: number) => this.#choices(admitted, attempt, planned, meters[n]!, rates);
    if (calls.length === 1) return each(only!, 0);
    return this.#atTheSameTime(admitted.account, calls.length, (concurrent) => from(calls).pipe(mergeMap(each, concurrent)));
  }

  /**
   * The chunks of a call, and of one more call for each choice that its provider did not give. The account is not asked
   * for several choices at once there for a while.
   */
  #choices(
    admitted: AdmittedRequest,
    attempt: FallbackAttempt,
    planned: UpstreamCall,
    meter: UpstreamMeter,
    rates: Rates,
  ): Observable<GenerationChunk> {
    const { route, record } = attempt;
    const chunks = toObservable(this.#call(admitted, route, planned, record, meter));
    if (planned.request.n === 1) return chunks;
    const missing = (error: unknown): Observable<GenerationChunk> => {
      if (!isProviderError(error) || error.parameter !== 'n') throw error;
      route.health.ignored.add(admitted.account, 'n');
      meter.leavesOut();
      const further = singleCalls(planned).slice(meter.finishReasons.length);
      const meters = further.map((call) => meterOf(call, route.offer, rates, this.clock));
      attempt.meters = attempt.meters.flatMap((one) => (one === meter ? [one, ...meters] : [one]));
      // Calls for other prompts run already.
      const most = route.calls.length === 1 ? further.length : 1;
      return this.#atTheSameTime(admitted.account, most, (concurrent) =>
        from(further).pipe(mergeMap((call, n) => toObservable(this.#call(admitted, route, call, record, meters[n]!)), concurrent)),
      );
    };
    return chunks.pipe(catchError(missing));
  }

  /** @param make is told how many of the calls may run at the same time */
  #atTheSameTime<T>(account: string, calls: number, make: (concurrent: number) => Observable<T>): Observable<T> {
    return defer(() => {
      const most = Math.min(CONCURRENT_CALLS, calls);
      let concurrent = 1;
      while (concurrent < most && this.#furtherCalls.take(account)) concurrent++;
      return make(concurrent).pipe(
        finalize(() => {
          for (; concurrent > 1; concurrent--) this.#furtherCalls.give(account);
        }),
      );
    });
  }

  failed(attempt: Attempt, error: ProviderError): void {
    const { admitted, route } = attempt;
    const { code, next, alarm } = kindRules[error.kind];
    const callers = isCallers(error, route.offer);
    if (next && !callers && route.health.circuit.weighs(admitted.account)) this.#record(attempt, false);
    if (!alarm && (!next || callers)) return;
    const { provider } = route;
    const line = loggedError(provider, `${provider.id} failed (${error.kind}, ${code}) request ${admitted.context.requestId}`, error);
    if (alarm) logger.error(line);
    else logger.warn(line);
  }

  completed(attempt: Attempt): void {
    this.#record(attempt, true);
    const { admitted, meter, route } = attempt;
    const { provider, offer, calls, health } = route;
    if (!attempt.generates) return;
    if (meter.madeMoreCalls) admitted.context.record!.dropped.add('max_tool_calls');
    if (!meter.estimated) health.counted(meter.usage, calls[0]!.request.n);
    const counted = provider === offer.provider && this.calibrations.wants(offer) ? meter.counted : undefined;
    if (counted) this.calibrations.learn(offer, admitted.account, counted);
  }

  keeps({ admitted: { account, context } }: Attempt, bytes: number): boolean {
    const claim = new ByteClaim(this.budget, account);
    if (!claim.resize(bytes)) return false;
    context.work.add(() => claim.release());
    return true;
  }

  #record({ route: { provider, offer, calls }, meter, startedAt }: Attempt, ok: boolean): void {
    // In test mode another provider answers, which says nothing about this one; simulated failures do not count.
    if (provider !== offer.provider || (!ok && offer.simulated)) return;
    const totalMs = this.clock.monotonic() - startedAt;
    const firstTokenAt = calls[0]!.request.stream ? meter.firstTokenAt : undefined;
    const firstTokenMs = firstTokenAt === undefined ? undefined : firstTokenAt - startedAt;
    this.performance.record(offer, { ok, totalMs, firstTokenMs, completionTokens: meter.usage.completion_tokens });
  }

  #call(admitted: AdmittedRequest, route: Route, planned: UpstreamCall, attempt: AttemptRecord, meter: UpstreamMeter) {
    const request = affordable(planned.request, route.offer, admitted.hold);
    const traceHeaders = this.traces.headersFor(admitted.context, attempt);
    return asPlanned(new Attempt(admitted, route, request, meter, this, traceHeaders), planned);
  }
}

function meterOf({ request, promptBytes, toolBytes }: UpstreamCall, offer: Offer, rates: Rates, clock: Clock): UpstreamMeter {
  const lasting = offer.price?.components?.rates.cache_write_1h !== undefined && asksForLastingWrites(request);
  const ceiling = isOverInputs(request) ? ceilingOfInputs(offer, request) : ceilingOf(offer, request.n);
  return new UpstreamMeter(request, promptBytes, ceiling, rates, askedCalls(offer, request), toolBytes, lasting, clock);
}

/** Limits max_tokens to what the credits allow. */
function affordable(request: InferenceRequest, offer: Offer, hold: Hold): InferenceRequest {
  if (isOverInputs(request) || request.max_tokens !== undefined || hold.maxTokens >= offer.maxTokens) return request;
  return copyWith(request, { max_tokens: hold.maxTokens });
}

import type { Observer, Subscribable, Unsubscribable } from 'rxjs';
import { chargeable, type Outcome } from '../../billing/hold/ledger.js';
import type { Clock } from '../../common/time/clock.js';
import type { AttemptRecord, GenerationRecord } from '../../common/requests/generation-record.js';
import type { Shutdown } from '../../common/shutdown.js';
import { isProviderError } from '../../providers/contract/provider-error.js';
import { type GenerationChunk, isOverInputs } from '../../wire/generation.js';
import { type Usage, usageOf } from '../../wire/usage.js';
import type { AttemptsService } from '../attempts/attempts.service.js';
import type { AdmittedRequest } from '../routing/generation-plan.js';
import { askedServiceTier } from '../planning/service-tier.js';
import { kindRules, toApiError } from '../attempts/provider-error.mapping.js';
import type { FallbackAttempt, FallbackHandler } from '../attempts/fallback-attempt.js';
import { Fallback } from '../attempts/fallback.js';
import type { Route } from '../routing/router.service.js';
import { DeliveredText, endOf, mayContinue, missingOf, withoutBeginning } from './continuation.js';
import { GenerationMeter, priceOf, usageOfAsked } from './generation-meter.js';
import type { UnpaidLeavings } from './unpaid-leavings.js';
import { StoredText } from './stored-text.js';
import type { UsageWaits, WaitingForUsage } from './usage-waits.js';

/**
 * Milliseconds for which a client must have held an answer back, in all, for the provider's giving it up to be the
 * client's doing. Servers wait longer for a reader (nginx 60 s), and who reads what comes holds nothing back for so
 * long.
 */
const SLOW_MS = 2_000;

/** What all generations share. */
export interface GenerationSurroundings {
  readonly attempts: AttemptsService;
  readonly shutdown: Pick<Shutdown, 'signal'>;
  readonly waits: UsageWaits;
  readonly leavings: UnpaidLeavings;
  readonly clock: Clock;
}

/** One admitted request under way: it asks the routes, passes chunks to the client and settles the hold once. */
export class Generation implements FallbackHandler, Unsubscribable, WaitingForUsage {
  readonly account: string;
  readonly clock: Clock;
  readonly startedAt: number;
  readonly streamed: boolean;
  readonly #meter: GenerationMeter;
  readonly #record: GenerationRecord;
  /** Only where the operator stores texts. */
  readonly #text: StoredText | undefined;
  /** Only where the stream may be continued by another offer. */
  readonly #delivered: DeliveredText | undefined;
  #fallback: Fallback | undefined;
  #served = false;
  /** The prompt's tokens that the hold was told of; undefined where they are to be told with their parts. */
  #promptTokens: number | undefined;
  /** What the hold was told of the prompt's parts, as `partsTold` counts it. */
  #partsTold = 0;
  /** The error that cut the stream, where the routes that are asked now are to continue it. */
  #cut: unknown;
  #begun = false;
  /** The client has left, and the provider's usage is waited for. */
  #left = false;
  #settled: (() => void) | undefined;
  /** The route that was under way when the request ended before anything was delivered. */
  #unpaidAt: Route | undefined;
  #ended = false;

  constructor(
    private readonly admitted: AdmittedRequest,
    private readonly surroundings: GenerationSurroundings,
    private readonly client: Observer<GenerationChunk>,
  ) {
    this.account = admitted.account;
    this.clock = surroundings.clock;
    this.startedAt = this.clock.monotonic();
    this.streamed = admitted.plan.stream;
    this.#meter = new GenerationMeter(this.clock.now());
    this.#record = admitted.context.record!;
    this.#record.startedAt = this.startedAt;
    this.#text = admitted.plan.config.observability.store_text ? new StoredText() : undefined;
    this.#delivered = mayContinue(admitted.plan) ? new DeliveredText() : undefined;
  }

  begin(): void {
    this.#askAll(this.admitted.plan.routes);
  }

  /**
   * The client has left. Cancels the running attempts and settles, unless the generation has ended, or its answer has
   * and only the provider's usage has not come.
   */
  unsubscribe(): void {
    if (this.#ended || this.#left) return;
    const { shutdown, waits } = this.surroundings;
    if (shutdown.signal.aborted) return this.#cancel('shutdown', this.#begun ? this.#meter.usageSoFar : usageOf(0, 0));
    if (!this.#begun) return this.#cancel('client_left', this.#unpaid(this.#asked.find(({ ended }) => !ended)));
    if (!this.#meter.estimated) return this.#cancel('client_left', this.#meter.usage, false);
    if (!this.#meter.ended || !waits.add(this)) return this.#cancel('client_left', this.#meter.usageSoFar);
    this.#left = true;
    this.#record.settled = new Promise((settled) => (this.#settled = settled));
    // For those who ask before the usage has come.
    this.#record.outcome = 'client_left';
    this.#record.usage = this.#meter.usageSoFar;
  }

  expired(): void {
    this.#cancel('client_left', this.#meter.usageSoFar);
  }

  ask(attempt: FallbackAttempt): Subscribable<GenerationChunk> {
    return this.surroundings.attempts.ask(this.admitted, attempt);
  }

  /** The attempts of this round that have not only waited for their turn. */
  get #asked(): readonly FallbackAttempt[] {
    return this.#fallback?.attempts.filter(({ meters }) => meters.length > 0) ?? [];
  }

  record(attempt: AttemptRecord): void {
    this.#record.attempts.push(attempt);
  }

  served(attempt: FallbackAttempt): void {
    const { route } = attempt;
    this.#served = true;
    this.#meter.add(attempt);
    this.#record.provider = route.provider.id;
    this.#record.upstreamModel = route.offer.upstreamModel;
    for (const parameter of route.dropped) this.#record.dropped.add(parameter);
    this.admitted.hold.servedAt(this.#meter.price);
    this.#promptTokens = undefined;
  }

  next(given: GenerationChunk): void {
    const chunk = this.#cut === undefined ? given : withoutBeginning(given, this.#delivered!.goesOn);
    if (!chunk || chunk.choices.length === 0 || this.#left) return;
    this.#text?.see(chunk);
    this.#delivered?.see(chunk);
    this.client.next(chunk);
    if (!this.streamed) return;
    const tokens = this.#meter.completionTokens;
    this.#begun = tokens > 0;
    const { promptTokens, partsTold } = this.#meter;
    if (promptTokens !== this.#promptTokens || partsTold !== this.#partsTold) this.admitted.hold.promptCounted(this.#meter.prompts);
    this.#promptTokens = promptTokens;
    this.#partsTold = partsTold;
    this.admitted.hold.progress(tokens, promptTokens);
  }

  error(error: unknown): void {
    if (this.#left) this.#usageEnded();
    else if (!this.#delivered) this.#fail(error);
    // No offer could continue the stream: the client gets the error that cut it.
    else if (!this.#served) this.#fail(this.#cut ?? error);
    else this.#continue(error);
  }

  complete(): void {
    if (this.#ended) return;
    if (this.#left) return this.#usageEnded();
    const { usage, estimated } = this.#meter;
    this.#settle(this.#isFreeOfCharge(usage, estimated) ? 'empty' : 'completed', usage, estimated);
    this.client.next({ choices: [], usage });
    this.client.complete();
  }

  /** @param cut the error that cut the stream which these routes are to continue */
  #askAll(routes: readonly Route[], cut?: unknown): void {
    this.#served = false;
    this.#cut = cut;
    this.#fallback = new Fallback(this, routes, this.admitted.plan.config.routing, cut !== undefined);
    this.#fallback.advance();
  }

  #continue(cut: unknown): void {
    const missing = missingOf(cut, this.admitted, this.#meter, this.#delivered!);
    if (missing === undefined) return this.#fail(cut);
    this.#delivered!.cut();
    if (typeof missing !== 'string') return this.#askAll(missing, cut);
    if (missing !== 'nothing') this.next(endOf(this.admitted.plan, missing));
    this.complete();
  }

  /**
   * Whether the answer is nothing, and costs nothing. A client can ask for such answers (`stop`), and the provider
   * bills the prompt: those that it has counted are limited as those that are left before the first token.
   */
  #isFreeOfCharge({ total_tokens }: Usage, estimated: boolean): boolean {
    if (!this.#meter.empty) return false;
    return estimated || this.surroundings.leavings.take(this.admitted.key, total_tokens);
  }

  /** Nothing more comes of an answer whose client has left: its usage has come, or never will. */
  #usageEnded(): void {
    if (this.#ended) return;
    this.surroundings.waits.delete(this);
    const { estimated, usage, usageSoFar } = this.#meter;
    this.#settle('client_left', estimated ? usageSoFar : usage, estimated);
  }

  #cancel(outcome: Outcome, usage: Usage, estimated = true): void {
    this.#fallback?.unsubscribe();
    this.#settle(outcome, usage, estimated);
  }

  /** What a request costs that the client, or a limit of ours, has ended before anything was delivered. */
  #unpaid(asked: FallbackAttempt | undefined): Usage {
    if (!asked?.route.offer.billsAborted) return usageOf(0, 0);
    this.#unpaidAt = asked.route;
    const usage = usageOfAsked(asked);
    if (usage.total_tokens === 0) return usage;
    return this.surroundings.leavings.take(this.admitted.key, usage.total_tokens) ? usageOf(0, 0) : usage;
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    const outcome = this.#outcomeOf(error);
    const usage = this.#begun || !chargeable(outcome) ? this.#meter.usageSoFar : this.#unpaid(this.#asked.at(-1));
    this.#settle(outcome, usage, true);
    this.client.error(toApiError(error));
  }

  #outcomeOf(error: unknown): Outcome {
    const rule = isProviderError(error) ? kindRules[error.kind] : undefined;
    if (rule?.caller && this.#begun) return 'request_failed';
    const outcome = rule?.outcome ?? 'provider_failed';
    return !chargeable(outcome) && this.#begun && this.admitted.context.flow.pausedMs >= SLOW_MS ? 'client_slow' : outcome;
  }

  #settle(outcome: Outcome, usage: Usage, estimated: boolean): void {
    this.#ended = true;
    this.admitted.plan.providers.end();
    const { last, finishReasons } = this.#meter;
    const route = last?.route ?? this.#unpaidAt ?? this.admitted.plan.routes[0];
    const price = last ? this.#meter.price : priceOf(route);
    const provider = route.provider.id;
    const record = this.#record;
    record.provider = provider;
    record.outcome = outcome;
    record.usage = usage;
    record.price = price;
    const { request } = route.calls[0]!;
    const serviceTier = askedServiceTier(request);
    const { calls } = this.#meter;
    const told = estimated ? this.#meter.told : undefined;
    record.keeper = this.admitted.hold;
    this.admitted.admission?.settle(usage.total_tokens);
    record.charged = this.admitted.hold.settle({ outcome, usage, calls, serviceTier, estimated, told, provider, price });
    if (finishReasons.length > 0 && !isOverInputs(request)) record.finishReasons = finishReasons;
    if (this.#text) record.answer = this.#text.toString();
    this.#settled?.();
  }
}

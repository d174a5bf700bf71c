import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { from, lastValueFrom, mergeMap } from 'rxjs';
import { CatalogueService } from '../../catalogue/catalogue.service.js';
import type { Offer } from '../../catalogue/offer.js';
import { Clock, type Timer } from '../../common/time/clock.js';
import { untilAborted } from '../../common/time/waits.js';
import { ConfigService } from '../../config/config.service.js';
import { loggedError } from '../../providers/errors/logged-error.js';
import type { ModelProvider } from '../../providers/contract/model-provider.js';
import { isProviderError, type ProviderError } from '../../providers/contract/provider-error.js';
import { RouterService } from './router.service.js';

const CONCURRENT_PROBES = 4;
const PROBE_TIMEOUT_MS = 10_000;
/** A provider is probed no sooner after a probe, however many accounts meet failures. */
const LEAST_INTERVAL_MS = 5_000;

/**
 * The kinds of error of a provider that does not answer, and of one that refuses. Other kinds say nothing about its
 * generations.
 */
const silent = new Set<ProviderError['kind']>(['unreachable', 'timeout']);
const refusing = new Set<ProviderError['kind']>(['authentication', 'insufficient_quota', 'overloaded']);

interface Probed {
  provider: ModelProvider;
  offers: Map<string, Offer>;
  /** The attempts at all its offers, as of the last round. */
  attempts: number;
  /**
   * Whether a probe has ever succeeded. Only then does a refusal mean a failure, because some providers refuse the list
   * of models to a key that may generate.
   */
  proven: boolean;
  /** Whether the last probe failed. */
  down: boolean;
  /** Whether a probe has thrown something else than a ProviderError. */
  threw: boolean;
  /** When the last probe began, in monotonic milliseconds. */
  probedAt: number;
}

/**
 * Probes the providers whose health no traffic shows: those without an attempt in the interval, and those with a paused
 * offer. Where the circuit of one account opens, its provider is probed at once, because a probe can tell an outage
 * from requests that fail by themselves.
 */
@Injectable()
export class ProviderProbes implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger(ProviderProbes.name);
  readonly #closing = new AbortController();
  #probed = new Map<string, Probed>();
  #timer: Timer | undefined;
  #onAnswersAgain: (provider: ModelProvider) => void = () => undefined;

  constructor(
    private readonly catalogue: CatalogueService,
    private readonly router: RouterService,
    private readonly config: ConfigService,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.#schedule();
    this.config.onChange(() => this.#schedule());
    this.router.onAccountPaused((offer) => void this.#probeSoon(offer));
  }

  /** The listener is called when a provider answers whose last probe had failed. */
  onAnswersAgain(listener: (provider: ModelProvider) => void): void {
    this.#onAnswersAgain = listener;
  }

  onModuleDestroy(): void {
    this.clock.clear(this.#timer);
    this.#closing.abort();
  }

  #schedule(): void {
    this.clock.clear(this.#timer);
    const { probe_interval } = this.config.current.routing;
    if (probe_interval === 0 || this.#closing.signal.aborted) return;
    this.#timer = this.clock.setTimeout(() => void this.round().then(() => this.#schedule()), probe_interval).unref();
  }

  /** Probes the providers that are due. Never rejects. */
  async round(): Promise<void> {
    this.#probed = this.#findProviders();
    const due = [...this.#probed.values()].filter((one) => this.#isDue(one));
    if (due.length > 0) await lastValueFrom(from(due).pipe(mergeMap((one) => this.#probe(one), CONCURRENT_PROBES)));
  }

  /** The providers with an active offer. What is known of others is dropped. */
  #findProviders(): Map<string, Probed> {
    const found = new Map<string, Probed>();
    for (const { offers } of this.catalogue.all()) {
      for (const offer of offers) {
        const { provider, simulated, status, modelId } = offer;
        if (simulated || !status.active) continue;
        let one = found.get(provider.id);
        if (!one) {
          // The same object goes on, because a probe may be under way that will tell it how it ended.
          const known = this.#probed.get(provider.id) ?? { attempts: 0, proven: false, down: false, threw: false, probedAt: -Infinity };
          found.set(provider.id, (one = Object.assign(known, { provider, offers: new Map<string, Offer>() })));
        }
        one.offers.set(modelId, offer);
      }
    }
    return found;
  }

  #isDue(one: Probed): boolean {
    let attempts = 0;
    let busy = false;
    let paused = false;
    for (const offer of one.offers.values()) {
      const health = this.router.knownHealthOf(offer);
      if (!health) continue;
      attempts += health.attempts;
      busy ||= health.limit.running > 0;
      paused ||= health.circuit.state !== 'closed';
    }
    const traffic = busy || attempts !== one.attempts;
    one.attempts = attempts;
    return paused || !traffic;
  }

  async #probeSoon({ provider }: Offer): Promise<void> {
    if (this.config.current.routing.probe_interval === 0 || this.#closing.signal.aborted) return;
    this.#probed = this.#findProviders();
    const one = this.#probed.get(provider.id);
    if (one && this.clock.monotonic() - one.probedAt >= LEAST_INTERVAL_MS) await this.#probe(one);
  }

  async #probe(one: Probed): Promise<void> {
    const { provider } = one;
    one.probedAt = this.clock.monotonic();
    const signal = AbortSignal.any([this.#closing.signal, this.clock.timeout(PROBE_TIMEOUT_MS)]);
    try {
      await untilAborted(this.clock, signal, Promise.resolve<unknown>(provider.probe ? provider.probe(signal) : provider.models(signal)));
      this.#answered(one);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      if (isProviderError(error)) this.#failed(one, error);
      else this.#threw(one, error);
    }
  }

  /** Ends the pauses of the provider's offers. Whether it generates again, the next request shows. */
  #answered(one: Probed): void {
    one.proven = true;
    if (!one.down) return;
    one.down = false;
    this.#logger.log(`${one.provider.id} answers again`);
    for (const offer of one.offers.values()) this.router.knownHealthOf(offer)?.circuit.endPause();
    this.#onAnswersAgain(one.provider);
  }

  /** The module is at fault, which says nothing about what it generates. */
  #threw(one: Probed, error: unknown): void {
    if (!one.threw) this.#logger.warn(loggedError(one.provider, `${one.provider.id} cannot be probed`, error));
    one.threw = true;
  }

  #failed(one: Probed, error: ProviderError): void {
    if (!silent.has(error.kind) && !(one.proven && refusing.has(error.kind))) return;
    if (!one.down) this.#logger.warn(loggedError(one.provider, `${one.provider.id} fails when it is probed (${error.kind})`, error));
    one.down = true;
    for (const offer of one.offers.values()) this.router.healthOf(offer).circuit.probeFailed(error.retryAfterMs);
  }
}

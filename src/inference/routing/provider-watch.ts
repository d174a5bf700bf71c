import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CatalogueService } from '../../catalogue/catalogue.service.js';
import { Clock, type Timer } from '../../common/time/clock.js';
import { messageOf } from '../../common/message-of.js';
import { ConfigService } from '../../config/config.service.js';
import { ProviderOutages } from '../../webhooks/provider-outages.js';
import { ProviderProbes } from './provider-probes.js';
import { RouterService } from './router.service.js';

/** Milliseconds between two looks at all providers, which say again what is down. */
const LOOK_MS = 15_000;

/**
 * Finds providers that are down: those of whose offers every one is paused for all accounts. One that has failed when
 * it was probed is up again when a probe has answered, any other when a request has.
 */
@Injectable()
export class ProviderWatch implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger(ProviderWatch.name);
  /** What was said to be down. */
  readonly #down = new Set<string>();
  /** Providers that have changed, and are said to have when it lasts. */
  readonly #changing = new Map<string, Timer>();
  /** Providers whose probe has answered since they went down. */
  readonly #answering = new Set<string>();
  #timer: Timer | undefined;

  constructor(
    private readonly catalogue: CatalogueService,
    private readonly router: RouterService,
    private readonly probes: ProviderProbes,
    private readonly outages: ProviderOutages,
    private readonly config: ConfigService,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.router.onCircuitChanged(({ provider }, state) => {
      if (state === 'open') this.#answering.delete(provider.id);
      this.#changed(provider.id);
    });
    this.probes.onAnswersAgain(({ id }) => {
      this.#answering.add(id);
      this.#changed(id);
    });
    this.#timer = this.clock.setInterval(() => this.#look(), LOOK_MS).unref();
  }

  onModuleDestroy(): void {
    this.clock.clear(this.#timer);
    for (const timer of this.#changing.values()) this.clock.clear(timer);
  }

  #look(): void {
    if (!this.outages.wanted) return;
    const down = this.#findDown();
    for (const id of this.#down.union(down)) {
      if (down.has(id) && this.#down.has(id)) this.#say(id, true);
      else this.#changed(id);
    }
  }

  #changed(id: string): void {
    if (!this.outages.wanted) return;
    const down = this.#findDown().has(id);
    if (down === this.#down.has(id)) {
      this.clock.clear(this.#changing.get(id));
      this.#changing.delete(id);
    } else if (!this.#changing.has(id))
      this.#changing.set(
        id,
        this.clock
          .setTimeout(() => {
            this.#changing.delete(id);
            // What had changed back would have ended this timer, but for offers that are not there any more.
            if (this.#findDown().has(id) === down) this.#say(id, down);
          }, this.config.current.webhooks.provider_settle)
          .unref(),
      );
  }

  #say(id: string, down: boolean): void {
    if (down) this.#down.add(id);
    else this.#down.delete(id);
    this.outages.say(id, down).catch((error: unknown) => {
      // The next look says it again.
      if (down) this.#down.delete(id);
      else this.#down.add(id);
      this.#logger.warn(`That ${id} is ${down ? 'down' : 'up'} was not stored: ${messageOf(error)}`);
    });
  }

  #findDown(): Set<string> {
    const down = new Set<string>();
    const up = new Set<string>(this.#answering);
    for (const { offers } of this.catalogue.all())
      for (const offer of offers) {
        if (offer.simulated || !offer.status.active) continue;
        const state = this.router.knownHealthOf(offer)?.circuit.state ?? 'closed';
        (state === 'closed' ? up : down).add(offer.provider.id);
      }
    return down.difference(up);
  }
}

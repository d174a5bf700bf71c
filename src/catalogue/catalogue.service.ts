import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { fixedErrors } from '../common/api-error.js';
import { Clock, type Timer } from '../common/time/clock.js';
import { messageOf } from '../common/message-of.js';
import type { ModelAccess } from '../common/access/model-access.js';
import { untilAborted, waitAtMost } from '../common/time/waits.js';
import { ConfigService } from '../config/config.service.js';
import type { ModelProvider, ProviderModel } from '../providers/contract/model-provider.js';
import { listedModels } from '../providers/contract/listed-models.js';
import { loggedError } from '../providers/errors/logged-error.js';
import { ProviderRegistry } from '../providers/registry/provider-registry.js';
import { accessibleModel } from './accessible-model.js';
import { AccessibleModels } from './accessible-models.js';
import type { CatalogueModel } from './catalogue-model.js';
import type { ModelNames } from './model-names.js';
import { mergeOffers, type MergedOffers, switchedOff } from './merge-offers.js';
import { ModelSwitches } from './model-switches.js';
import { offersInForce, pricesOf } from './offers-in-force.js';
import { passthroughOffer } from './passthrough-offer.js';
import { PriceBook } from './price-book.js';
import type { OfferPrice } from './price-store.js';

/**
 * How long the start waits for providers that list their models over the network. Slower ones go on in the background.
 */
const START_WAIT_MS = 1_000;
const LIST_TIMEOUT_MS = 10_000;
const REFRESH_MS = 300_000;
const RETRY_MS = 5_000;
/** Lists that come within this time are merged once: a merge looks at all models of all providers. */
const MERGE_MS = 20;

/** The catalogue: all models of all providers by their ids. */
@Injectable()
export class CatalogueService implements ModelNames, OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger(CatalogueService.name);
  readonly #lists = new Map<string, readonly ProviderModel[]>();
  /** Of each provider that could not list its models the last time, why. */
  readonly #unlisted = new Map<string, string>();
  readonly #timers = new Map<string, Timer>();
  readonly #closing = new AbortController();
  readonly #unsubscribe: (() => void)[] = [];
  #reported = new Set<string>();
  /** The next merge, of lists that have come since the last one. */
  #merging: Timer | undefined;
  /** The offers as configuration and providers describe them, before the prices in force are applied. */
  #merged: Pick<MergedOffers, 'offers' | 'aliases'> = { offers: new Map(), aliases: new Map() };
  #prices: ReadonlyMap<string, OfferPrice> = new Map();
  #pricing: Promise<unknown> | undefined;
  #models: ReadonlyMap<string, CatalogueModel> = new Map();
  #accessible = new AccessibleModels(this.#models);

  constructor(
    private readonly registry: ProviderRegistry,
    private readonly config: ConfigService,
    private readonly switches: ModelSwitches,
    private readonly prices: PriceBook,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.#unsubscribe.push(this.registry.onChange(() => void this.#refreshAll()));
    let { models_dev } = this.config.current.catalogue;
    this.#unsubscribe.push(
      this.config.onChange(({ catalogue }) => {
        if (catalogue.models_dev === models_dev) return this.#merge();
        ({ models_dev } = catalogue);
        void this.#refreshAll();
      }),
    );
    this.#unsubscribe.push(this.switches.onChange(() => this.#merge()));
    this.#unsubscribe.push(this.prices.onChange(() => this.#applyPrices()));
    const listed = this.#refreshAll().then(() => this.#pricing);
    await waitAtMost(this.clock, START_WAIT_MS, listed);
  }

  onModuleDestroy(): void {
    this.#closing.abort();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const timer of [...this.#timers.values(), this.#merging]) this.clock.clear(timer);
  }

  /** Every model once, ordered by id: under its own one, or else by an alias. */
  *all(): Iterable<CatalogueModel> {
    for (const model of this.#models.values()) if (model.id === model.modelId || !this.#models.has(model.modelId)) yield model;
  }

  /**
   * Every model that may be used, by all of its ids, in their order.
   * @param access absent: all may be used
   */
  accessible(access: ModelAccess | undefined): Iterable<CatalogueModel> | Promise<Iterable<CatalogueModel>> {
    return access ? this.#accessible.of(access) : this.#models.values();
  }

  /**
   * Finds a model by its id, or by `provider/model` with the offer of that provider alone, which need not be listed
   * where the provider passes any name through.
   * @param access absent: all may be used
   * @throws ApiError 404 model_not_found, also for a model that may not be used
   */
  find(id: string, access?: ModelAccess): CatalogueModel {
    let model = this.lookUp(id);
    if (access && model) model = accessibleModel(model, access);
    if (!model) throw fixedErrors.modelNotFound(printable(id));
    return model;
  }

  /** As `find`, of all models; undefined where nobody offers it. */
  lookUp(id: string): CatalogueModel | undefined {
    return this.#models.get(id) ?? this.#single(id) ?? this.#passthrough(id);
  }

  modelIdOf(name: string): string {
    return this.lookUp(name)?.modelId ?? name;
  }

  #single(id: string): CatalogueModel | undefined {
    const slash = id.indexOf('/');
    const model = slash > 0 ? this.#models.get(id.slice(slash + 1)) : undefined;
    const offer = model?.offers.find(({ provider }) => provider.id === id.slice(0, slash));
    return model && offer && { ...model, offers: [offer] };
  }

  #passthrough(id: string): CatalogueModel | undefined {
    const offer = passthroughOffer(id, (provider) => this.registry.get(provider), this.config.current);
    return offer && { id, modelId: id, offers: switchedOff(id, [offer], this.switches.all) };
  }

  async #refreshAll(): Promise<void> {
    // Who has changed a setting reads what came of it.
    this.#unlisted.clear();
    for (const id of this.#lists.keys()) if (!this.registry.get(id)) this.#lists.delete(id);
    const listings = this.registry.all().map((provider) => this.#refresh(provider));
    this.#merge();
    await Promise.all(listings);
    if (this.#merging) this.#merge();
  }

  /** Asks a provider for its models. One that cannot be asked keeps its previous list and is asked again soon. */
  async #refresh(provider: ModelProvider): Promise<void> {
    this.clock.clear(this.#timers.get(provider.id));
    let again = REFRESH_MS;
    try {
      const signal = AbortSignal.any([this.#closing.signal, this.clock.timeout(LIST_TIMEOUT_MS)]);
      const answer = provider.models(signal);
      if (!(answer instanceof Promise)) {
        this.#lists.set(provider.id, listedModels(answer));
        return;
      }
      const models = listedModels(await untilAborted(this.clock, signal, answer));
      if (this.registry.get(provider.id) !== provider) return;
      this.#lists.set(provider.id, models);
      if (this.#unlisted.delete(provider.id)) this.#logger.log(`${provider.id} lists its models again`);
      this.#merging ??= this.clock.setTimeout(() => this.#merge(), MERGE_MS);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      again = RETRY_MS;
      const reason = messageOf(error);
      if (reason !== this.#unlisted.get(provider.id))
        this.#logger.warn(loggedError(provider, `${provider.id} could not list its models`, error));
      this.#unlisted.set(provider.id, reason);
    }
    if (this.#closing.signal.aborted || this.registry.get(provider.id) !== provider) return;
    this.#timers.set(provider.id, this.clock.setTimeout(() => void this.#refresh(provider), again).unref());
  }

  #merge(): void {
    this.clock.clear(this.#merging);
    this.#merging = undefined;
    const lists = this.registry.all().map((provider) => {
      const models = this.#lists.get(provider.id);
      return { provider, models: models ?? [], complete: models !== undefined };
    });
    const { problems: found, missingPrices, doubtful, ...merged } = mergeOffers(lists, this.config.current, this.switches.all);
    const problems = [...found, ...missingPrices, ...doubtful, ...this.#withoutModels()];
    this.#merged = merged;
    this.#prices = pricesOf(merged.offers.values());
    this.#applyPrices();
    this.#pricing = this.prices.publish([...this.#prices.values()]);
    for (const problem of problems) if (!this.#reported.has(problem)) this.#logger.warn(problem);
    this.#reported = new Set(problems);
  }

  /** Warnings about providers that are switched on and offer no model. */
  #withoutModels(): string[] {
    const entries = Object.entries(this.config.current.providers);
    const empty = entries.filter(([id, { open }]) => !open && this.#lists.get(id)?.length === 0);
    return empty.map(([id]) => `${id} offers no model: name those that it has in providers.${id}.models`);
  }

  /** Makes the models of the catalogue from the offers, at the prices in force. */
  #applyPrices(): void {
    const { offers: merged, aliases } = this.#merged;
    const inForce = offersInForce(merged, this.#prices, this.prices);
    this.#models = new Map([...inForce].map(([id, offers]) => [id, { id, modelId: aliases.get(id) ?? id, offers }]));
    this.#accessible = new AccessibleModels(this.#models);
  }
}

/** Shortens a client's text for an error message. */
function printable(id: string): string {
  return id.length > 200 ? `${id.slice(0, 200)}…` : id;
}

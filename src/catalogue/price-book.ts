import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock, type Timer } from '../common/time/clock.js';
import { formatCredits, type Price, samePrice } from '../common/prices/credits.js';
import { componentsInWords } from '../common/prices/price-quote.js';
import { Database } from '../database/database.js';
import { offerKey, type OfferPrice, PriceStore, type StoredPrice } from './price-store.js';

const RETRY_MS = 5_000;

/**
 * The prices in force at all gateways that share a store. Each gateway publishes the prices of its configuration and
 * its providers, and each change of them becomes a row of the store. The newest row counts, whoever wrote it, so that
 * every gateway charges the same. A price comes into force with its row.
 */
@Injectable()
export class PriceBook implements OnModuleInit, OnModuleDestroy {
  readonly #logger = new Logger(PriceBook.name);
  readonly #listeners = new Set<() => void>();
  /** The prices that this process has published. */
  readonly #published = new Map<string, Price>();
  readonly #inForce = new Map<string, StoredPrice>();
  #wanted: readonly OfferPrice[] = [];
  #failing = false;
  #retry: Timer | undefined;
  #work: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly store: PriceStore,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.database.follow('price', () => this.#read());
  }

  async onModuleDestroy(): Promise<void> {
    this.#wanted = [];
    await this.#work;
    this.clock.clear(this.#retry);
  }

  /** Calls `listener` after each change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * The price that is charged for an offer for which this gateway wants the price `wanted`; it has no id while the
   * store does not know the offer.
   */
  inForce(wanted: OfferPrice): Price {
    const { id, prompt, completion, components }: Price = this.#inForce.get(offerKey(wanted)) ?? wanted;
    return { id, prompt, completion, ...(components && { components }) };
  }

  /**
   * Publishes all prices of this gateway's configuration and providers. Resolves when they are in the store, or could
   * not be written, which is then tried again. Never rejects.
   */
  publish(prices: readonly OfferPrice[]): Promise<unknown> {
    this.#wanted = prices;
    this.clock.clear(this.#retry);
    this.#work = this.#work
      .then(() => this.#write())
      .then(
        () => (this.#failing = false),
        (error: unknown) => this.#again(error as Error),
      );
    return this.#work;
  }

  #again({ message }: Error): void {
    if (!this.#failing) this.#logger.warn(`Prices could not be written, so that those in force stay: ${message}`);
    this.#failing = true;
    this.#retry = this.clock.setTimeout(() => void this.publish(this.#wanted), RETRY_MS).unref();
  }

  async #write(): Promise<void> {
    const changed = this.#wanted.filter((price) => {
      const published = this.#published.get(offerKey(price));
      return !published || !samePrice(published, price);
    });
    if (changed.length === 0) return;
    for (const price of changed) this.#published.set(offerKey(price), price);
    if (changed.every((price) => this.#isInForce(price))) return;
    try {
      await this.store.add(changed);
    } catch (error) {
      for (const price of changed) this.#published.delete(offerKey(price));
      throw error;
    }
    await this.database.look();
  }

  #isInForce(price: OfferPrice): boolean {
    const inForce = this.#inForce.get(offerKey(price));
    return inForce !== undefined && samePrice(inForce, price);
  }

  async #read(): Promise<void> {
    for (const price of await this.store.current()) {
      const name = offerKey(price);
      const [before, published] = [this.#inForce.get(name), this.#published.get(name)];
      this.#inForce.set(name, price);
      if (before && before.id !== price.id && published && !samePrice(published, price))
        this.#logger.warn(
          `${price.model} at ${price.provider} now costs ${inWords(price)}, set by another gateway; this gateway had set ${inWords(published)}`,
        );
    }
    for (const listener of this.#listeners) listener();
  }
}

function inWords(price: Price): string {
  const { prompt, completion } = price;
  return [`${formatCredits(prompt)} / ${formatCredits(completion)}`, componentsInWords(price)].filter(Boolean).join(', ');
}

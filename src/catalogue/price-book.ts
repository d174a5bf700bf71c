import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { formatCredits, type Price } from '../common/credits.js';
import { Database } from '../database/database.js';
import { nameOf, type OfferPrice, PriceStore, samePrice, type StoredPrice } from './price-store.js';

const RETRY_MS = 5_000;

/**
 * The prices in force at all gateways of a store. Each tells what its configuration and its providers say, and a change of that is a row of the store;
 * the newest row counts, whoever wrote it, so that every gateway charges the same. A price counts once its row is there.
 */
@Injectable()
export class PriceBook implements OnModuleInit, OnModuleDestroy {
  readonly #logger = new Logger(PriceBook.name);
  readonly #listeners = new Set<() => void>();
  /** What this process has told. */
  readonly #told = new Map<string, Price>();
  readonly #inForce = new Map<string, StoredPrice>();
  #wanted: readonly OfferPrice[] = [];
  #failing = false;
  #retry: NodeJS.Timeout | undefined;
  #work: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly store: PriceStore,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.database.follow('price', () => this.#read());
  }

  async onModuleDestroy(): Promise<void> {
    this.#wanted = [];
    await this.#work;
    clearTimeout(this.#retry);
  }

  /** Calls back after a change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What an offer is charged at that is `wanted` here; without an id where the store does not know the offer yet. */
  inForce(wanted: OfferPrice): Price {
    const { id, prompt, completion }: Price = this.#inForce.get(nameOf(wanted)) ?? wanted;
    return { id, prompt, completion };
  }

  /**
   * All that this gateway's configuration and providers say; resolves when it is in the store, or could not be written: then it is tried again.
   * Never rejects.
   */
  tell(prices: readonly OfferPrice[]): Promise<unknown> {
    this.#wanted = prices;
    clearTimeout(this.#retry);
    this.#work = this.#work
      .then(() => this.#write())
      .then(
        () => (this.#failing = false),
        (error: unknown) => this.#again(error as Error),
      );
    return this.#work;
  }

  #again({ message }: Error): void {
    if (!this.#failing) this.#logger.warn(`Prices could not be written, those in force stay: ${message}`);
    this.#failing = true;
    this.#retry = setTimeout(() => void this.tell(this.#wanted), RETRY_MS).unref();
  }

  async #write(): Promise<void> {
    const changed = this.#wanted.filter((price) => {
      const told = this.#told.get(nameOf(price));
      return !told || !samePrice(told, price);
    });
    if (changed.length === 0) return;
    for (const price of changed) this.#told.set(nameOf(price), price);
    if (changed.every((price) => this.#counts(price))) return;
    try {
      await this.store.add(changed);
    } catch (error) {
      for (const price of changed) this.#told.delete(nameOf(price));
      throw error;
    }
    await this.database.look();
  }

  #counts(price: OfferPrice): boolean {
    const inForce = this.#inForce.get(nameOf(price));
    return inForce !== undefined && samePrice(inForce, price);
  }

  async #read(): Promise<void> {
    for (const price of await this.store.current()) {
      const name = nameOf(price);
      const [before, told] = [this.#inForce.get(name), this.#told.get(name)];
      this.#inForce.set(name, price);
      if (before && before.id !== price.id && told && !samePrice(told, price))
        this.#logger.warn(
          `${price.model} at ${price.provider} costs ${inWords(price)} by another gateway's word; here it was ${inWords(told)}`,
        );
    }
    for (const listener of this.#listeners) listener();
  }
}

function inWords({ prompt, completion }: Price): string {
  return `${formatCredits(prompt)} / ${formatCredits(completion)}`;
}

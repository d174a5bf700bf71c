import { randomUUIDv7 } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock, type Timer } from '../common/time/clock.js';
import { messageOf } from '../common/message-of.js';
import type { Performance } from '../wire/model.js';
import type { Offer } from './offer.js';
import { addTotals, type Attempt, noTotals, performanceOf, PerformanceWindow, type Totals } from './performance.js';
import { type OfferBucket, PerformanceStore } from './performance-store.js';

const SHARE_MS = 10_000;

interface OfferWindow {
  readonly provider: string;
  readonly model: string;
  readonly window: PerformanceWindow;
}

/**
 * Measures how offers perform, through all gateways: this process's own buckets as they are, and what the others
 * published at most ten seconds ago. The rows of a process that has ended count as another gateway's for the process
 * that follows, so that a restart loses nothing.
 */
@Injectable()
export class LivePerformance implements OnModuleInit, OnApplicationShutdown {
  readonly #logger = new Logger(LivePerformance.name);
  readonly #nodeId = randomUUIDv7();
  /** The windows of this process by `provider/model`, as many as the catalogue has offers. */
  readonly #windows = new Map<string, OfferWindow>();
  #others: ReadonlyMap<string, Totals> = new Map();
  #timer: Timer | undefined;
  #sharing: Promise<void> | undefined;

  constructor(
    private readonly store: PerformanceStore,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.share();
    this.#timer = this.clock.setInterval(() => void this.share(), SHARE_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    this.clock.clear(this.#timer);
    await this.share();
  }

  record({ name, provider, watchedAs }: Offer, attempt: Attempt): void {
    let own = this.#windows.get(name);
    if (!own) this.#windows.set(name, (own = { provider: provider.id, model: watchedAs, window: new PerformanceWindow(this.clock) }));
    own.window.record(attempt);
  }

  /** The figures of a model, taken over all its offers. */
  read(offers: readonly Offer[]): Performance {
    return performanceOf(this.totals(offers));
  }

  /** What the offers did in the last half hour. */
  totals(offers: readonly Offer[]): Totals {
    const sum = noTotals();
    for (const name of new Set(offers.map((offer) => offer.name))) {
      for (const bucket of this.#windows.get(name)?.window.buckets() ?? []) addTotals(sum, bucket);
      const others = this.#others.get(name);
      if (others) addTotals(sum, others);
    }
    return sum;
  }

  /** Publishes what has changed in this process and reads what the others have published. Never rejects. */
  share(): Promise<void> {
    this.#sharing ??= this.#share().finally(() => (this.#sharing = undefined));
    return this.#sharing;
  }

  async #share(): Promise<void> {
    const changed = this.#takeChanged();
    try {
      if (changed.length > 0) await this.store.publish(this.#nodeId, changed);
      const totals = await this.store.totals(this.#nodeId);
      this.#others = new Map(totals.map((one) => [`${one.provider}/${one.model}`, one]));
    } catch (error) {
      for (const { bucket } of changed) bucket.changed = true;
      this.#logger.warn(`Performance figures could not be shared, and will be tried again: ${messageOf(error)}`);
    }
  }

  /**
   * Collects the buckets that have changed. One that changes again while it is written is written again later. Windows
   * without traffic are deleted.
   */
  #takeChanged(): (OfferBucket & { bucket: { changed: boolean } })[] {
    const changed = [];
    for (const [name, { provider, model, window }] of this.#windows) {
      const buckets = [...window.buckets()];
      if (buckets.length === 0) this.#windows.delete(name);
      for (const bucket of buckets) {
        if (!bucket.changed) continue;
        bucket.changed = false;
        changed.push({ provider, model, bucket });
      }
    }
    return changed;
  }
}

import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock, type Timer } from '../common/time/clock.js';
import { messageOf } from '../common/message-of.js';
import { MAX_ATTEMPTS, waitAfter } from './backoff.js';
import { BalanceMails, GONE } from './balance-mails.js';
import { type Delivery, DeliveryStore, type Ending } from './delivery-store.js';
import { LowBalances } from './low-balances.js';
import type { MadeWebhookEndpoint, WebhookEndpoint } from './webhook-endpoint.js';
import { WebhookEndpointStore } from './webhook-endpoint-store.js';
import { WebhookEndpoints } from './webhook-endpoints.js';
import { WebhookFigures } from './webhook-figures.js';
import { WebhookSender } from './webhook-sender.js';

/** Milliseconds between two looks for messages that are due, while there is an endpoint. */
const LOOK_MS = 1_000;
const SWEEP_MS = 600_000;
/** Milliseconds between two countings of what waits, for the metrics. */
const COUNT_MS = 10_000;

/** Messages that a process sends at the same time: in all, and to one endpoint, so that a slow one holds up itself. */
const MAX_SENDING = 64;
const MAX_SENDING_TO_ONE = 4;

/**
 * Delivers the messages in the store. Every gateway process does, each what it has claimed. Where there is no endpoint,
 * nothing is looked for.
 */
@Injectable()
export class WebhookWorker implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger('Webhooks');
  readonly #closing = new AbortController();
  /** What is being sent, by its endpoint. */
  readonly #sending = new Map<string, Set<Promise<void>>>();
  #running: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #sweptAt = -Infinity;
  #countedAt = -Infinity;
  /** The store did not answer the last look. */
  #failing = false;

  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly store: WebhookEndpointStore,
    private readonly deliveries: DeliveryStore,
    private readonly sender: WebhookSender,
    private readonly mails: BalanceMails,
    private readonly balances: LowBalances,
    private readonly figures: WebhookFigures,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.endpoints.follow(async () => {
      await this.balances.catchUp();
      if (this.endpoints.none) this.figures.waiting = { count: 0, oldestMs: 0 };
      else this.#timer ??= this.clock.setTimeout(() => this.#look(), 0).unref();
    });
  }

  /** What is under way is given up and made again by the next process, or another one. */
  async onModuleDestroy(): Promise<void> {
    this.#closing.abort();
    this.clock.clear(this.#timer);
    await this.#running;
    await Promise.all(Array.from(this.#sending.values(), (ofOne) => Promise.all(ofOne)));
  }

  #look(): void {
    this.#running = this.#deliver();
  }

  /** Begins to send what is due, now and later. Never rejects. */
  async #deliver(): Promise<void> {
    try {
      if (this.clock.monotonic() - this.#sweptAt > SWEEP_MS) {
        this.figures.deliveries.dropped += await this.deliveries.sweep();
        this.#sweptAt = this.clock.monotonic();
      }
      if (this.clock.monotonic() - this.#countedAt > COUNT_MS) {
        this.figures.waiting = await this.deliveries.waiting();
        this.#countedAt = this.clock.monotonic();
      }
      // In no particular order, so that many slow endpoints keep no other from its turn for long.
      const due = (await this.deliveries.due()).map((id) => ({ id, rank: Math.random() })).sort((a, b) => a.rank - b.rank);
      for (const { id } of due) await this.#deliverTo(id);
      this.#failing = false;
    } catch (error) {
      if (!this.#failing && !this.#closing.signal.aborted) this.#logger.warn(`Messages cannot be looked for: ${messageOf(error)}`);
      this.#failing = true;
    }
    this.#timer = undefined;
    if (!this.#closing.signal.aborted && !this.endpoints.none) this.#timer = this.clock.setTimeout(() => this.#look(), LOOK_MS).unref();
  }

  async #deliverTo(endpointId: string): Promise<void> {
    const known = this.endpoints.find(endpointId);
    const sending = this.#sending.get(endpointId)?.size ?? 0;
    const all = this.#sending.values().reduce((sum, { size }) => sum + size, 0);
    const places = Math.min(MAX_SENDING_TO_ONE - sending, MAX_SENDING - all);
    if (!known || places <= 0 || this.#closing.signal.aborted) return;
    for (const delivery of await this.deliveries.claim(endpointId, places)) this.#begin(known, delivery);
  }

  #begin(to: MadeWebhookEndpoint, delivery: Delivery): void {
    let ofOne = this.#sending.get(delivery.endpointId);
    if (!ofOne) this.#sending.set(delivery.endpointId, (ofOne = new Set()));
    const sent = this.#send(to, delivery)
      .catch((error: unknown) => this.#logger.warn(`The end of a message to ${delivery.endpointId} was not stored: ${messageOf(error)}`))
      .finally(() => {
        ofOne.delete(sent);
        if (ofOne.size === 0) this.#sending.delete(delivery.endpointId);
      });
    ofOne.add(sent);
  }

  /** Never rejects where a webhook or a mail server is to blame. */
  async #attempt(to: MadeWebhookEndpoint, delivery: Delivery): Promise<Ending> {
    // Gateways have died with each attempt.
    if (delivery.attempt > MAX_ATTEMPTS) return { error: 'no attempt was seen to end' };
    if (to.endpoint.personId !== undefined) return this.#unlessClosed(this.mails.send(to.endpoint, delivery));
    return this.sender.send(to, delivery, this.#closing.signal).then(
      ({ status }) => ({ status }),
      (error: unknown) => ({ error: messageOf(error) }),
    );
  }

  /** Waits no longer than the process lives. */
  #unlessClosed(sent: Promise<Ending>): Promise<Ending> {
    const { signal } = this.#closing;
    const { promise, resolve } = Promise.withResolvers<Ending>();
    const close = () => resolve({ error: 'the gateway has ended' });
    signal.addEventListener('abort', close, { once: true });
    return Promise.race([sent, promise]).finally(() => signal.removeEventListener('abort', close));
  }

  async #send(to: MadeWebhookEndpoint, delivery: Delivery): Promise<void> {
    const byMail = to.endpoint.personId !== undefined;
    const { status, error } = await this.#attempt(to, delivery);
    // A message that was under way to the mail server may have been taken: the claim runs out, and the attempt counts.
    if (status === undefined && this.#closing.signal.aborted) return byMail ? undefined : this.deliveries.release(delivery);
    if (status !== undefined && status >= 200 && status <= 299) {
      this.figures.deliveries.delivered++;
      return this.deliveries.delivered(delivery, status);
    }
    const wait = waitAfter(delivery.attempt);
    await this.deliveries.failed(delivery, { status, error }, wait);
    const ended = status === GONE && (await this.#ended(to.endpoint));
    this.figures.deliveries[ended || wait === undefined ? 'given_up' : 'failed']++;
    if (wait === undefined && !ended)
      this.#logger.warn(`A message to the webhook ${delivery.endpointId} was given up after ${delivery.attempt} attempts`);
  }

  /** Ends what says that it is gone, with all that waits, unless it was changed since: it may be somewhere else now. */
  async #ended({ id, personId, version }: WebhookEndpoint): Promise<boolean> {
    if (personId !== undefined) return (await this.store.remove(id)) !== undefined;
    const disabled = await this.store.change(id, { enabled: false }, { ifVersion: version });
    if (disabled) this.#logger.warn(`The webhook ${id} is gone (status ${GONE}) and is disabled`);
    return disabled !== undefined;
  }
}

import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { EventType } from '../database/outbox.js';
import type { MadeWebhookEndpoint } from './webhook-endpoint.js';
import { WebhookEndpointStore } from './webhook-endpoint-store.js';

/** The endpoints that are told of events, in memory: where there is none, nothing is asked of the store. */
@Injectable()
export class WebhookEndpoints {
  #known: ReadonlyMap<string, MadeWebhookEndpoint> = new Map();
  /** Accounts of which some balances are called low; undefined stands for all. */
  #watched: ReadonlySet<string | undefined> = new Set();

  constructor(
    private readonly database: Database,
    private readonly store: WebhookEndpointStore,
  ) {}

  /** Calls `changed` now and after every change. */
  follow(changed: () => Promise<void>): Promise<void> {
    return this.database.follow('webhook', async () => {
      const active = await this.store.active();
      this.#known = new Map(active.map((one) => [one.endpoint.id, one]));
      const watchers = active.filter(({ endpoint }) => endpoint.lowBalanceBelow !== undefined);
      this.#watched = new Set(watchers.map(({ endpoint }) => endpoint.accountId));
      await changed();
    });
  }

  get none(): boolean {
    return this.#known.size === 0;
  }

  find(id: string): MadeWebhookEndpoint | undefined {
    return this.#known.get(id);
  }

  /** Whether some endpoint calls some balances of the account low. */
  watchesBalancesOf(accountId: string): boolean {
    return this.#watched.has(accountId) || this.#watched.has(undefined);
  }

  wants(...types: readonly EventType[]): boolean {
    for (const { endpoint } of this.#known.values()) if (types.some((type) => endpoint.events.includes(type))) return true;
    return false;
  }
}

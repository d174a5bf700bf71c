import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Selectable, Transaction } from 'kysely';
import { randomBase62 } from '../auth/base62.js';
import { DerivedSecrets } from '../auth/derived-secrets.js';
import { seal, unseal } from '../auth/sealed-text.js';
import { MAX_NANO } from '../common/credits.js';
import { ConfigService } from '../config/config.service.js';
import { type Beside, Database } from '../database/database.js';
import { type EventType, eventTypes } from '../database/outbox.js';
import { afterCursor, type Page, pageOf, type PageQuery, rowsToRead, timeCursor } from '../database/pages.js';
import type { Schema } from '../database/schema.js';
import { unlessTaken } from '../database/store-error.js';
import type { WebhookEndpointTable } from '../database/webhook-tables.js';
import { watchBalancesFor } from './low-balance-statements.js';
import { reachableUrl } from './reachable-address.js';
import { SECRET_PREFIX } from './webhook-signature.js';

/** An address that is told of events. Times are milliseconds since 1970. */
export interface WebhookEndpoint {
  readonly id: string;
  /** The account of whose events it is told; absent: an operator's, which is told of everything. */
  readonly accountId?: string | undefined;
  readonly url: string;
  readonly events: readonly EventType[];
  /** A balance that falls below this is low; nano-credits. */
  readonly lowBalanceBelow?: bigint | undefined;
  readonly createdAt: number;
  readonly disabledAt?: number | undefined;
  /** When a message was last given up, with none delivered since. */
  readonly failingSince?: number | undefined;
  /** Grows with each change. */
  readonly version: bigint;
}

export interface NewWebhookEndpoint {
  /** Made by whoever asks, so that a repetition makes nothing new; absent: made here. */
  readonly id?: string | undefined;
  readonly accountId?: string | undefined;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly lowBalanceBelow?: bigint | undefined;
}

/** An endpoint with its secret, which is shown once, when it is made. */
export interface MadeWebhookEndpoint {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

/** Endpoints of one account, or of the operators. */
export const MAX_ENDPOINTS = 20;

/** Makes, lists and removes the endpoints in the store. Changes are in force at every gateway within a second. */
@Injectable()
export class WebhookEndpointStore {
  constructor(
    private readonly database: Database,
    private readonly secrets: DerivedSecrets,
    private readonly config: ConfigService,
  ) {}

  /**
   * @throws RangeError where the address or the events are wrong, or there are too many endpoints; TakenError for the
   * id
   */
  async create(
    { id = `whk_${randomBase62(16)}`, accountId, url, events, lowBalanceBelow }: NewWebhookEndpoint,
    beside?: Beside,
  ): Promise<MadeWebhookEndpoint> {
    requireEvents(events, accountId, lowBalanceBelow);
    const { href } = reachableUrl(url, this.config.current.webhooks);
    const secret = SECRET_PREFIX + randomBytes(32).toString('base64');
    const values = {
      id,
      account_id: accountId ?? null,
      url: href,
      events: JSON.stringify([...new Set(events)]),
      secret: seal(secret, this.#key(), id),
      low_balance_below: lowBalanceBelow,
      created_at: Date.now(),
    };
    const row = await unlessTaken(`there already is a webhook '${id}'`, () =>
      this.database.change('webhook', async (trx, version) => {
        await requireRoom(trx, accountId);
        const made = await trx
          .insertInto('webhook_endpoint')
          .values({ ...values, version })
          .returningAll()
          .executeTakeFirstOrThrow();
        if (lowBalanceBelow !== undefined) await watchBalancesFor(this.database, { endpointId: id }).execute(trx);
        await beside?.(trx, id);
        return made;
      }),
    );
    return { endpoint: toEndpoint(row), secret };
  }

  /** @returns undefined when there is no such endpoint */
  async find(id: string): Promise<WebhookEndpoint | undefined> {
    const row = await this.#row(id);
    return row && toEndpoint(row);
  }

  /** An endpoint with what signs its messages, for sending. */
  async open(id: string): Promise<MadeWebhookEndpoint | undefined> {
    const row = await this.#row(id);
    return row && this.#open(row);
  }

  /** Lists endpoints, oldest first: those of one account, of the operators (null), or all of them. */
  async list(accountId?: string | null): Promise<WebhookEndpoint[]> {
    return (await this.#of(accountId).execute()).map(toEndpoint);
  }

  /**
   * Endpoints of one account, or of the operators (null), oldest first.
   * @throws RangeError where `after` is no cursor
   */
  async page(accountId: string | null, query: PageQuery): Promise<Page<WebhookEndpoint>> {
    const rows = await this.#of(accountId).where(afterCursor('webhook_endpoint', query.after)).limit(rowsToRead(query)).execute();
    return pageOf(rows, query, timeCursor, toEndpoint);
  }

  /** The endpoints that are told of events, with their secrets. */
  async active(): Promise<MadeWebhookEndpoint[]> {
    const rows = await this.database.db.selectFrom('webhook_endpoint').selectAll().where('disabled_at', 'is', null).execute();
    return rows.map((row) => this.#open(row));
  }

  /**
   * Ends an endpoint with the messages that it has not got, for good.
   * @returns what it was; undefined when there is no such endpoint
   */
  async remove(id: string, beside?: Beside): Promise<WebhookEndpoint | undefined> {
    const row = await this.database.change('webhook', async (trx) => {
      const removed = await trx.deleteFrom('webhook_endpoint').where('id', '=', id).returningAll().executeTakeFirst();
      await trx.deleteFrom('webhook_delivery').where('endpoint_id', '=', id).execute();
      await trx.deleteFrom('low_balance_watch').where('endpoint_id', '=', id).execute();
      if (removed) await beside?.(trx, id);
      return removed;
    });
    return row && toEndpoint(row);
  }

  /** Sends an endpoint nothing any more, because it has said that it is gone. */
  async disable(id: string): Promise<void> {
    await this.database.change('webhook', async (trx, version) => {
      await trx.updateTable('webhook_endpoint').set({ disabled_at: Date.now(), version }).where('id', '=', id).execute();
      const over = { next_at: null, last_error: 'the endpoint is disabled' };
      await trx.updateTable('webhook_delivery').set(over).where('endpoint_id', '=', id).where('next_at', 'is not', null).execute();
    });
  }

  #of(accountId: string | null | undefined) {
    const query = this.database.db.selectFrom('webhook_endpoint').selectAll().orderBy('created_at').orderBy('id');
    if (accountId === undefined) return query;
    return query.where('account_id', accountId === null ? 'is' : '=', accountId);
  }

  #open(row: Selectable<WebhookEndpointTable>): MadeWebhookEndpoint {
    return { endpoint: toEndpoint(row), secret: unseal(row.secret, this.#key(), row.id) };
  }

  #key(): Buffer {
    return this.secrets.derive('webhook secret');
  }

  #row(id: string): Promise<Selectable<WebhookEndpointTable> | undefined> {
    return this.database.db.selectFrom('webhook_endpoint').selectAll().where('id', '=', id).executeTakeFirst();
  }
}

/** Nobody else makes endpoints meanwhile: the transaction has locked the counter. */
async function requireRoom(trx: Transaction<Schema>, accountId: string | undefined): Promise<void> {
  const { count } = await trx
    .selectFrom('webhook_endpoint')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('account_id', accountId === undefined ? 'is' : '=', accountId ?? null)
    .executeTakeFirstOrThrow();
  if (count >= MAX_ENDPOINTS) throw new RangeError(`there are ${MAX_ENDPOINTS} webhooks already`);
}

function requireEvents(events: readonly EventType[], accountId: string | undefined, lowBalanceBelow: bigint | undefined): void {
  const unknown = events.find((event) => !eventTypes.includes(event));
  if (unknown !== undefined) throw new RangeError(`there is no event ${unknown}: there are ${eventTypes.join(', ')}`);
  if (events.length === 0) throw new RangeError(`a webhook is told of at least one of ${eventTypes.join(', ')}`);
  if (accountId !== undefined && events.some((event) => event.startsWith('provider.')))
    throw new RangeError('only operators are told of providers');
  if (events.includes('balance.low') !== (lowBalanceBelow !== undefined))
    throw new RangeError('balance.low goes with the balance that is called low');
  if (lowBalanceBelow !== undefined && (lowBalanceBelow <= 0n || lowBalanceBelow > MAX_NANO))
    throw new RangeError('a balance that is called low is more than 0 credits');
}

function toEndpoint(row: Selectable<WebhookEndpointTable>): WebhookEndpoint {
  return {
    id: row.id,
    accountId: row.account_id ?? undefined,
    url: row.url,
    events: JSON.parse(row.events) as EventType[],
    lowBalanceBelow: row.low_balance_below ?? undefined,
    createdAt: Number(row.created_at),
    disabledAt: row.disabled_at === null ? undefined : Number(row.disabled_at),
    failingSince: row.failing_since === null ? undefined : Number(row.failing_since),
    version: row.version,
  };
}

import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Kysely, Selectable, Transaction, Updateable } from 'kysely';
import { randomBase62 } from '../auth/base62.js';
import { DerivedSecrets } from '../auth/derived-secrets.js';
import { seal, unseal } from '../auth/sealed-text.js';
import { ConfigService } from '../config/config.service.js';
import { type Beside, type ChangeOptions, Database } from '../database/database.js';
import type { EventType } from '../database/outbox.js';
import { afterCursor, hasVersion, type Page, pageOf, type PageQuery, rowsToRead, timeCursor } from '../database/pages.js';
import type { Schema } from '../database/schema.js';
import { unlessTaken } from '../database/store-error.js';
import type { WebhookEndpointTable } from '../database/webhook-tables.js';
import { watchBalancesFor } from './low-balance-statements.js';
import { reachableUrl } from './reachable-address.js';
import {
  type MadeWebhookEndpoint,
  type NewWebhookEndpoint,
  requireEvents,
  toEndpoint,
  type WebhookEndpoint,
  type WebhookEndpointChange,
} from './webhook-endpoint.js';
import { SECRET_PREFIX } from './webhook-signature.js';

/** Endpoints of one account, or of the operators. */
const MAX_ENDPOINTS = 20;

/** Milliseconds for which two secrets sign, at most. */
export const MAX_SECRET_GRACE_MS = 7 * 86_400_000;

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
    { id = `whk_${randomBase62(16)}`, accountId, url, events, lowBalanceBelow, description = '' }: NewWebhookEndpoint,
    beside?: Beside,
  ): Promise<MadeWebhookEndpoint> {
    requireEvents(events, accountId, lowBalanceBelow);
    const secret = newSecret();
    const values = {
      id,
      account_id: accountId ?? null,
      url: this.urlOf(url),
      events: JSON.stringify([...new Set(events)]),
      secret: seal(secret, this.#key(), id),
      low_balance_below: lowBalanceBelow,
      description,
      created_at: this.database.now(),
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
   * @returns what it was; undefined when there is no such endpoint, or not in this version
   */
  async remove(id: string, options?: ChangeOptions): Promise<WebhookEndpoint | undefined> {
    const row = await removeEndpoint(this.database, id, options);
    return row && toEndpoint(row);
  }

  /**
   * Changes what is given. Balances that are low by then are not told of, whatever they were before.
   * @returns undefined when there is no such endpoint, or not in this version
   * @throws RangeError as create
   */
  change(id: string, change: WebhookEndpointChange, options?: ChangeOptions): Promise<WebhookEndpoint | undefined> {
    return this.#update(id, options, async (trx, before) => {
      const { url, events = JSON.parse(before.events) as EventType[], description, enabled } = change;
      const lowBalanceBelow = change.lowBalanceBelow === undefined ? before.low_balance_below : change.lowBalanceBelow;
      requireEvents(events, before.account_id ?? undefined, lowBalanceBelow ?? undefined);
      if (enabled === false) await endWaiting(trx, id);
      return {
        ...(url !== undefined && { url: this.urlOf(url), failing_since: null }),
        events: JSON.stringify([...new Set(events)]),
        low_balance_below: lowBalanceBelow,
        ...(description !== undefined && { description }),
        ...(enabled === true && { disabled_at: null, failing_since: null }),
        ...(enabled === false && { disabled_at: before.disabled_at ?? this.database.now() }),
      };
    });
  }

  /**
   * Makes a new secret, beside which the one of before signs for `grace` milliseconds; one that was older signs no more.
   * @returns undefined when there is no such endpoint, or not in this version
   */
  async rotate(id: string, grace: number, options?: ChangeOptions): Promise<MadeWebhookEndpoint | undefined> {
    const secret = newSecret();
    const rotated = await this.#update(id, options, async (_trx, before) => ({
      secret: seal(secret, this.#key(), id),
      old_secret: grace > 0 ? before.secret : null,
      old_secret_until: grace > 0 ? this.database.now() + grace : null,
    }));
    return rotated && { endpoint: rotated, secret };
  }

  /**
   * The address as it is stored.
   * @throws RangeError where no message may go there
   */
  urlOf(url: string): string {
    return reachableUrl(url, this.config.current.webhooks).href;
  }

  /** Nobody else changes an endpoint meanwhile: the transaction has locked the counter. */
  async #update(
    id: string,
    { ifVersion, beside }: ChangeOptions = {},
    change: (
      trx: Transaction<Schema>,
      before: Selectable<WebhookEndpointTable>,
    ) => Promise<Omit<Updateable<WebhookEndpointTable>, 'id' | 'version'>>,
  ): Promise<WebhookEndpoint | undefined> {
    const row = await this.database.change('webhook', async (trx, version) => {
      const before = await webhooksIn(trx).where('id', '=', id).executeTakeFirst();
      if (!before || (ifVersion !== undefined && before.version !== ifVersion)) return undefined;
      const set = await change(trx, before);
      const update = trx
        .updateTable('webhook_endpoint')
        .set({ ...set, version })
        .where('id', '=', id);
      const now = await update.returningAll().executeTakeFirstOrThrow();
      if (now.disabled_at !== before.disabled_at || now.low_balance_below !== before.low_balance_below) await this.#watchAnew(trx, id);
      await beside?.(trx, id);
      return now;
    });
    return row && toEndpoint(row);
  }

  async #watchAnew(trx: Transaction<Schema>, endpointId: string): Promise<void> {
    await trx.deleteFrom('low_balance_watch').where('endpoint_id', '=', endpointId).execute();
    await watchBalancesFor(this.database, { endpointId }).execute(trx);
  }

  #of(accountId: string | null | undefined) {
    const query = webhooksIn(this.database.db).orderBy('created_at').orderBy('id');
    if (accountId === undefined) return query;
    return query.where('account_id', accountId === null ? 'is' : '=', accountId);
  }

  #open(row: Selectable<WebhookEndpointTable>): MadeWebhookEndpoint {
    const { id, secret, old_secret } = row;
    const oldSecret = old_secret === null ? undefined : unseal(old_secret, this.#key(), id);
    return { endpoint: toEndpoint(row), secret: unseal(secret, this.#key(), id), oldSecret };
  }

  #key(): Buffer {
    return keyOf(this.secrets);
  }

  #row(id: string): Promise<Selectable<WebhookEndpointTable> | undefined> {
    return webhooksIn(this.database.db).where('id', '=', id).executeTakeFirst();
  }
}

/** Those that are no people's. */
function webhooksIn(db: Kysely<Schema>) {
  return db.selectFrom('webhook_endpoint').selectAll().where('person_id', 'is', null);
}

/** Removes an endpoint, a person's too, with the messages that it has not got. */
export function removeEndpoint(
  database: Database,
  id: string,
  { ifVersion, beside }: ChangeOptions = {},
): Promise<Selectable<WebhookEndpointTable> | undefined> {
  return database.change('webhook', async (trx) => {
    const removal = trx.deleteFrom('webhook_endpoint').where('id', '=', id).where(hasVersion(ifVersion));
    const removed = await removal.returningAll().executeTakeFirst();
    if (!removed) return undefined;
    await trx.deleteFrom('webhook_delivery').where('endpoint_id', '=', id).execute();
    await trx.deleteFrom('low_balance_watch').where('endpoint_id', '=', id).execute();
    await beside?.(trx, id);
    return removed;
  });
}

/** A secret of its own for an endpoint, as the store has it. */
export function sealedSecret(secrets: DerivedSecrets, id: string): Uint8Array {
  return seal(newSecret(), keyOf(secrets), id);
}

function keyOf(secrets: DerivedSecrets): Buffer {
  return secrets.derive('webhook secret');
}

function newSecret(): string {
  return SECRET_PREFIX + randomBytes(32).toString('base64');
}

async function endWaiting(trx: Transaction<Schema>, endpointId: string): Promise<void> {
  const over = { next_at: null, last_error: 'the endpoint is disabled' };
  await trx.updateTable('webhook_delivery').set(over).where('endpoint_id', '=', endpointId).where('next_at', 'is not', null).execute();
}

/** Nobody else makes endpoints meanwhile: the transaction has locked the counter. */
async function requireRoom(trx: Transaction<Schema>, accountId: string | undefined): Promise<void> {
  const { count } = await trx
    .selectFrom('webhook_endpoint')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('person_id', 'is', null)
    .where('account_id', accountId === undefined ? 'is' : '=', accountId ?? null)
    .executeTakeFirstOrThrow();
  if (count >= MAX_ENDPOINTS) throw new RangeError(`there are ${MAX_ENDPOINTS} webhooks already`);
}

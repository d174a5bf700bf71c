import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Price, samePrice } from '../common/prices/credits.js';
import { componentsFromText } from '../common/prices/price-components.js';
import { Database } from '../database/database.js';
import { afterCursor, type Page, pageOf, type PageQuery, rowsToRead, timeCursor } from '../database/pages.js';
import { MAX_ROWS } from './rows-per-statement.js';

/** The price of a model at one provider. */
export interface OfferPrice extends Price {
  readonly provider: string;
  readonly model: string;
}

/** A price as the store has it. */
export interface StoredPrice extends OfferPrice {
  readonly id: string;
  /** When it came into force, in milliseconds since 1970 by the store's clock. */
  readonly validFrom: number;
}

const TOPIC = 'price';

/**
 * Stores every price that was ever in force at the gateways of this store. Rows are only added, and the newest row of
 * an offer is in force.
 */
@Injectable()
export class PriceStore {
  constructor(private readonly database: Database) {}

  /** Reads the prices in force, one for each offer. */
  async current(): Promise<StoredPrice[]> {
    return this.#current(this.database.db);
  }

  async withId(id: string): Promise<StoredPrice | undefined> {
    const row = await this.database.db.selectFrom('price').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toPrice(row);
  }

  /**
   * Reads the prices that a model has had, newest first.
   * @throws RangeError where `after` is no cursor
   */
  async history(model: string, query: PageQuery): Promise<Page<StoredPrice>> {
    const rows = await this.database.db
      .selectFrom('price')
      .selectAll()
      .where('model', '=', model)
      .where(afterCursor('price', query.after, true, 'valid_from'))
      .orderBy('valid_from', 'desc')
      .orderBy('id', 'desc')
      .limit(rowsToRead(query))
      .execute();
    return pageOf(rows, query, ({ id, valid_from }) => timeCursor({ id, created_at: valid_from }), toPrice);
  }

  /**
   * Brings the prices into force from now on, where they are not already. Processes that do so at the same time wait
   * for each other.
   * @returns how many have changed
   */
  async add(prices: readonly OfferPrice[]): Promise<number> {
    return this.database.transaction(async (trx) => {
      const lock = trx.selectFrom('counter').select('value').where('name', '=', TOPIC);
      await this.database.forUpdate(lock).executeTakeFirstOrThrow();
      const inForce = new Map((await this.#current(trx)).map((price) => [offerKey(price), price]));
      const { now } = await trx.selectNoFrom(this.database.clock().as('now')).executeTakeFirstOrThrow();
      const rows = prices.flatMap((price) => {
        const before = inForce.get(offerKey(price));
        if (before && samePrice(before, price)) return [];
        const { provider, model, prompt, completion, components } = price;
        const valid_from = Math.max(Number(now), (before?.validFrom ?? 0) + 1);
        return [{ id: randomUUIDv7(), provider, model, prompt, completion, components: components?.text ?? null, valid_from }];
      });
      if (rows.length === 0) return 0;
      for (let from = 0; from < rows.length; from += MAX_ROWS)
        await trx
          .insertInto('price')
          .values(rows.slice(from, from + MAX_ROWS))
          .execute();
      await this.database.raise(TOPIC).execute(trx);
      return rows.length;
    });
  }

  async #current(db: Database['db']): Promise<StoredPrice[]> {
    const rows = await db
      .selectFrom('price')
      .selectAll()
      .where('valid_from', '=', (price) =>
        price
          .selectFrom('price as newer')
          .select(({ fn }) => fn.max('newer.valid_from').as('valid_from'))
          .whereRef('newer.model', '=', 'price.model')
          .whereRef('newer.provider', '=', 'price.provider'),
      )
      .execute();
    return rows.map(toPrice);
  }
}

/** A text that is different for each model at each provider. */
export function offerKey({ provider, model }: Pick<OfferPrice, 'provider' | 'model'>): string {
  return `${provider} ${model}`;
}

interface PriceRow extends Omit<StoredPrice, 'components' | 'validFrom'> {
  readonly components: string | null;
  readonly valid_from: bigint;
}

function toPrice({ valid_from, components: text, ...row }: PriceRow): StoredPrice {
  const components = text === null ? undefined : componentsFromText(text);
  return { ...row, ...(components && { components }), validFrom: Number(valid_from) };
}

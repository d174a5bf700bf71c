import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { Price } from '../common/credits.js';
import { Database } from '../database/database.js';

/** An offer's price. */
export interface OfferPrice extends Price {
  readonly provider: string;
  readonly model: string;
}

/** As the store has it. */
export interface StoredPrice extends OfferPrice {
  readonly id: string;
  /** Milliseconds since 1970, by the store's clock. */
  readonly validFrom: number;
}

const TOPIC = 'price';

/** Rows in one statement: SQLite takes 32,766 variables. */
const MAX_ROWS = 1_000;

/** Every price that was ever in force at the gateways of this store. Rows are only added; the newest of an offer is in force. */
@Injectable()
export class PriceStore {
  constructor(private readonly database: Database) {}

  /** In force: one an offer. */
  async current(): Promise<StoredPrice[]> {
    return this.#current(this.database.db);
  }

  /** The prices of a model, newest first. */
  async history(model: string, limit: number): Promise<StoredPrice[]> {
    const rows = await this.database.db
      .selectFrom('price')
      .selectAll()
      .where('model', '=', model)
      .orderBy('valid_from', 'desc')
      .orderBy('provider')
      .limit(limit)
      .execute();
    return rows.map(toPrice);
  }

  /** Adds those that are not in force already, from now on; answers how many. Processes that do so at the same time wait for each other. */
  async add(prices: readonly OfferPrice[]): Promise<number> {
    return this.database.transaction(async (trx) => {
      const lock = trx.selectFrom('counter').select('value').where('name', '=', TOPIC);
      await this.database.forUpdate(lock).executeTakeFirstOrThrow();
      const inForce = new Map((await this.#current(trx)).map((price) => [nameOf(price), price]));
      const { now } = await trx.selectNoFrom(this.database.clock().as('now')).executeTakeFirstOrThrow();
      const rows = prices.flatMap((price) => {
        const before = inForce.get(nameOf(price));
        if (before && samePrice(before, price)) return [];
        const { provider, model, prompt, completion } = price;
        const valid_from = Math.max(Number(now), (before?.validFrom ?? 0) + 1);
        return [{ id: uuidv7(), provider, model, prompt, completion, valid_from }];
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

export function nameOf({ provider, model }: Pick<OfferPrice, 'provider' | 'model'>): string {
  return `${provider} ${model}`;
}

export function samePrice(a: Price, b: Price): boolean {
  return a.prompt === b.prompt && a.completion === b.completion;
}

function toPrice({ valid_from, ...row }: Omit<StoredPrice, 'validFrom'> & { valid_from: bigint }): StoredPrice {
  return { ...row, validFrom: Number(valid_from) };
}

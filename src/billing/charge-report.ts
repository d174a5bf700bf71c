import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { charge, type Price } from '../common/prices/credits.js';
import { type Adjustment, type ChargeLine, linesOf, type Parts, savedByCache, sumOfLines } from '../common/prices/charge-lines.js';
import { Database } from '../database/database.js';
import { type PriceColumns, priceOfRow } from './price-of-row.js';
import { usageConditions, type UsageQuery } from './usage-report.js';

/** What charges come to, component by component. */
export interface ChargeSums {
  /** By name, tier and price. */
  readonly lines: readonly ChargeLine[];
  /** What makes them come to what was charged. */
  readonly adjustments: readonly Adjustment[];
  /** What reading from caches has saved, in thousandths of a nano-credit. */
  readonly saved: bigint;
}

/** Usage rows that are read at once. */
const PAGE = 1_000;

/** Explains what was charged by counts and prices, out of the usage rows. */
@Injectable()
export class ChargeReport {
  constructor(private readonly database: Database) {}

  async sum(query: Omit<UsageQuery, 'by'>): Promise<ChargeSums> {
    const parts = await this.#parts(query);
    const lines: ChargeLine[] = [];
    let [saved, charged, uncollected] = [0n, 0n, 0n];
    for (const row of await this.#totals(query)) {
      charged += (row.amount ?? 0n) * 1000n;
      uncollected -= (row.uncollected ?? 0n) * 1000n;
      const price = priceOfRow(row);
      const own = linesOf(price, row.prompt_tokens ?? 0n, row.completion_tokens ?? 0n, parts.get(keyOf(row)));
      saved += savedByCache(price, own);
      for (const line of own) add(lines, line);
    }
    const beyondHold = await this.#beyondHold(query);
    const rounding = charged - uncollected - beyondHold - sumOfLines(lines);
    const adjustments: Adjustment[] = [
      { name: 'rounding', amount: rounding },
      { name: 'beyond the hold', amount: beyondHold },
      { name: 'uncollected', amount: uncollected },
    ];
    return { lines: lines.toSorted(byName), adjustments: adjustments.filter(({ amount }) => amount !== 0n), saved };
  }

  /**
   * What the gateway has counted beyond holds and not charged, in thousandths of a nano-credit, below 0. Read page by
   * page, because each of these charges was rounded by itself.
   */
  async #beyondHold(query: Omit<UsageQuery, 'by'>): Promise<bigint> {
    const prices = new Map<string, Price>();
    let beyond = 0n;
    for (let after = ''; ;) {
      const cut = await this.database.db
        .selectFrom('usage')
        .select([
          'request_id',
          'prompt_tokens',
          'completion_tokens',
          'parts',
          'price_prompt',
          'price_completion',
          'price_components',
          'hold',
        ])
        .where((usage) => usage.and([...usageConditions(usage, query), CHARGED, usage('estimated', '=', 1n)]))
        .where(sql<boolean>`usage.amount + usage.uncollected = usage.hold`)
        .where('request_id', '>', after)
        .orderBy('request_id')
        .limit(PAGE)
        .execute();
      for (const row of cut) {
        const key = keyOf(row);
        let price = prices.get(key);
        if (!price) prices.set(key, (price = priceOfRow(row)));
        const parts = row.parts === null ? undefined : (JSON.parse(row.parts) as Parts);
        beyond += (row.hold - charge(price, row.prompt_tokens, row.completion_tokens, parts)) * 1000n;
      }
      if (cut.length < PAGE) return beyond;
      after = cut.at(-1)!.request_id;
    }
  }

  #totals(query: Omit<UsageQuery, 'by'>) {
    return this.database.db
      .selectFrom('usage')
      .select(['price_prompt', 'price_completion', 'price_components'])
      .select(({ fn }) => [
        fn.sum<bigint | null>('prompt_tokens').as('prompt_tokens'),
        fn.sum<bigint | null>('completion_tokens').as('completion_tokens'),
        fn.sum<bigint | null>('amount').as('amount'),
        fn.sum<bigint | null>('uncollected').as('uncollected'),
      ])
      .where((usage) => usage.and([...usageConditions(usage, query), CHARGED]))
      .groupBy(['price_prompt', 'price_completion', 'price_components'])
      .execute();
  }

  /** The sum of each part, by the price that it was charged at. */
  async #parts(query: Omit<UsageQuery, 'by'>): Promise<Map<string, Parts>> {
    const each = this.database.engine === 'sqlite' ? sql`json_each(usage.parts)` : sql`json_each_text(cast(usage.parts as json))`;
    const counts = this.database.db
      .selectFrom('usage')
      .innerJoin(each.as<'part'>(sql.ref('part')), (join) => join.onTrue())
      .select(['price_prompt', 'price_completion', 'price_components'])
      .select([sql<string>`part.key`.as('name'), sql<bigint>`sum(cast(part.value as bigint))`.as('count')])
      .where((usage) => usage.and([...usageConditions(usage, query), CHARGED, usage('usage.parts', 'is not', null)]))
      .groupBy(['price_prompt', 'price_completion', 'price_components', sql`part.key`]);
    const parts = new Map<string, Record<string, number>>();
    for (const row of await counts.execute()) {
      const key = keyOf(row);
      const own = parts.get(key) ?? {};
      own[row.name] = Number(row.count);
      parts.set(key, own);
    }
    return parts;
  }
}

const CHARGED = sql<boolean>`usage.amount + usage.uncollected > 0`;

function keyOf({ price_prompt, price_completion, price_components }: PriceColumns): string {
  return `${price_prompt} ${price_completion} ${price_components ?? ''}`;
}

function add(lines: ChargeLine[], line: ChargeLine): void {
  const same = lines.findIndex(
    ({ name, at, above, rate }) => name === line.name && at === line.at && above === line.above && rate === line.rate,
  );
  if (same < 0) lines.push(line);
  else lines[same] = { ...line, count: BigInt(lines[same]!.count) + BigInt(line.count) };
}

function byName(a: ChargeLine, b: ChargeLine): number {
  return (
    a.name.localeCompare(b.name) || (a.at ?? '').localeCompare(b.at ?? '') || (a.above ?? 0) - (b.above ?? 0) || Number(a.rate - b.rate)
  );
}

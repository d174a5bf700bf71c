import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.js';
import { type JsonColumns, jsonColumn, type JsonRow, jsonRow, jsonRows, jsonText } from '../database/json-rows.js';
import { capacityOf, PARTS, SPARE_PARTS } from '../common/limits/gcra.js';
import { type BucketAnswer, type BucketAsk, type LimitStore, type PlacesAnswer, type PlacesAsk, PLACES_TTL } from './limit-store.js';

/**
 * Milliseconds of which a bucket fills at most between two questions: more would overflow 64 bits at the highest rate.
 * A bucket without debt is full long before.
 */
const MAX_FILL = 1_000_000_000;

/** Milliseconds after which a row that says nothing any more is deleted. */
const FORGOTTEN = 3_600_000;

const bucketColumns: JsonColumns = { subject: 'text', kind: 'text', rate: 'int', capacity: 'int', need: 'int', want: 'int', back: 'int' };

const placeColumns: JsonColumns = { subject: 'text', node: 'text', places: 'int', used: 'int', wanted: 'int' };

/** What a bucket has at the time of the question, in parts. */
const there = sql`least(excluded.capacity, excluded.back * ${sql.lit(PARTS)}
  + least(excluded.capacity, b.level + excluded.rate * least(greatest(excluded.at - b.at, 0), ${sql.lit(MAX_FILL)})))`;

/** Bucket.lease, of a level in parts. */
const leased = (level: RawBuilder<unknown>, from: RawBuilder<unknown>): RawBuilder<unknown> => {
  const units = sql`${level} / ${sql.lit(PARTS)}`;
  return sql`case when ${from}.need * ${sql.lit(PARTS)} > ${from}.capacity
    then case when ${level} >= ${from}.capacity then ${from}.need else 0 end
    else greatest(0, least(${units}, greatest(${from}.need, least(${from}.want, ${units} / ${sql.lit(SPARE_PARTS)})))) end`;
};

/** Places that others have at the time of the question. */
const others = sql`coalesce((select sum((value ->> 0)::bigint) from jsonb_each(b.holders)
  where key <> excluded.node and (value ->> 1)::bigint > excluded.at), 0)`;

const placesGranted = sql`greatest(excluded.used, least(excluded.wanted, excluded.places - ${others}))`;

/**
 * Buckets and places in PostgreSQL, on its clock. Each question is one statement, whichever number of subjects it is
 * about; it locks their rows in their order, and only for its own time.
 */
export class PostgresLimits implements LimitStore {
  readonly #node = randomUUID();

  /** @param ttl milliseconds that the places of a process live */
  constructor(
    private readonly database: Database,
    private readonly ttl: number = PLACES_TTL,
  ) {}

  async buckets(asks: readonly BucketAsk[]): Promise<BucketAnswer[]> {
    const rows = asks.map(({ subject, kind, rate, need, want, back }) => [
      subject,
      kind,
      rate.perMinute,
      capacityOf(rate),
      need,
      want,
      back,
    ]);
    const asked = this.#rows(bucketColumns, rows);
    const excluded = sql.ref('excluded');
    const result = await sql<{ subject: string; kind: string; granted: bigint; level: bigint }>`
      with asked as materialized (${asked}), now as materialized (select ${this.database.clock()} as at)
      insert into limit_bucket as b (subject, kind, level, at, capacity, rate, need, want, back, granted)
      select subject, kind, capacity - granted * ${sql.lit(PARTS)}, at, capacity, rate, need, want, back, granted
      from asked, now, lateral (select ${leased(sql.ref('asked.capacity'), sql.ref('asked'))} as granted) as first
      order by subject collate "C", kind collate "C"
      on conflict (subject, kind) do update set
        level = ${there} - (${leased(there, excluded)}) * ${sql.lit(PARTS)},
        granted = ${leased(there, excluded)},
        at = greatest(b.at, excluded.at),
        capacity = excluded.capacity, rate = excluded.rate, need = excluded.need, want = excluded.want, back = excluded.back
      returning subject, kind, granted, level`.execute(this.database.db);
    const found = new Map(result.rows.map((row) => [`${row.kind} ${row.subject}`, row]));
    return asks.map(({ subject, kind }) => {
      const { granted, level } = found.get(`${kind} ${subject}`)!;
      return { granted: Number(granted), level: Number(level) };
    });
  }

  async places(asks: readonly PlacesAsk[]): Promise<PlacesAnswer[]> {
    const rows = asks.map(({ subject, limit, used, wanted }) => [subject, this.#node, limit, used, wanted]);
    const entry = (from: string, granted: RawBuilder<unknown>) =>
      sql`case when ${granted} = 0 then '{}'::jsonb
        else jsonb_build_object(${sql.ref(`${from}.node`)}, jsonb_build_array(${granted}, ${sql.ref(from === 'excluded' ? 'excluded.at' : 'now.at')} + ${sql.lit(this.ttl)})) end`;
    const first = sql`greatest(asked.used, least(asked.wanted, asked.places))`;
    const result = await sql<{ subject: string; granted: bigint; others: bigint }>`
      with asked as materialized (${this.#rows(placeColumns, rows)}), now as materialized (select ${this.database.clock()} as at)
      insert into limit_place as b (subject, holders, at, node, places, used, wanted, others, granted)
      select subject, ${entry('asked', first)}, at, node, places, used, wanted, 0, ${first}
      from asked, now
      order by subject collate "C"
      on conflict (subject) do update set
        holders = (select coalesce(jsonb_object_agg(key, value), '{}'::jsonb) from jsonb_each(b.holders)
            where key <> excluded.node and (value ->> 1)::bigint > excluded.at) || ${entry('excluded', placesGranted)},
        others = ${others},
        granted = ${placesGranted},
        at = excluded.at, node = excluded.node, places = excluded.places, used = excluded.used, wanted = excluded.wanted
      returning subject, granted, others`.execute(this.database.db);
    const found = new Map(result.rows.map((row) => [row.subject, row]));
    return asks.map(({ subject }) => {
      const { granted, others: elsewhere } = found.get(subject)!;
      return { granted: Number(granted), others: Number(elsewhere) };
    });
  }

  /** Deletes what says nothing any more: full buckets, and subjects without places. */
  async sweep(): Promise<void> {
    const old = sql`${this.database.clock()} - at > ${sql.lit(FORGOTTEN)}`;
    await sql`delete from limit_bucket where ${old}
      and level + rate * least(${this.database.clock()} - at, ${sql.lit(MAX_FILL)}) >= capacity`.execute(this.database.db);
    await sql`delete from limit_place where ${old}`.execute(this.database.db);
  }

  #rows(columns: JsonColumns, rows: readonly JsonRow[]): RawBuilder<unknown> {
    const selected = Object.keys(columns).map((name) => sql`${jsonColumn(columns, name)} as ${sql.ref(name)}`);
    return sql`select ${sql.join(selected)} from ${jsonRows('postgres', jsonText(rows.map(jsonRow)))}`;
  }
}

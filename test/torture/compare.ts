import type { Sent } from './client.ts';
import { chanceToRenew, concerns, type Lapse, renewsWithin, type Outage } from './lapses.ts';
import { priceOf } from './script.ts';
import type { UsageRow } from './store.ts';

/** One kind of requests, summed up. Amounts are nano-credits. */
export interface Tally {
  requests: number;
  /** The price of what was delivered and has to be paid. */
  due: bigint;
  charged: bigint;
  uncollected: bigint;
  /** Due, and neither charged nor recorded as uncollected. */
  short: bigint;
  /** Charged, and not due. */
  over: bigint;
  /** Requests that were not charged what was due. */
  inexact: number;
}

export interface Comparison {
  readonly settled: Tally;
  /** In flight when their gateway was killed. */
  readonly inFlight: Tally;
  /** Charged requests of which no client knows the id. */
  readonly unknown: Tally;
  /** In flight, and short by more than what the client had read last. */
  readonly tooShort: number;
  /** Uncollected within the hold although no lease lapsed rightly, or although the customer could have paid. */
  readonly unexplained: number;
  /** Leases that were ended after their time. */
  readonly lapses: number;
  /** Those of them that their gateway had the time to renew. */
  readonly neglected: number;
  /** Milliseconds at a stretch that a gateway had at most to renew a lease that lapsed. */
  readonly longestChance: number;
  /** The first few requests that are wrong, to be read by a person. */
  readonly examples: readonly string[];
}

const MAX_EXAMPLES = 10;

const emptyTally = (): Tally => ({ requests: 0, due: 0n, charged: 0n, uncollected: 0n, short: 0n, over: 0n, inexact: 0 });

interface Circumstances {
  readonly lapses: readonly Lapse[];
  /** The outages of the process with that id, and of its store; undefined where there was no such process. */
  readonly outagesOf: (node: string) => readonly Outage[] | undefined;
  /** Whether the credits of the customer with that index run out. */
  readonly poor: (account: number) => boolean;
  /** Milliseconds. */
  readonly lease: number;
  /** Milliseconds that a renewal may be late on a busy machine. */
  readonly late: number;
}

/** Compares what clients received with what was charged. */
export function compare(sent: readonly Sent[], rows: readonly UsageRow[], circumstances: Circumstances): Comparison {
  const { lapses, outagesOf, poor, lease, late } = circumstances;
  const rowOf = new Map(rows.map((row) => [row.request_id, row]));
  const [settled, inFlight, unknown] = [emptyTally(), emptyTally(), emptyTally()];
  const examples: string[] = [];
  let tooShort = 0;
  let unexplained = 0;
  const example = (what: string, one: object | undefined, row: object | undefined) => {
    if (examples.length < MAX_EXAMPLES) examples.push(`${what}: ${describe(one)}; ${describe(row)}`);
  };

  for (const one of sent) {
    const row = one.id === undefined ? undefined : rowOf.get(one.id);
    if (row) rowOf.delete(row.request_id);
    const { charged, uncollected } = { charged: row?.amount ?? 0n, uncollected: row?.uncollected ?? 0n };
    const killed = wasInFlight(one);
    // Only a whole answer costs its hidden tokens; of a killed gateway's the end may not have arrived.
    const whole = priceOf(one.tokens + one.script.hidden);
    const ended = one.end === 'done' || (killed && charged + uncollected === whole);
    // An answer that the provider broke costs nothing, unless the gateway died before it could say so.
    const due = one.end === 'error' && !killed ? 0n : ended ? whole : priceOf(one.tokens);
    const short = due - charged - uncollected;
    const tally = killed ? inFlight : settled;
    tally.requests++;
    tally.due += due;
    tally.charged += charged;
    tally.uncollected += uncollected;
    if (short > 0n) tally.short += short;
    if (short < 0n) tally.over -= short;
    if (short !== 0n) tally.inexact++;
    if (short < 0n) example('overcharged', one, row);
    if (short > 0n && !killed) example('short, though not in flight at a kill', one, row);
    if (killed && one.end !== 'error' && charged + uncollected < priceOf(one.tokens - one.lastRead)) {
      tooShort++;
      example('short by more than a write', one, row);
    }
    if (uncollected > 0n && !(poor(one.account) && (beyondHold(row!) || explained(row!, one)))) {
      unexplained++;
      example('uncollected though its lease lived, or of one who can pay', one, row);
    }
  }
  for (const row of rowOf.values()) {
    unknown.requests++;
    unknown.charged += row.amount;
    unknown.uncollected += row.uncollected;
    if (row.amount + row.uncollected === 0n) continue;
    unknown.over += row.amount + row.uncollected;
    unknown.inexact++;
    example('charged and never answered', undefined, row);
  }
  const neglected = lapses.filter((lapse) => !rightful(lapse));
  for (const lapse of neglected) {
    const about = outagesOf(lapse.node)?.filter(({ from, to }) => to >= lapse.renewedAt - lease && from <= lapse.endedAt);
    example(`a lease lapsed, though there were ${chanceOf(lapse).toFixed(0)} ms to renew it`, lapse, about);
  }
  const longestChance = Math.max(0, ...lapses.map(chanceOf));
  return { settled, inFlight, unknown, tooShort, unexplained, lapses: lapses.length, neglected: neglected.length, longestChance, examples };

  function chanceOf(lapse: Lapse): number {
    const outages = outagesOf(lapse.node);
    return outages ? chanceToRenew(lapse, outages, lease) : lease;
  }

  function rightful(lapse: Lapse): boolean {
    return chanceOf(lapse) <= renewsWithin(lease, late);
  }

  function explained({ account_id }: UsageRow, one: Sent): boolean {
    return lapses.some(
      (lapse) => lapse.node === one.run.node && lapse.account === account_id && concerns(lapse, one, circumstances) && rightful(lapse),
    );
  }
}

/** All of the hold was paid: what is uncollected was counted beyond it. */
function beyondHold({ amount, hold }: UsageRow): boolean {
  return amount >= hold;
}

function wasInFlight({ run: { killedAt, lastHealthyAt }, startedAt, endedAt }: Sent): boolean {
  return killedAt !== undefined && startedAt <= killedAt && endedAt >= lastHealthyAt;
}

function describe(value: object | undefined): string {
  return JSON.stringify(value, (_, field: unknown) => (typeof field === 'bigint' ? String(field) : field)) ?? 'nothing';
}

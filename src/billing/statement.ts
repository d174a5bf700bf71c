import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { Environment } from '../auth/principal.js';
import { Database } from '../database/database.js';
import { ChargeReport } from './charge-report.js';
import { UsageReport, type UsageSum } from './usage-report.js';

/** Which lines are meant. Times are milliseconds since 1970. */
interface StatementQuery {
  readonly accountId: string;
  readonly environment: Environment;
  readonly from: number;
  /** Not this one. */
  readonly to: number;
}

/** What a balance was given at once, or charged in a day. */
export interface LedgerLine {
  /** Milliseconds since 1970: of a day its beginning, in UTC. */
  readonly time: number;
  readonly kind: 'grant' | 'charges';
  /** Of the grant; of charges their day. */
  readonly id: string;
  /** Why it was granted. */
  readonly note: string;
  readonly requests: number;
  readonly promptTokens: bigint;
  readonly completionTokens: bigint;
  /** Nano-credits, below 0 for charges. */
  readonly amount: bigint;
  /** Nano-credits of the charges that were collected beyond the holds. */
  readonly collected: bigint;
  /** Nano-credits that were owed beside them, and could not be collected. */
  readonly uncollected: bigint;
  /** Nano-credits that the account had behind this line. */
  readonly balance: bigint;
}

export interface Statement {
  /** Nano-credits at the beginning and at the end. */
  readonly opening: bigint;
  readonly closing: bigint;
  /** Oldest first; what a day has charged comes behind what was granted in it. */
  readonly lines: readonly LedgerLine[];
  readonly models: readonly UsageSum[];
  /** What reading from caches has saved, in thousandths of a nano-credit. */
  readonly saved: bigint;
}

const DAY = 86_400_000;

/** Grants of one statement at most. */
const MOST = 10_000;

/**
 * What an account was given and charged, out of transfers and usage rows: a charge counts at the time at which its
 * request ended.
 */
@Injectable()
export class Statements {
  constructor(
    private readonly database: Database,
    private readonly usage: UsageReport,
    private readonly charges: ChargeReport,
  ) {}

  /** Oldest first. @throws RangeError for more than 10,000 grants */
  async lines(query: StatementQuery): Promise<LedgerLine[]> {
    return (await this.#read(query)).lines;
  }

  /** @throws RangeError for more than 10,000 grants */
  async statement(query: StatementQuery): Promise<Statement> {
    const { accountId, environment, from: since, to: until } = query;
    const which = { accountId, environment, since, until };
    const [{ opening, lines }, models, { saved }] = await Promise.all([
      this.#read(query),
      this.usage.sum({ by: ['model'], ...which }),
      this.charges.sum(which),
    ]);
    return { opening, closing: lines.at(-1)?.balance ?? opening, lines, models, saved };
  }

  async #read(query: StatementQuery): Promise<{ opening: bigint; lines: LedgerLine[] }> {
    const { accountId, environment, from: since, to: until } = query;
    const [opening, transfers, days] = await Promise.all([
      this.#balanceAt(query),
      this.#transfers(query),
      this.usage.sum({ by: ['day'], accountId, environment, since, until }),
    ]);
    const moves = [...transfers, ...days.map(chargesOf)].sort((one, other) => endOf(one) - endOf(other) || one.time - other.time);
    let balance = opening;
    return { opening, lines: moves.map((move) => ({ ...move, balance: (balance += move.amount) })) };
  }

  /** What the account had at the beginning. */
  async #balanceAt({ accountId, environment, from }: StatementQuery): Promise<bigint> {
    const { rows } = await sql<{ balance: bigint }>`select
      (select coalesce(sum(amount), 0) from transfer
        where credit_account_id = ${accountId} and environment = ${environment} and created_at < ${from}) -
      (select coalesce(sum(amount), 0) from transfer
        where debit_account_id = ${accountId} and environment = ${environment} and created_at < ${from}) -
      (select coalesce(sum(amount), 0) from usage
        where account_id = ${accountId} and environment = ${environment} and created_at < ${from}) as balance`.execute(this.database.db);
    return rows[0]!.balance;
  }

  async #transfers({ accountId, environment, from, to }: StatementQuery): Promise<Omit<LedgerLine, 'balance'>[]> {
    const rows = await this.database.db
      .selectFrom('transfer')
      .selectAll()
      .where((transfer) => transfer.or([transfer('credit_account_id', '=', accountId), transfer('debit_account_id', '=', accountId)]))
      .where('environment', '=', environment)
      .where('created_at', '>=', BigInt(from))
      .where('created_at', '<', BigInt(to))
      .orderBy('created_at')
      .limit(MOST + 1)
      .execute();
    if (rows.length > MOST) throw new RangeError(`these are more than ${MOST} grants: name a shorter time`);
    return rows.map(({ id, note, amount, created_at, credit_account_id }) => ({
      ...nothing,
      time: Number(created_at),
      kind: 'grant',
      id,
      note,
      amount: credit_account_id === accountId ? amount : -amount,
    }));
  }
}

const nothing = { note: '', requests: 0, promptTokens: 0n, completionTokens: 0n, amount: 0n, collected: 0n, uncollected: 0n };

function chargesOf({
  of: { day },
  requests,
  promptTokens,
  completionTokens,
  amount,
  collected,
  uncollected,
}: UsageSum): Omit<LedgerLine, 'balance'> {
  const sums = { requests, promptTokens, completionTokens, amount: -amount, collected, uncollected };
  return { ...nothing, ...sums, time: Date.parse(day!), kind: 'charges', id: day! };
}

/** Charges of a day stand behind all that was granted in it. */
function endOf({ kind, time }: Omit<LedgerLine, 'balance'>): number {
  return kind === 'charges' ? time + DAY - 0.5 : time;
}

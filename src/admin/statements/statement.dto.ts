import { IsIn, Matches } from '../../common/validation/class-validator.js';
import { environments, type Environment } from '../../auth/principal.js';
import type { LedgerLine, Statement } from '../../billing/statement.js';
import { formatCredits, formatDecimal } from '../../common/prices/credits.js';
import type { UsageSum } from '../../billing/usage-report.js';
import type { Integer } from '../../wire/integer.js';
import { IsTime, isoTime, MayBeAbsent } from '../fields.js';
import { PageDto } from '../page.dto.js';

export class LedgerQueryDto extends PageDto {
  @IsIn(environments)
  environment: Environment = 'live';

  /** From the day of this time on, in UTC; absent: the last 90 days. */
  @MayBeAbsent(IsTime())
  from?: string;

  /** Before this time; absent: now. At most 366 days are shown. */
  @MayBeAbsent(IsTime())
  to?: string;
}

export class StatementQueryDto {
  @IsIn(environments)
  environment: Environment = 'live';

  /** As 2026-11, in UTC; absent: the current one. */
  @MayBeAbsent(Matches(/^20\d{2}-(0[1-9]|1[0-2])$/, { message: 'month must be a month such as 2026-11' }))
  month?: string;
}

/** What a balance was given at once, or charged in one day. */
export class LedgerLineView {
  /** Of a day its beginning, in UTC. */
  time: string;
  /** `grant`, or `charges` of a day. */
  kind: string;
  /** Of the grant; of charges their day, as 2026-11-21. */
  id: string;
  /** Why it was granted. */
  note: string;
  requests: Integer;
  prompt_tokens: Integer;
  completion_tokens: Integer;
  /** Credits, below 0 for charges. */
  amount: string;
  /** Credits of the charges that were collected beyond what was held. */
  collected: string;
  /** Credits that were owed beside them, and could not be collected. */
  uncollected: string;
  /** Credits that the account had behind this line. */
  balance: string;
}

/** What the requests of one model have cost. */
export class StatementModelView {
  model: string;
  requests: Integer;
  prompt_tokens: Integer;
  completion_tokens: Integer;
  /** Credits. */
  cost: string;
}

/** What an account was given and charged in a month. Amounts are credits. */
export class StatementView {
  account_id: string;
  environment: Environment;
  month: string;
  /** At the beginning of the month. */
  opening_balance: string;
  granted: string;
  charged: string;
  /** Part of what was charged that was collected beyond what was held. */
  collected: string;
  /** What was owed beside it, and could not be collected. */
  uncollected: string;
  saved_by_caching: string;
  /** At the end of the month, or now. */
  closing_balance: string;
  /** Oldest first; what a day has charged stands behind what was granted in it. */
  lines: LedgerLineView[];
  models: StatementModelView[];
}

export function ledgerLineView(line: LedgerLine): LedgerLineView {
  return {
    time: isoTime(line.time),
    kind: line.kind,
    id: line.id,
    note: line.note,
    requests: line.requests,
    prompt_tokens: Number(line.promptTokens),
    completion_tokens: Number(line.completionTokens),
    amount: formatCredits(line.amount),
    collected: formatCredits(line.collected),
    uncollected: formatCredits(line.uncollected),
    balance: formatCredits(line.balance),
  };
}

export function statementView(accountId: string, { month, environment }: Required<StatementQueryDto>, statement: Statement): StatementView {
  const { opening, closing, lines, models, saved } = statement;
  const sum = (of: (line: LedgerLine) => bigint): string => formatCredits(lines.reduce((all, line) => all + of(line), 0n));
  return {
    account_id: accountId,
    environment,
    month,
    opening_balance: formatCredits(opening),
    granted: sum(({ kind, amount }) => (kind === 'grant' ? amount : 0n)),
    charged: sum(({ kind, amount }) => (kind === 'charges' ? -amount : 0n)),
    collected: sum(({ collected }) => collected),
    uncollected: sum(({ uncollected }) => uncollected),
    saved_by_caching: formatDecimal(saved, 12),
    closing_balance: formatCredits(closing),
    lines: lines.map(ledgerLineView),
    models: models.map(statementModelView),
  };
}

function statementModelView({ of, requests, promptTokens, completionTokens, amount }: UsageSum): StatementModelView {
  return {
    model: of.model!,
    requests,
    prompt_tokens: Number(promptTokens),
    completion_tokens: Number(completionTokens),
    cost: formatCredits(amount),
  };
}

import { Injectable } from '@nestjs/common';
import { type LedgerLine, Statements } from '../../billing/statement.js';
import { ApiError } from '../../common/api-error.js';
import { type Page, pageInMemory } from '../../database/pages.js';
import { isoTime, timeOf } from '../fields.js';
import { type LedgerQueryDto, type StatementQueryDto, type StatementView, statementView } from './statement.dto.js';

const DAY = 86_400_000;
const USUAL_DAYS = 90;
const MOST_DAYS = 366;

/** What accounts were given and charged. */
@Injectable()
export class StatementsService {
  constructor(private readonly statements: Statements) {}

  /** Newest first. */
  async page(accountId: string, { environment, from, to, ...query }: LedgerQueryDto): Promise<Page<LedgerLine>> {
    const end = timeOf(to) ?? Date.now();
    const begin = Math.floor((timeOf(from) ?? end - USUAL_DAYS * DAY) / DAY) * DAY;
    if (begin >= end) throw new ApiError('invalid_request', 'from must be before to');
    if (end - begin > (MOST_DAYS + 1) * DAY)
      throw new ApiError('invalid_request', `At most ${MOST_DAYS} days are shown: name a later from.`);
    const lines = await this.statements.lines({ accountId, environment, from: begin, to: end });
    return pageInMemory(lines.toReversed(), query, placeOf);
  }

  async statement(accountId: string, query: StatementQueryDto): Promise<StatementView> {
    const { environment, month = isoTime(Date.now()).slice(0, 7) } = query;
    const [year, number] = month.split('-').map(Number) as [number, number];
    const [from, to] = [Date.UTC(year, number - 1), Date.UTC(year, number)];
    const statement = await this.statements.statement({ accountId, environment, from, to });
    return statementView(accountId, { environment, month }, statement);
  }
}

/** In the order of these texts newer lines come first. */
function placeOf({ kind, time }: LedgerLine): string {
  return String(1e15 - (kind === 'charges' ? time + DAY - 1 : time)).padStart(16, '0');
}

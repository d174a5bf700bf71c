import { Get, Header, Query, Res } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { csvLine } from '../csv-line.js';
import { AdminController, Id } from '../route.decorators.js';
import { type PageView, pageView } from '../page.dto.js';
import { LedgerQueryDto, type LedgerLineView, ledgerLineView, StatementQueryDto, type StatementView } from './statement.dto.js';
import { StatementsService } from './statements.service.js';

const columns = [
  'time',
  'kind',
  'id',
  'note',
  'requests',
  'prompt_tokens',
  'completion_tokens',
  'amount',
  'collected',
  'uncollected',
] as const;

/** A statement as CSV: a line of names, the opening balance, a line for each grant and each day, the closing balance. */
function statementCsv({ month, opening_balance, closing_balance, lines }: StatementView): string {
  const balanceLine = (kind: string, balance: string): string =>
    csvLine([month, kind, ...Array<string>(columns.length - 2).fill(''), balance]);
  return [
    csvLine([...columns, 'balance']),
    balanceLine('opening balance', opening_balance),
    ...lines.map((line) => csvLine([...columns.map((name) => line[name]), line.balance])),
    balanceLine('closing balance', closing_balance),
  ].join('');
}

interface Reply {
  header(name: string, value: string): unknown;
}

/** What an account was given and charged. */
@AdminController('accounts/:account/credits')
export class StatementsController {
  constructor(private readonly statements: StatementsService) {}

  /**
   * Lists what an account was given, and what each day has charged, newest first, with the balance behind each line.
   * @returns a page of lines
   * @throws ApiError 404 not_found
   */
  @Get('ledger')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async ledger(@Id('account') account: string, @Query() query: LedgerQueryDto): Promise<PageView<LedgerLineView>> {
    return pageView(await this.statements.page(account, query), ledgerLineView);
  }

  /**
   * Shows what an account was given and charged in a month, in UTC. A charge counts at the end of its request; those
   * of a gateway that has died are added when it, or another one, has settled them.
   * @returns the statement
   * @throws ApiError 404 not_found
   */
  @Get('statement')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  statement(@Id('account') account: string, @Query() query: StatementQueryDto): Promise<StatementView> {
    return this.statements.statement(account, query);
  }

  /**
   * Writes the lines of a month's statement as CSV, between the opening and the closing balance.
   * @returns the file
   * @throws ApiError 404 not_found
   */
  @Get('statement.csv')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  @Header('content-type', 'text/csv; charset=utf-8')
  async csv(@Id('account') account: string, @Query() query: StatementQueryDto, @Res({ passthrough: true }) reply: Reply): Promise<string> {
    const statement = await this.statements.statement(account, query);
    reply.header('content-disposition', `attachment; filename="statement-${statement.month}-${statement.environment}.csv"`);
    return statementCsv(statement);
  }
}

import { Get, Header, Query, Res } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { AdminController, Id } from '../route.decorators.js';
import { type PageView, pageView } from '../page.dto.js';
import { statementCsv } from './statement-csv.js';
import { LedgerQueryDto, type LedgerLineView, ledgerLineView, StatementQueryDto, type StatementView } from './statement.dto.js';
import { StatementsService } from './statements.service.js';

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

import { Body, Delete, Get, Query } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { AdminController, Id, Perform } from '../route.decorators.js';
import { PageDto, type PageView, pageView } from '../page.dto.js';
import { roleIn } from '../role-in.js';
import { CreateTokenDto, type MadeTokenView, madeTokenView, type TokenView, tokenView } from './token.dto.js';
import { TokensService } from './tokens.service.js';

/** The tokens of operators, and below an account those of its members. */
@AdminController('tokens', 'accounts/:account/tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  /**
   * Lists the tokens of operators, or of an account's members, oldest first.
   * @returns a page of them
   * @throws ApiError 404 not_found
   */
  @Get()
  @Roles('operator', 'owner')
  async list(@Id('account') account: string | undefined, @Query() query: PageDto): Promise<PageView<TokenView>> {
    return pageView(await this.tokens.page(account, query), tokenView);
  }

  /**
   * Makes a token of an operator, who may do everything, or of a member of an account.
   * @returns the token with its full text, which is shown this once
   * @throws ApiError 404 not_found, 409 idempotency_conflict, conflict
   */
  @Perform()
  @Roles('operator', 'owner')
  async create(
    @Id('account') account: string | undefined,
    @Body() body: CreateTokenDto,
    @CurrentDeed() deed: Deed,
  ): Promise<MadeTokenView> {
    return madeTokenView(await this.tokens.create(account, roleIn(account, body.role), body, deed));
  }

  /**
   * Makes a token invalid, for good.
   * @returns the token as it is now
   * @throws ApiError 404 not_found
   */
  @Delete(':token')
  @Roles('operator', 'owner')
  async revoke(@Id('account') account: string | undefined, @Id('token') id: string, @CurrentDeed() deed: Deed): Promise<TokenView> {
    return tokenView(await this.tokens.revoke(account, id, deed));
  }
}

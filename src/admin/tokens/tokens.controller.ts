import { Body, Delete, Get, Query } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { AdminController, Perform } from '../admin-controller.decorator.js';
import { Id } from '../fields.js';
import { PageDto, type PageView, pageView } from '../page.dto.js';
import { CreateTokenDto, type MadeTokenView, madeTokenView, type TokenView, tokenView } from './token.dto.js';
import { TokensService } from './tokens.service.js';

/** The tokens of operators. */
@AdminController('tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  /**
   * Lists the tokens of operators, oldest first.
   * @returns a page of them
   */
  @Get()
  @Roles('operator')
  async list(@Query() query: PageDto): Promise<PageView<TokenView>> {
    return pageView(await this.tokens.page(undefined, query), tokenView);
  }

  /**
   * Makes a token of an operator, who may do everything.
   * @returns the token with its full text, which is shown this once
   * @throws ApiError 409 idempotency_conflict, conflict
   */
  @Perform()
  @Roles('operator')
  async create(@Body() body: CreateTokenDto, @CurrentDeed() deed: Deed): Promise<MadeTokenView> {
    return madeTokenView(await this.tokens.create(undefined, 'operator', body, deed));
  }

  /**
   * Makes a token of an operator invalid, for good.
   * @returns the token as it is now
   * @throws ApiError 404 not_found
   */
  @Delete(':token')
  @Roles('operator')
  async revoke(@Id('token') id: string, @CurrentDeed() deed: Deed): Promise<TokenView> {
    return tokenView(await this.tokens.revoke(undefined, id, deed));
  }
}

import { Delete, Get, Query } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { AdminController, Id } from '../route.decorators.js';
import { type PageView, pageView, SearchDto } from '../page.dto.js';
import { type UserView, userView } from './user.dto.js';
import { UsersService } from './users.service.js';

/** The people who are operators. */
@AdminController('operators')
export class OperatorsController {
  constructor(private readonly users: UsersService) {}

  /**
   * Lists the people who are operators, oldest first.
   * @returns a page of them
   */
  @Get()
  @Roles('operator')
  async list(@Query() query: SearchDto): Promise<PageView<UserView>> {
    return pageView(await this.users.page(query, true), userView);
  }

  /**
   * Makes somebody an operator no longer. They stay what they are in accounts; the last operator stays.
   * @returns the person as they are now
   * @throws ApiError 404 not_found
   */
  @Delete(':user')
  @Roles('operator')
  async dismiss(@Id('user') id: string, @CurrentDeed() deed: Deed): Promise<UserView> {
    return userView(await this.users.dismiss(id, deed));
  }
}

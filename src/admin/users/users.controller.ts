import { Body, Get, Patch, Query } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { CurrentVisit, type Visit } from '../../people/visit.js';
import { AdminController, type Change, Id, IfMatch, Perform } from '../route.decorators.js';
import { type PageView, pageView, SearchDto } from '../page.dto.js';
import { ChangeUserDto, type SignInLinkView, type UserView, userView } from './user.dto.js';
import { UserLinksService } from './user-links.service.js';
import { UsersService } from './users.service.js';

/** All people who sign in. */
@AdminController('users')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly links: UserLinksService,
  ) {}

  /**
   * Lists all people who sign in, oldest first.
   * @returns a page of them
   */
  @Get()
  @Roles('operator')
  async list(@Query() query: SearchDto): Promise<PageView<UserView>> {
    return pageView(await this.users.page(query), userView);
  }

  /**
   * Shows somebody who signs in.
   * @returns the person
   * @throws ApiError 404 not_found
   */
  @Get(':user')
  @Roles('operator')
  async get(@Id('user') id: string): Promise<UserView> {
    return userView(await this.users.get(id));
  }

  /**
   * Changes what is given of a person. Who is disabled is signed out everywhere within a second, and cannot sign in; the
   * last operator cannot be.
   * @returns the person as they are now
   * @throws ApiError 404 not_found, 409 conflict, 412 precondition_failed
   */
  @Patch(':user')
  @Roles('operator')
  async change(@Id('user') id: string, @Body() body: ChangeUserDto, @IfMatch() by: Change): Promise<UserView> {
    return userView(await this.users.change(id, body, by));
  }

  /**
   * Makes a link that signs a person in, once, within 24 hours. It takes the place of the one before.
   * @returns the link, which is shown this once
   * @throws ApiError 404 not_found, 409 conflict for somebody who is disabled
   */
  @Perform(':user/sign-in-links')
  @Roles('operator')
  link(@Id('user') id: string, @CurrentDeed() deed: Deed, @CurrentVisit() visit: Visit): Promise<SignInLinkView> {
    return this.links.make(id, deed, visit);
  }
}

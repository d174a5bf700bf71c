import { Body, Delete, Get, Patch, Query } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { AdminController, type Change, Id, IfMatch } from '../route.decorators.js';
import { type PageView, pageView } from '../page.dto.js';
import { ChangeMemberDto, MembersDto, type MemberView, memberView } from './member.dto.js';
import { MembersService } from './members.service.js';

/** The people of an account. */
@AdminController('accounts/:account/members')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  /**
   * Lists the members of an account, by their e-mail addresses.
   * @returns a page of them
   * @throws ApiError 404 not_found
   */
  @Get()
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async list(@Id('account') account: string, @Query() query: MembersDto): Promise<PageView<MemberView>> {
    return pageView(await this.members.page(account, query), memberView);
  }

  /**
   * Shows a member of an account.
   * @returns the member
   * @throws ApiError 404 not_found
   */
  @Get(':user')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async get(@Id('account') account: string, @Id('user') user: string): Promise<MemberView> {
    return memberView(await this.members.get(account, user));
  }

  /**
   * Gives a member another role. The last owner stays one.
   * @returns the member
   * @throws ApiError 404 not_found, 412 precondition_failed
   */
  @Patch(':user')
  @Roles('operator', 'owner')
  async change(
    @Id('account') account: string,
    @Id('user') user: string,
    @Body() { role }: ChangeMemberDto,
    @IfMatch() by: Change,
  ): Promise<MemberView> {
    return memberView(await this.members.changeRole(account, user, role, by));
  }

  /**
   * Removes a member from the account. The last owner stays. Who is in no other account is signed out at once.
   * @returns the member that there was
   * @throws ApiError 404 not_found, 412 precondition_failed
   */
  @Delete(':user')
  @Roles('operator', 'owner')
  async remove(@Id('account') account: string, @Id('user') user: string, @IfMatch() by: Change): Promise<MemberView> {
    return memberView(await this.members.remove(account, user, by));
  }
}

import { Injectable } from '@nestjs/common';
import type { MemberRole } from '../../auth/administration/administrator.js';
import { audited, type Deed } from '../../observability/audit/audit-log.js';
import { type Member, MemberStore } from '../../people/member-store.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { found, refusals } from '../refusals.js';

@Injectable()
export class MembersService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly members: MemberStore,
  ) {}

  async list(accountId: string): Promise<Member[]> {
    await this.accounts.get(accountId);
    return refusals(() => this.members.list(accountId));
  }

  /** @throws ApiError 404 not_found, 400 invalid_request for the last owner */
  async changeRole(accountId: string, userId: string, role: MemberRole | undefined, deed: Deed): Promise<Member> {
    const member = await this.#member(accountId, userId);
    if (role === undefined || member.role === role) return member;
    await refusals(() => this.members.changeRole(accountId, userId, role, audited(deed, { accountId, fields: ['role'] })));
    return this.#member(accountId, userId);
  }

  /** As changeRole. */
  async remove(accountId: string, userId: string, deed: Deed): Promise<Member> {
    const member = await this.#member(accountId, userId);
    await refusals(() => this.members.remove(accountId, userId, audited(deed, { accountId, fields: [] })));
    return member;
  }

  async #member(accountId: string, userId: string): Promise<Member> {
    await this.accounts.get(accountId);
    return found('member', userId, await refusals(() => this.members.find(accountId, userId)));
  }
}

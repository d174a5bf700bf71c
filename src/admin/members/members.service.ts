import { Injectable } from '@nestjs/common';
import type { MemberRole } from '../../auth/administration/administrator.js';
import { type Page, pageInMemory } from '../../database/pages.js';
import { audited, type Deed } from '../../observability/audit/audit-log.js';
import { type Member, MemberStore } from '../../people/member-store.js';
import { AccountsService } from '../accounts/accounts.service.js';
import type { MembersDto } from './member.dto.js';
import { changedMeanwhile, found, requireVersion } from '../preconditions.js';

const emailOf = ({ person }: Member): string => person.email;

/** Cursors compare texts by their UTF-16 units, which the order of a database need not do. */
const byEmail = (one: Member, other: Member): number => (emailOf(one) < emailOf(other) ? -1 : 1);

@Injectable()
export class MembersService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly members: MemberStore,
  ) {}

  /** By their e-mail addresses. @throws ApiError 404 not_found, 400 invalid_request for what is no cursor */
  async page(accountId: string, { role, ...query }: MembersDto): Promise<Page<Member>> {
    await this.accounts.get(accountId);
    const all = (await this.members.list(accountId)).filter((member) => role === undefined || member.role === role);
    return pageInMemory(all.sort(byEmail), query, emailOf, ({ person: { id, email, name } }) => `${email} ${name} ${id}`);
  }

  /** @throws ApiError 404 not_found */
  async get(accountId: string, userId: string): Promise<Member> {
    await this.accounts.get(accountId);
    return found('member', userId, await this.members.find(accountId, userId));
  }

  /** @throws ApiError 404 not_found, 400 invalid_request for the last owner, 412 precondition_failed */
  async changeRole(
    accountId: string,
    userId: string,
    role: MemberRole | undefined,
    version: bigint | undefined,
    deed: Deed,
  ): Promise<Member> {
    const member = await this.get(accountId, userId);
    requireVersion(version, member.person);
    if (role === undefined || member.role === role) return member;
    const options = { ifVersion: version, beside: audited(deed, { accountId, fields: ['role'] }) };
    const changed = await this.members.changeRole(accountId, userId, role, options);
    const now = await this.get(accountId, userId);
    if (!changed) throw changedMeanwhile();
    return now;
  }

  /** As changeRole. */
  async remove(accountId: string, userId: string, version: bigint | undefined, deed: Deed): Promise<Member> {
    const member = await this.get(accountId, userId);
    requireVersion(version, member.person);
    const options = { ifVersion: version, beside: audited(deed, { accountId, fields: [] }) };
    if (await this.members.remove(accountId, userId, options)) return member;
    await this.get(accountId, userId);
    throw changedMeanwhile();
  }
}

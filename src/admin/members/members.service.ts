import { Injectable } from '@nestjs/common';
import type { MemberRole } from '../../auth/administration/administrator.js';
import { type Page, pageInMemory } from '../../database/pages.js';
import { type Member, MemberStore } from '../../people/member-store.js';
import type { MembersDto } from './member.dto.js';
import { changedMeanwhile, changeOptions, requireVersion } from '../changes.js';
import type { Change } from '../route.decorators.js';
import { found } from '../preconditions.js';

const emailOf = ({ person }: Member): string => person.email;

@Injectable()
export class MembersService {
  constructor(private readonly members: MemberStore) {}

  /** By their e-mail addresses. @throws ApiError 404 not_found, 400 invalid_request for what is no cursor */
  async page(accountId: string, { role, ...query }: MembersDto): Promise<Page<Member>> {
    const all = (await this.members.list(accountId)).filter((member) => role === undefined || member.role === role);
    return pageInMemory(all, query, emailOf, ({ person: { id, email, name } }) => `${email} ${name} ${id}`);
  }

  /** @throws ApiError 404 not_found */
  async get(accountId: string, userId: string): Promise<Member> {
    return found('member', userId, await this.members.find(accountId, userId));
  }

  /** @throws ApiError 404 not_found, 400 invalid_request for the last owner, 412 precondition_failed */
  async changeRole(accountId: string, userId: string, role: MemberRole | undefined, by: Change): Promise<Member> {
    const member = await this.get(accountId, userId);
    requireVersion(by, member.person);
    if (role === undefined || member.role === role) return member;
    const changed = await this.members.changeRole(accountId, userId, role, changeOptions(by, { accountId, fields: ['role'] }));
    const now = await this.get(accountId, userId);
    if (!changed) throw changedMeanwhile();
    return now;
  }

  /** As changeRole. */
  async remove(accountId: string, userId: string, by: Change): Promise<Member> {
    const member = await this.get(accountId, userId);
    requireVersion(by, member.person);
    if (await this.members.remove(accountId, userId, changeOptions(by, { accountId, fields: [] }))) return member;
    await this.get(accountId, userId);
    throw changedMeanwhile();
  }
}

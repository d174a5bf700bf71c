import type { Account } from '../../auth/account-store.js';
import type { RulesDto } from '../../auth/rules/rules.dto.js';
import { IsText, isoTime, MayBeAbsent } from '../fields.js';
import { PageDto } from '../page.dto.js';

export class AccountsDto extends PageDto {
  /** Only those whose name or id has this in it; upper and lower case are the same. */
  @MayBeAbsent()
  @IsText(200, 1)
  search?: string;
}

export class AccountView {
  id: string;
  name: string;
  rules: RulesDto;
  created_at: string;
  /** Grows with each change; the ETag. */
  version: string;
}

export function accountView({ id, name, rules, createdAt, version }: Account): AccountView {
  return { id, name, rules, created_at: isoTime(createdAt), version: String(version) };
}

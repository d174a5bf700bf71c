import type { Account, AccountStatus } from '../../auth/account-store.js';
import type { RulesDto } from '../../auth/rules/rules.dto.js';
import { isoTime } from '../fields.js';

export class AccountView {
  id: string;
  name: string;
  rules: RulesDto;
  /** The keys of an active account alone are valid. */
  status: AccountStatus;
  created_at: string;
  /** Grows with each change; the ETag. */
  version: string;
}

export function accountView({ id, name, rules, status, createdAt, version }: Account): AccountView {
  return { id, name, rules, status, created_at: isoTime(createdAt), version: String(version) };
}

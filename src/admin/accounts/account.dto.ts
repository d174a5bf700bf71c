import type { Account } from '../../auth/account-store.js';
import type { RulesDto } from '../../auth/rules/rules.dto.js';
import { isoTime } from '../fields.js';

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

import type { Project } from '../../auth/project-store.js';
import type { RulesDto } from '../../auth/rules/rules.dto.js';
import { isoTime } from '../fields.js';

export class ProjectView {
  id: string;
  account_id: string;
  name: string;
  rules: RulesDto;
  created_at: string;
  /** From then on its keys are refused; null where it goes on. */
  archived_at: string | null;
  /** Grows with each change; the ETag. */
  version: string;
}

export function projectView({ id, accountId, name, rules, createdAt, archivedAt, version }: Project): ProjectView {
  return {
    id,
    account_id: accountId,
    name,
    rules,
    created_at: isoTime(createdAt),
    archived_at: isoTime(archivedAt),
    version: String(version),
  };
}

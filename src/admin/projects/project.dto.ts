import { Type } from 'class-transformer';
import { IsObject, ValidateNested } from 'class-validator';
import type { Project } from '../../auth/project-store.js';
import { RulesDto } from '../../auth/rules/rules.dto.js';
import { IsClientId, IsText, isoTime, MayBeAbsent } from '../fields.js';

export class ChangeProjectDto {
  @MayBeAbsent()
  @IsText(200, 1)
  name?: string;

  /** The rules that its keys have in common, as a whole. */
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => RulesDto)
  rules?: RulesDto;
}

export class CreateProjectDto {
  @MayBeAbsent()
  @IsClientId()
  id?: string;

  @IsText(200, 1)
  name: string;

  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => RulesDto)
  rules?: RulesDto;
}

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

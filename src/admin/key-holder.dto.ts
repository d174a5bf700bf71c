import type { RulesDto } from '../auth/rules/rules.dto.js';
import { IsClientId, IsRules, IsText, MayBeAbsent } from './fields.js';

/** What is different from now on of an account or a project. */
export class ChangeKeyHolderDto {
  @MayBeAbsent(IsText(200, 1))
  name?: string;

  /** The rules that all of its keys have in common, as a whole. */
  @MayBeAbsent(IsRules())
  rules?: RulesDto;
}

/** An account or a project that is to be made. */
export class CreateKeyHolderDto {
  @MayBeAbsent(IsClientId())
  id?: string;

  @IsText(200, 1)
  name: string;

  @MayBeAbsent(IsRules())
  rules?: RulesDto;
}

import { Type } from 'class-transformer';
import { IsObject, ValidateNested } from 'class-validator';
import type { Account } from '../../auth/account-store.js';
import { RulesDto } from '../../auth/rules/rules.dto.js';
import { IsClientId, IsText, isoTime, MayBeAbsent } from '../fields.js';

export class ChangeAccountDto {
  @MayBeAbsent()
  @IsText(200, 1)
  name?: string;

  /** The rules that all of its keys have in common, as a whole. */
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => RulesDto)
  rules?: RulesDto;
}

export class CreateAccountDto {
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

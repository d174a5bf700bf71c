import { IsIn, IsObject } from '../../common/validation/class-validator.js';
import { type ApiKey, type ApiKeyQuery, type MadeApiKey, MAX_KEY_GRACE_MS, type Metadata } from '../../auth/api-key-store.js';
import { environments, type Environment } from '../../auth/principal.js';
import type { RulesDto } from '../../auth/rules/rules.dto.js';
import { type KeyStatus, statusOf } from '../../auth/status-of.js';
import { IsInteger } from '../../http/requests/typed-fields.js';
import { IsClientId, IsFlag, IsRules, IsText, IsTime, isoTime, MayBeAbsent, MayBeNull } from '../fields.js';
import { FindDto } from '../page.dto.js';

export class KeysDto extends FindDto {
  @MayBeAbsent(IsIn(environments))
  environment?: Environment;

  /** Only those that are neither revoked nor expired. */
  @IsFlag()
  active = false;

  /** Newest first. */
  @IsFlag()
  newest_first = false;
}

export const keyQuery = ({ newest_first: newestFirst, ...query }: KeysDto): ApiKeyQuery => ({ ...query, newestFirst });

export class ChangeKeyDto {
  /** What the key is for. */
  @MayBeAbsent(IsText(200))
  label?: string;

  /** As a whole. */
  @MayBeAbsent(IsRules())
  rules?: RulesDto;

  /** At most 16 texts, which the usage of the key is shown with, as a whole. */
  @MayBeAbsent(IsObject())
  metadata?: Metadata;

  /** Null: never. */
  @MayBeNull(IsTime())
  expires_at?: string | null;
}

export class CreateKeyDto extends ChangeKeyDto {
  @MayBeAbsent(IsClientId())
  id?: string;

  /** A test key is answered by the sandbox and spends test credits. */
  @IsIn(environments)
  environment: Environment;

  @MayBeAbsent(IsText(256, 1))
  project_id?: string;
}

export class RotateKeyDto {
  /** Of the new key. */
  @MayBeAbsent(IsClientId())
  id?: string;

  /** So long the old key works beside the new one. */
  @IsInteger(0, MAX_KEY_GRACE_MS / 1_000)
  grace_seconds = 86_400;
}

export class KeyView {
  id: string;
  account_id: string;
  project_id: string | null;
  environment: Environment;
  label: string;
  status: KeyStatus;
  /** Its first and last four characters. */
  display: string;
  rules: RulesDto;
  metadata: Metadata;
  /** The first key of those that have replaced one another, which share limits and budgets; its own id without such. */
  first_id: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** When its last request ended, to the minute; null where it has had none. */
  last_used_at: string | null;
  /** Grows with each change; the ETag. */
  version: string;
}

export class MadeKeyView extends KeyView {
  /** The full key. It is shown when it is made and never again: null in the answer to a repetition. */
  key: string | null;
}

export function keyView(key: ApiKey): KeyView {
  return {
    id: key.id,
    account_id: key.accountId,
    project_id: key.projectId ?? null,
    environment: key.environment,
    label: key.label,
    status: statusOf(key),
    display: key.display,
    rules: key.rules,
    metadata: key.metadata,
    first_id: key.firstId,
    created_at: isoTime(key.createdAt),
    expires_at: isoTime(key.expiresAt),
    revoked_at: isoTime(key.revokedAt),
    last_used_at: isoTime(key.usedAt),
    version: String(key.version),
  };
}

export function madeKeyView({ apiKey, key }: Pick<MadeApiKey, 'apiKey'> & Partial<MadeApiKey>): MadeKeyView {
  return Object.assign(keyView(apiKey), { key: key ?? null });
}

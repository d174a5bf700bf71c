import { IsObject, Matches } from '../../common/validation/class-validator.js';
import { IsInteger } from '../../http/requests/typed-fields.js';
import type { ProviderErrorKind } from '../../providers/contract/provider-error.js';
import type { Trial } from '../../providers/registry/provider-trial.js';
import type { FinishReason } from '../../wire/chat-completion.js';
import type { Integer } from '../../wire/integer.js';
import type { Usage } from '../../wire/usage.js';
import { IsText, MayBeAbsent } from '../fields.js';

/** The id of a provider, which is part of names of models, labels and settings. */
const IsProviderId = (): PropertyDecorator =>
  Matches(/^[a-z0-9][a-z0-9-]{0,62}$/, {
    message: '$property must be 1 to 63 lower-case letters, digits and dashes, the first no dash',
  });

export class CreateProviderDto {
  /** Absent: one is made. */
  @MayBeAbsent(IsProviderId())
  id?: string;

  /** What an entry of `providers` in the configuration file says: type, base_url, api_key, models and so on. */
  @IsObject()
  settings: Record<string, unknown>;
}

export class ChangeProviderDto {
  /** Fields that are to be different, each as a whole; null takes one away. */
  @MayBeAbsent(IsObject())
  settings?: Record<string, unknown>;
}

export class DisableProviderDto {
  /** Why, for other operators. */
  @MayBeAbsent(IsText(500, 1))
  message?: string;
}

class TrialDto {
  /** As the provider lists it, or its own name for it; absent: the cheapest that it lists. */
  @MayBeAbsent(IsText(512, 1))
  model?: string;

  @IsInteger(1, 64)
  max_tokens: Integer = 16;

  /** Milliseconds. */
  @IsInteger(100, 60_000)
  timeout: Integer = 20_000;
}

export class TryProviderDto extends TrialDto {
  /** As in a change, to be tried before they are saved. */
  @MayBeAbsent(IsObject())
  settings?: Record<string, unknown>;
}

export class TryNewProviderDto extends TrialDto {
  /** Which id they are for: an id that is a type needs none in its settings. */
  @MayBeAbsent(IsProviderId())
  id?: string;

  @IsObject()
  settings: Record<string, unknown>;
}

export type ProviderSource = 'file' | 'store';

/** A provider that operators have configured. */
export class ProviderView {
  id: string;
  /** The configuration file with its environment, or the store, where this API changes it. */
  source: ProviderSource;
  /** What it is; null where that cannot be told. */
  type: string | null;
  /**
   * Without secrets: of the file with defaults, of the store as they were given; null where they cannot be decrypted.
   */
  settings: object | null;
  /** Dotted names of the settings that hold a secret. */
  secrets: string[];
  /** Whether it serves at the process that answers. */
  in_service: boolean;
  /** Why it does not serve there although it is switched on. */
  problem: string | null;
  disabled_at: string | null;
  /** Why it is switched off. */
  message: string | null;
  /** Null for those of the file. */
  created_at: string | null;
  /** Null for those of the file. */
  version: string | null;
}

/** What has gone wrong in a trial. */
export class TrialErrorView {
  kind: ProviderErrorKind;
  /** The provider's HTTP status; null where it did not answer. */
  status: Integer | null;
  message: string;
  /** What the provider has said that clients are not told. */
  detail: string | null;
}

/** What has come of asking a provider for a few words. */
export class TrialView {
  ok: boolean;
  /** Null where there was none to ask. */
  model: string | null;
  /** The provider's own name of it. */
  upstream_model: string | null;
  /** Milliseconds from the request to the end. */
  latency_ms: number;
  /** Milliseconds; null where none came. */
  first_token_ms: number | null;
  /** The beginning of the answer. */
  text: string;
  finish_reason: FinishReason | null;
  /** As the provider counts it; null where it does not. */
  usage: Usage | null;
  error: TrialErrorView | null;
}

export function trialView({ model, latencyMs, firstTokenMs, text, finishReason, usage, error }: Trial): TrialView {
  return {
    ok: error === undefined,
    model: model?.id ?? null,
    upstream_model: model ? (model.upstreamModel ?? model.id) : null,
    latency_ms: Math.round(latencyMs),
    first_token_ms: firstTokenMs === undefined ? null : Math.round(firstTokenMs),
    text,
    finish_reason: finishReason ?? null,
    usage: usage ?? null,
    error: error ? { kind: error.kind, status: error.status ?? null, message: error.message, detail: error.detail ?? null } : null,
  };
}

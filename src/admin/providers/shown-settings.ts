import { Redactor } from '../../common/redaction/redactor.js';
import { secretsOfProvider } from '../../config/secrets.js';
import type { ProviderSettings } from '../../provider-store/stored-provider-store.js';
import { isObject } from '../../wire/json-object.js';
import { withoutSecrets } from '../configuration/without-secrets.js';
import { ownOf } from '../../wire/own-members.js';

/** Settings as operators see them. */
export interface ShownSettings {
  readonly settings: object;
  /** Dotted names of the settings that hold a secret. */
  readonly secrets: string[];
}

/** @param settings also such as cannot be used */
export function shownSettings(id: string, settings: ProviderSettings): ShownSettings {
  const { type = id, api_key, headers, base_url, proxy, options } = settings;
  const secrets = secretsOfProvider({
    type: String(type),
    api_key: textOf(api_key),
    headers: Object.fromEntries(Object.entries(isObject(headers) ? headers : {}).map(([name, value]) => [name, String(value)])),
    base_url: textOf(base_url) ?? '',
    proxy: textOf(proxy),
    options: isObject(options) ? options : {},
  });
  const shown = withoutSecrets(settings, secrets, new Redactor(secrets)) as object;
  return { settings: shown, secrets: [...differences(settings, shown)] };
}

/** The first setting that was read as `[redacted]` and would be written so. */
export function redactedSetting(settings: unknown, name = 'settings'): string | undefined {
  if (typeof settings === 'string') return /\[redacted\]|^https?:.*\bredacted\b/.test(settings) ? name : undefined;
  if (typeof settings !== 'object' || settings === null) return undefined;
  for (const [key, below] of Object.entries(settings)) {
    const found = redactedSetting(below, `${name}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function* differences(one: unknown, other: unknown, path: readonly string[] = []): Generator<string> {
  if (typeof one === 'object' && one !== null && typeof other === 'object' && other !== null)
    for (const [name, below] of Object.entries(one))
      yield* differences(below, ownOf(other as Record<string, unknown>, name), [...path, name]);
  else if (one !== other) yield path.join('.');
}

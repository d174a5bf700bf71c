import { type ModelRow, modelsOf, rowsOf } from './models-form';
import type { Provider, Settings } from './providers.api';

/** The settings of a provider as a form has them. */
export interface SettingsValues {
  type: string | null;
  base_url: string;
  /** Empty: it stays as it is. */
  api_key: string;
  free: boolean;
  prefix: string;
  /** Null: all that it lists. */
  models: ModelRow[] | null;
  /** All other settings, as JSON. */
  others: string;
}

const own = ['type', 'base_url', 'api_key', 'free', 'prefix', 'models'];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What a form begins with. */
export function valuesOf({ settings, type }: Pick<Provider, 'settings' | 'type'>): SettingsValues {
  const all = (settings ?? {}) as Settings;
  const others = Object.fromEntries(Object.entries(all).filter(([name]) => !own.includes(name)));
  return {
    type,
    base_url: textOf(all['base_url']),
    api_key: '',
    free: all['free'] === true,
    prefix: textOf(all['prefix']),
    models: rowsOf(all['models']),
    others: Object.keys(others).length === 0 ? '' : JSON.stringify(others, null, 2),
  };
}

/** Why what stands in the field of the other settings cannot be used; null where it can. */
export function othersProblem(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'A JSON object, such as {"headers": {}}';
    const twice = own.find((name) => Object.hasOwn(value, name));
    return twice === undefined ? null : `${twice} has a field of its own above`;
  } catch (error) {
    return `This is no JSON: ${(error as Error).message}`;
  }
}

/** The settings that a form says, of a provider that is new. */
export function settingsOf({ type, base_url, api_key, free, prefix, models, others }: SettingsValues): Settings {
  return {
    ...(type !== null && { type }),
    ...(base_url.trim() !== '' && { base_url: base_url.trim() }),
    ...(api_key !== '' && { api_key }),
    ...(free && { free }),
    ...(prefix !== '' && { prefix }),
    ...(models !== null && { models: modelsOf(models) }),
    ...(others.trim() === '' ? {} : (JSON.parse(others) as Settings)),
  };
}

/** What a form changes of a provider: null takes a setting away, and what is not named stays, secrets too. */
export function changeOf(provider: Provider, values: SettingsValues): Settings {
  const before = (provider.settings ?? {}) as Settings;
  const after = settingsOf(values);
  // The address and the name may say the type, without a setting.
  if (before['type'] === undefined && values.type === provider.type) delete after['type'];
  if (before['free'] === false && !values.free) after['free'] = false;
  const change: Settings = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (name === 'api_key' && values.api_key === '') continue;
    if (JSON.stringify(before[name]) !== JSON.stringify(after[name])) change[name] = after[name] ?? null;
  }
  return change;
}

import { shifted } from '../../ui/numbers';
import type { Rules } from './keys.api';

/** Rules as the fields of a form have them: what is empty restricts nothing. */
export interface RulesValues {
  models_allow: string[];
  models_deny: string[];
  providers_allow: string[];
  providers_deny: string[];
  operations: string[];
  addresses: string[];
  requests_per_minute: number | '';
  tokens_per_minute: number | '';
  concurrency: number | '';
  burst_seconds: number | '';
  /** Whether too high a `max_tokens` is lowered. */
  lower_max_tokens: 'model' | 'yes' | 'no';
  day: string;
  month: string;
  ever: string;
}

export function valuesOf(rules: Rules): RulesValues {
  const { models, providers, operations, addresses, lower_max_tokens, budgets } = rules;
  return {
    models_allow: models?.allow ?? [],
    models_deny: models?.deny ?? [],
    providers_allow: providers?.allow ?? [],
    providers_deny: providers?.deny ?? [],
    operations: operations ?? [],
    addresses: addresses ?? [],
    requests_per_minute: rules.requests_per_minute ?? '',
    tokens_per_minute: rules.tokens_per_minute ?? '',
    concurrency: rules.concurrency ?? '',
    burst_seconds: rules.burst_seconds ?? '',
    lower_max_tokens: lower_max_tokens === undefined ? 'model' : lower_max_tokens ? 'yes' : 'no',
    day: shifted(budgets?.day ?? '', 0),
    month: shifted(budgets?.month ?? '', 0),
    ever: shifted(budgets?.ever ?? '', 0),
  };
}

/** @param before the rules so far: what a newer gateway has, and this form has no field for, stays */
export function rulesOf(values: RulesValues, before: Rules = {}): Rules {
  const { day, month, ever, lower_max_tokens } = values;
  return withoutEmpty({
    ...before,
    models: withoutEmpty({ allow: values.models_allow, deny: values.models_deny }),
    providers: withoutEmpty({ allow: values.providers_allow, deny: values.providers_deny }),
    operations: values.operations as Rules['operations'],
    addresses: values.addresses,
    requests_per_minute: numberOf(values.requests_per_minute),
    tokens_per_minute: numberOf(values.tokens_per_minute),
    concurrency: numberOf(values.concurrency),
    burst_seconds: numberOf(values.burst_seconds),
    lower_max_tokens: lower_max_tokens === 'model' ? undefined : lower_max_tokens === 'yes',
    budgets: withoutEmpty({ day, month, ever }),
  });
}

const numberOf = (value: number | ''): number | undefined => (value === '' ? undefined : value);

function withoutEmpty<T extends object>(fields: T): T {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as T;
}

/** Rules in a few words each. */
export function rulesInWords({ models, providers, operations, addresses, ...limits }: Rules): string[] {
  const words: string[] = [];
  if (models?.allow?.length) words.push(listed('Only', models.allow, 'models'));
  if (models?.deny?.length) words.push(listed('Not', models.deny, 'models'));
  if (providers?.allow?.length) words.push(listed('Only', providers.allow, 'providers'));
  if (providers?.deny?.length) words.push(listed('Not', providers.deny, 'providers'));
  if (operations) words.push(operations.length === 1 ? `Only ${operations[0]}` : `${operations.length} operations`);
  if (addresses?.length) words.push(listed('From', addresses, 'addresses'));
  if (limits.requests_per_minute !== undefined) words.push(`${limits.requests_per_minute.toLocaleString('en')} requests/min`);
  if (limits.tokens_per_minute !== undefined) words.push(`${limits.tokens_per_minute.toLocaleString('en')} tokens/min`);
  if (limits.concurrency !== undefined) words.push(`${limits.concurrency.toLocaleString('en')} at once`);
  if (limits.burst_seconds !== undefined) words.push(`Bursts of ${limits.burst_seconds.toLocaleString('en')} s`);
  if (limits.lower_max_tokens !== undefined) words.push(limits.lower_max_tokens ? 'Lowers max_tokens' : 'Refuses too high max_tokens');
  return words;
}

const listed = (word: string, list: readonly string[], kind: string): string =>
  list.length === 1 ? `${word} ${list[0]}` : `${word} ${list.length} ${kind}`;

import { parseCredits } from '../../common/prices/credits.js';
import { ModelAccess } from '../../common/access/model-access.js';
import { inRanges } from '../../http/requests/address-ranges.js';
import type { KeyOperation } from '../../wire/operations.js';
import type { RulesDto } from './rules.dto.js';

/** Seconds' worth of a limit that may come at once. */
const BURST_SECONDS = 10;

/** Addresses of a key's clients of which it is remembered whether they may use it. */
const ADDRESSES = 16;

/** Whose rules they are: those of a key, a project or an account are counted each for itself. */
export type SubjectKind = 'key' | 'project' | 'account';

/** Limits that are counted together, at one subject. */
export interface SubjectLimits {
  /** Unique among all subjects: kind, id and environment. */
  readonly subject: string;
  readonly kind: SubjectKind;
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  readonly burstSeconds: number;
  /** Requests that are answered at the same time. */
  readonly concurrency?: number | undefined;
}

export type BudgetWindow = 'day' | 'month' | 'ever';

export interface Budget {
  /** As `SubjectLimits.subject`. */
  readonly subject: string;
  readonly kind: SubjectKind;
  readonly window: BudgetWindow;
  /** Nano-credits. */
  readonly limit: bigint;
}

/** What a key may do, by its own rules and those of its project and account. */
export interface PrincipalRules {
  readonly access: ModelAccess | undefined;
  /** Absent: all. */
  readonly operations: ReadonlySet<string> | undefined;
  /** @returns whether a client with this address may use the key; absent: from anywhere */
  readonly allowsAddress: ((address: string) => boolean) | undefined;
  /** At most one for each kind. */
  readonly limits: readonly SubjectLimits[];
  readonly budgets: readonly Budget[];
  /** Whether a `max_tokens` beyond a model's is lowered to it; absent: as the model says. */
  readonly lowersMaxTokens?: boolean | undefined;
}

export interface RulesOf {
  readonly kind: SubjectKind;
  readonly id: string;
  readonly rules: RulesDto;
}

/**
 * @param sources the nearest to the key first
 * @returns undefined where nothing restricts the key
 */
export function combineRules(environment: string, sources: readonly RulesOf[]): PrincipalRules | undefined {
  const all = sources.map(({ rules }) => rules);
  if (all.every((rules) => Object.values(rules).every((value) => value === undefined))) return undefined;
  return {
    access: all.some(({ models, providers }) => models ?? providers) ? new ModelAccess(all, environment === 'live') : undefined,
    operations: common(all.flatMap(({ operations }) => (operations ? [operations] : []))),
    allowsAddress: everyRange(all.flatMap(({ addresses }) => (addresses ? [addresses] : []))),
    limits: sources.flatMap((source) => limitsOf(source, environment)),
    budgets: sources.flatMap((source) => budgetsOf(source, environment)),
    lowersMaxTokens: all.find((rules) => rules.lower_max_tokens !== undefined)?.lower_max_tokens,
  };
}

const anyLive = new ModelAccess([], true);

/** @returns the models and providers that a key reaches; undefined: all */
export function accessOf(environment: string, rules: PrincipalRules | undefined): ModelAccess | undefined {
  return rules?.access ?? (environment === 'live' ? anyLive : undefined);
}

function common(lists: readonly (readonly KeyOperation[])[]): ReadonlySet<KeyOperation> | undefined {
  if (lists.length === 0) return undefined;
  return lists.map((list) => new Set(list)).reduce((one, other) => one.intersection(other));
}

function everyRange(lists: readonly (readonly string[])[]): ((address: string) => boolean) | undefined {
  if (lists.length === 0) return undefined;
  return lists.map((list) => inRanges(list, ADDRESSES)).reduce((one, other) => (address) => one(address) && other(address));
}

/** The text that names whose limits and budgets they are. */
export function subjectOf({ kind, id }: Pick<RulesOf, 'kind' | 'id'>, environment: string): string {
  return `${kind}/${id}/${environment}`;
}

function limitsOf(source: RulesOf, environment: string): SubjectLimits[] {
  const { requests_per_minute, tokens_per_minute, burst_seconds, concurrency } = source.rules;
  if (requests_per_minute === undefined && tokens_per_minute === undefined && concurrency === undefined) return [];
  return [
    {
      subject: subjectOf(source, environment),
      kind: source.kind,
      requestsPerMinute: requests_per_minute,
      tokensPerMinute: tokens_per_minute,
      burstSeconds: burst_seconds ?? BURST_SECONDS,
      concurrency,
    },
  ];
}

function budgetsOf(source: RulesOf, environment: string): Budget[] {
  const { day, month, ever } = source.rules.budgets ?? {};
  const windows = [
    ['day', day],
    ['month', month],
    ['ever', ever],
  ] as const;
  const subject = subjectOf(source, environment);
  return windows.flatMap(([window, limit]) =>
    limit === undefined ? [] : [{ subject, kind: source.kind, window, limit: parseCredits(limit) }],
  );
}

import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { type ById, useProjectsById } from '../../api/keys';
import { useAccount } from '../../shell/account';
import { sumOfCredits } from '../../ui/numbers';
import { type Key, type Rules, useSpent } from './keys.api';

export type BudgetWindow = 'day' | 'month' | 'ever';

/** Who has rules that a key must keep to. */
export type Binder = 'key' | 'project' | 'account';

/** Rules that a key must keep to. */
export interface Binding {
  readonly by: Binder;
  /** What people call the project or the organisation; absent: they are the key's own. */
  readonly of?: string;
  readonly rules: Rules;
}

/** The rules of the organisation, and of its projects by their ids. */
export interface BoundBy {
  readonly account: Binding | undefined;
  readonly projects: ById<{ readonly name: string; readonly rules: Rules }>;
}

/** Asks for what binds some keys of the account. */
export function useBoundBy(keys: readonly Key[]): BoundBy {
  const { id, name } = useAccount();
  const projects = useProjectsById(
    id,
    keys.map(({ project_id }) => project_id),
  );
  const account = useQuery({
    queryKey: ['accounts', 'one', id],
    staleTime: 60_000,
    queryFn: () => answerOf(api.GET('/admin/v1/accounts/{account}', { params: { path: { account: id } } })),
  });
  return {
    account: account.data && { by: 'account', of: name, rules: account.data.rules },
    projects,
  };
}

/** All rules that a key must keep to, its own first. */
export function bindingsOf({ rules, project_id }: Key, { account, projects }: BoundBy): Binding[] {
  const project = project_id === null ? undefined : projects.known.get(project_id);
  return [
    { by: 'key', rules },
    ...(project ? [{ by: 'project' as const, of: project.name, rules: project.rules }] : []),
    ...(account ? [account] : []),
  ];
}

/** What a key and those that it has replaced have spent in the window of a budget; undefined: not known yet. */
export type SpentOf = (key: Key, by: Binder, window: BudgetWindow) => string | undefined;

const windows = ['day', 'month', 'ever'] as const;

/** Asks for what was spent in the windows of all budgets that bind some key. */
export function useBudgets(keys: readonly Key[], { account, projects }: BoundBy): SpentOf {
  const binders = [...keys, ...projects.known.values(), ...(account ? [account] : [])];
  const has = (window: BudgetWindow) => binders.some(({ rules }) => rules.budgets?.[window] !== undefined);
  const spent = {
    day: useSpent(beginOf('day'), has('day')).data,
    month: useSpent(beginOf('month'), has('month')).data,
    ever: useSpent(beginOf('ever'), has('ever')).data,
  };
  return ({ first_id, project_id }, by, window) => {
    const counts = {
      key: ({ first_key }) => first_key === first_id,
      project: ({ project }) => project === project_id,
      account: () => true,
    } satisfies Record<Binder, (row: { first_key?: string | null; project?: string | null }) => boolean>;
    const rows = spent[window]?.filter(counts[by]);
    return rows && sumOfCredits(rows.map(({ credits }) => credits));
  };
}

/** When the window of a budget has begun, in UTC. */
function beginOf(window: BudgetWindow): string {
  const now = new Date();
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  return { day: new Date(Date.UTC(year, month, day)), month: new Date(Date.UTC(year, month)), ever: new Date(0) }[window].toISOString();
}

/** The budgets among rules. */
export const budgetsOf = (bindings: readonly Binding[]): (Binding & { window: BudgetWindow; limit: string })[] =>
  bindings.flatMap((binding) =>
    windows.flatMap((window) => {
      const limit = binding.rules.budgets?.[window];
      return limit === undefined ? [] : [{ ...binding, window, limit }];
    }),
  );

import { sumOfCredits } from '../../ui/numbers';
import { type Key, useSpent } from './keys.api';

export type BudgetWindow = 'day' | 'month' | 'ever';

/** What a key, with those that it has replaced, has spent in the window of a budget; undefined: not known yet. */
export type SpentOf = (key: Key, window: BudgetWindow) => string | undefined;

const windows = ['day', 'month', 'ever'] as const;

/** Asks for what was spent in the windows that some key has a budget for. */
export function useBudgets(keys: readonly Key[]): SpentOf {
  const has = (window: BudgetWindow) => keys.some(({ rules }) => rules.budgets?.[window] !== undefined);
  const spent = {
    day: useSpent(beginOf('day'), has('day')).data,
    month: useSpent(beginOf('month'), has('month')).data,
    ever: useSpent(beginOf('ever'), has('ever')).data,
  };
  return ({ first_id }, window) => {
    const amounts = spent[window];
    if (!amounts) return undefined;
    const replaced = keys.filter((key) => key.first_id === first_id);
    return sumOfCredits(replaced.map(({ id }) => amounts.get(id) ?? '0'));
  };
}

/** When the window of a budget has begun, in UTC. */
function beginOf(window: BudgetWindow): string {
  const now = new Date();
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  return { day: new Date(Date.UTC(year, month, day)), month: new Date(Date.UTC(year, month)), ever: new Date(0) }[window].toISOString();
}

/** The budgets of a key. */
export const budgetsOf = ({ rules }: Key): { window: BudgetWindow; limit: string }[] =>
  windows.flatMap((window) => {
    const limit = rules.budgets?.[window];
    return limit === undefined ? [] : [{ window, limit }];
  });

import type { Budget, BudgetWindow, SubjectKind } from '../../auth/rules/principal-rules.js';
import { firstRequestId, requestTime } from '../../common/requests/request-id.js';

export const budgetWindows = ['day', 'month', 'ever'] as const satisfies readonly BudgetWindow[];

/** A budget in one of its periods: a day or a month of UTC, or all time. */
export interface BudgetPeriod extends Budget {
  /** Subject, window and period: what the store has of it goes by this name. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** The beginning of the next period, in milliseconds since 1970; Infinity where there is none. */
  readonly until: number;
}

/** What holds for the requests that came in a stretch of time. Ids sort by time, so that none needs to be read. */
export class Stretch<T> {
  private constructor(
    readonly value: T,
    private readonly first: string,
    private readonly end: string | undefined,
  ) {}

  /**
   * @param from milliseconds since 1970
   * @param until the first millisecond after it; Infinity: it has no end
   */
  static of<U>(value: U, from: number, until: number): Stretch<U> {
    return new Stretch(value, firstRequestId(from), Number.isFinite(until) ? firstRequestId(until) : undefined);
  }

  /** The same stretch, of something else. */
  with<U>(value: U): Stretch<U> {
    return new Stretch(value, this.first, this.end);
  }

  has(requestId: string): boolean {
    return requestId > this.first && (this.end === undefined || requestId < this.end);
  }
}

/** The current periods of the budgets of each key, which are the same for all of its requests of a day. */
const known = new WeakMap<readonly Budget[], Stretch<readonly BudgetPeriod[]>>();

/**
 * The periods that a request is counted in: those in which it came, however long it lasts. Its id tells the time, so
 * that its usage row does.
 */
export function periodsOf(budgets: readonly Budget[], requestId: string): readonly BudgetPeriod[] {
  return periodsIn(budgets, requestId).value;
}

/** The same, with the stretch of time in which requests have the same periods. */
export function periodsIn(budgets: readonly Budget[], requestId: string): Stretch<readonly BudgetPeriod[]> {
  let current = known.get(budgets);
  if (!current?.has(requestId)) {
    const time = requestTime(requestId);
    const periods = budgets.map((budget) => periodOf(budget, time));
    const [from, until] = [Math.max(0, ...periods.map((period) => period.from)), Math.min(...periods.map((period) => period.until))];
    known.set(budgets, (current = Stretch.of(periods, from, until)));
  }
  return current;
}

/** @param time milliseconds since 1970 */
function periodOf(budget: Budget, time: number): BudgetPeriod {
  return { ...budget, name: periodName(budget.subject, budget.window, time), ...bounds(budget.window, time) };
}

/** @param time milliseconds since 1970 */
export function periodName(subject: string, window: BudgetWindow, time: number): string {
  if (window === 'ever') return `${subject}/ever`;
  return `${subject}/${window}/${new Date(time).toISOString().slice(0, window === 'day' ? 10 : 7)}`;
}

/** What the name of a period says. */
interface NamedPeriod extends Pick<BudgetPeriod, 'kind' | 'window' | 'until'> {
  /** Of the key, the project or the account. */
  readonly id: string;
  readonly environment: string;
}

/** @param name as periodName has made it: ids have no slash */
export function periodNamed(name: string): NamedPeriod {
  const [kind, id, environment, window, period = ''] = name.split('/') as [SubjectKind, string, string, BudgetWindow, string?];
  return { kind, id, environment, window, until: bounds(window, Date.parse(period)).until };
}

function bounds(window: BudgetWindow, time: number): { from: number; until: number } {
  if (window === 'ever') return { from: 0, until: Infinity };
  const at = new Date(time);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  return window === 'day'
    ? { from: Date.UTC(year, month, day), until: Date.UTC(year, month, day + 1) }
    : { from: Date.UTC(year, month), until: Date.UTC(year, month + 1) };
}

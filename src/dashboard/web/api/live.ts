import { Failure } from './failure';

interface Asked {
  readonly state: { readonly data: unknown; readonly error: Error | null };
}

/**
 * Has a query ask again and again, also when an answer was an error. Where nothing was answered yet the page says so and
 * offers to try again; whoever may not see it is not shown it later either.
 * @param milliseconds between two looks
 */
export const every =
  (milliseconds: number) =>
  ({ state: { data, error } }: Asked): number | false =>
    error !== null && (data === undefined || (error instanceof Failure && error.status === 403)) ? false : milliseconds;

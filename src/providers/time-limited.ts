import { firstValueFrom, from, throwError, timeout } from 'rxjs';

/**
 * The result of `work`, if it comes in time.
 * @throws Error (rejects) that says that it has not ended within `ms` milliseconds
 */
export function timeLimited<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = () => throwError(() => new Error(`it has not ended within ${ms / 1_000} s`));
  return firstValueFrom(from(work).pipe(timeout({ first: ms, with: late })));
}

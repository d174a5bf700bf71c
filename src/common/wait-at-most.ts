import { firstValueFrom, from, of, timeout } from 'rxjs';

/** Waits for `work`, but no longer than `ms` milliseconds. Rejects if `work` rejects in that time. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  await firstValueFrom(from(work).pipe(timeout({ first: ms, with: () => of(undefined) })));
}

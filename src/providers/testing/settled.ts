import { setTimeout as wait } from 'node:timers/promises';

/**
 * Resolves with the value of a growing counter once it has not changed in 30 looks at it, with a millisecond between
 * them: what this process does, and what it sends to itself, goes on within a few.
 */
export async function settled(counter: () => number): Promise<number> {
  let value = counter();
  for (let unchanged = 0; unchanged < 30; unchanged++) {
    await wait(1);
    if (counter() !== value) unchanged = 0;
    value = counter();
  }
  return value;
}

import { setTimeout as wait } from 'node:timers/promises';

/** Resolves with the value of a growing counter once it has not changed for a quarter of a second. */
export async function settled(counter: () => number): Promise<number> {
  let value = counter();
  for (let unchanged = 0; unchanged < 10; unchanged++) {
    await wait(25);
    if (counter() !== value) unchanged = 0;
    value = counter();
  }
  return value;
}

import { setTimeout as delay } from 'node:timers/promises';

/** Waits for what comes about outside the test's own calls. @throws Error after `timeout` milliseconds */
export async function until(condition: () => boolean | Promise<boolean>, what: string, timeout = 10_000): Promise<void> {
  const deadline = performance.now() + timeout;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeout} ms: ${what}`);
    await delay(5);
  }
}

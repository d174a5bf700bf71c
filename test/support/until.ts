import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for what comes about outside the test's own calls.
 * @throws Error after `timeout` milliseconds, by default many times what anything here takes
 */
export async function until(condition: () => boolean | Promise<boolean>, what: string, timeout = 30_000): Promise<void> {
  const deadline = performance.now() + timeout;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeout} ms: ${what}`);
    await delay(5);
  }
}

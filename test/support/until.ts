import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for what comes about outside the test's own calls.
 * @throws Error after `timeout` milliseconds, by default many times what anything here takes
 */
export async function until(condition: () => boolean | Promise<boolean>, what: string, timeout = 30_000): Promise<void> {
  const began = performance.now();
  while (!(await condition())) {
    const waited = performance.now() - began;
    if (waited > timeout) throw new Error(`not within ${timeout} ms: ${what}`);
    // What takes long is looked at less often: a look may start a process.
    await delay(Math.min(5 + waited / 20, 100));
  }
}

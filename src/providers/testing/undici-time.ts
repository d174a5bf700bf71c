import { createRequire } from 'node:module';
import { settled } from './settled.js';

/** What undici has for tests. */
interface FastTimers {
  tick(milliseconds: number): void;
}

const timers = createRequire(import.meta.url)('undici/lib/util/timers.js') as FastTimers;

/**
 * Has undici's timers run out that were set for up to a second, once what was sent has come. undici itself looks at
 * them twice a second.
 * @param sent counts what was sent
 */
export async function passSecond(sent: () => number): Promise<void> {
  await settled(sent);
  timers.tick(1_000);
}

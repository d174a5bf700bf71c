const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Milliseconds after each failed attempt, as Standard Webhooks suggests: ten attempts within a little more than three
 * days.
 */
const WAITS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

/** Attempts at a message. */
export const MAX_ATTEMPTS = WAITS.length + 1;

/** Share of a wait that is added at most, so that what has failed together does not come again together. */
const JITTER = 0.1;

/**
 * @param attempts that have failed, from 1
 * @param random from 0 to 1
 * @returns milliseconds to the next attempt; undefined where there is none
 */
export function waitAfter(attempts: number, random = Math.random()): number | undefined {
  const wait = WAITS[attempts - 1];
  return wait === undefined ? undefined : Math.round(wait * (1 + JITTER * random));
}

import type { ThinkValue } from './wire.js';

/** Words for the depth of thinking, from the shallowest to the deepest. */
const depths: readonly unknown[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/**
 * `reasoning_effort` as a value of `think` that the model takes. A word that it does not have becomes the next
 * shallower one, or else its shallowest; a model that has none thinks, or does not.
 *
 * | reasoning_effort | with levels           | without |
 * |------------------|-----------------------|---------|
 * | none             | false, or the least   | false   |
 * | minimal, low     | low                   | true    |
 * | medium           | medium                | true    |
 * | high, xhigh, max | high, or what is there | true   |
 *
 * @param values those that the model takes
 * @returns undefined where it takes none that fits
 */
export function thinkFrom(effort: string, values: readonly ThinkValue[]): ThinkValue | undefined {
  if (effort === 'none' && values.includes(false)) return false;
  const wanted = effort === 'none' ? 0 : depths.indexOf(effort);
  if (wanted < 0) return undefined;
  const levels = values.filter((value) => depths.includes(value)).sort((a, b) => depths.indexOf(a) - depths.indexOf(b));
  const level = levels.findLast((word) => depths.indexOf(word) <= wanted) ?? levels[0];
  if (level !== undefined) return level;
  return effort !== 'none' && values.includes(true) ? true : undefined;
}

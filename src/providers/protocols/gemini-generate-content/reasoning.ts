import type { ThinkingConfig } from './wire.js';
import { type ModelTraits, type ThinkingLevel, thinkingLevels } from './model-traits.js';
import { ownOf } from '../../../wire/own-members.js';

/**
 * `reasoning_effort` in Google's terms. The budgets are those of Google's own OpenAI-compatible address. A level that
 * the model does not have becomes its nearest.
 *
 * | reasoning_effort | thinkingLevel (Gemini 3 and later) | thinkingBudget (Gemini 2.5) |
 * |---|---|---|
 * | none    | the model's least | the model's least: 0, for Pro 128 |
 * | minimal | MINIMAL | 1,024 |
 * | low     | LOW     | 1,024 |
 * | medium  | MEDIUM  | 8,192 |
 * | high    | HIGH    | 24,576 |
 * | xhigh, max | XHIGH | 24,576 |
 */
const efforts: Readonly<Record<string, { level: ThinkingLevel; budget: number }>> = {
  none: { level: 'MINIMAL', budget: 0 },
  minimal: { level: 'MINIMAL', budget: 1_024 },
  low: { level: 'LOW', budget: 1_024 },
  medium: { level: 'MEDIUM', budget: 8_192 },
  high: { level: 'HIGH', budget: 24_576 },
  xhigh: { level: 'XHIGH', budget: 24_576 },
  max: { level: 'XHIGH', budget: 24_576 },
};

/**
 * Thoughts are included unless the effort is `none`: who asks for effort sees the reasoning.
 * @returns undefined where the model does not think, or the word is not known
 */
export function thinkingConfig(effort: string, { thinking }: ModelTraits): ThinkingConfig | undefined {
  const wanted = ownOf(efforts, effort);
  if (!wanted || !thinking) return undefined;
  const includeThoughts = effort !== 'none';
  if ('levels' in thinking) return { thinkingLevel: nearest(wanted.level, thinking.levels), includeThoughts };
  return { thinkingBudget: Math.max(wanted.budget, thinking.leastBudget), includeThoughts };
}

function nearest(wanted: ThinkingLevel, levels: readonly ThinkingLevel[]): ThinkingLevel {
  const depth = (level: ThinkingLevel): number => Math.abs(thinkingLevels.indexOf(level) - thinkingLevels.indexOf(wanted));
  return levels.reduce((best, level) => (depth(level) < depth(best) ? level : best));
}

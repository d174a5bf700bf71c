import { sumOfCredits } from '../../ui/numbers';
import type { Point } from './overview.api';

export interface Totals {
  requests: number;
  errors: number;
  promptTokens: number;
  completionTokens: number;
  /** Credits, as are those saved; exact. */
  cost: string;
  saved: string;
  /** About the median, in milliseconds: that of the medians of the intervals, by their requests. */
  firstToken: number | undefined;
}

interface Weighted {
  readonly value: number;
  readonly weight: number;
}

export function totalsOf(points: readonly Point[]): Totals {
  const sum = (field: (point: Point) => number): number => points.reduce((total, point) => total + field(point), 0);
  return {
    requests: sum(({ requests }) => requests),
    errors: sum(({ errors }) => errors),
    promptTokens: sum(({ prompt_tokens }) => prompt_tokens),
    completionTokens: sum(({ completion_tokens }) => completion_tokens),
    cost: sumOfCredits(points.map(({ cost }) => cost)),
    saved: sumOfCredits(points.map(({ saved_by_caching }) => saved_by_caching)),
    firstToken: weightedMedian(
      points.flatMap(({ first_token_ms, requests }) => (first_token_ms ? [{ value: first_token_ms.p50, weight: requests }] : [])),
    ),
  };
}

function weightedMedian(values: readonly Weighted[]): number | undefined {
  const sorted = [...values].sort((one, other) => one.value - other.value);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let passed = 0;
  for (const { value, weight } of sorted) if ((passed += weight) >= half) return value;
  return undefined;
}

import type { Problem } from '../../common/validation/instance-of.js';

/** What is wrong with the first wrong field, which is named with its path: `rules.models.allow must be an array`. */
export function validationProblem({ property, constraints, children }: Problem, path = ''): string {
  const [child] = children ?? [];
  if (child) return validationProblem(child, `${path}${property}.`);
  return `${path}${Object.values(constraints ?? {})[0] ?? `${property} is invalid`}`;
}

import type { ValidationError } from '../../common/class-validator.js';

/** What is wrong with the first wrong field, which is named with its path: `rules.models.allow must be an array`. */
export function validationProblem({ property, constraints, children }: ValidationError, path = ''): string {
  const [child] = children ?? [];
  if (child) return validationProblem(child, `${path}${property}.`);
  return `${path}${Object.values(constraints ?? {})[0] ?? `${property} is invalid`}`;
}

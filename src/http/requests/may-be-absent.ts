import { ValidateIf } from '../../common/validation/class-validator.js';

/** The field may be left out; otherwise the rules hold. Null is not that: a field that takes null says so. */
export const MayBeAbsent = (...rules: readonly PropertyDecorator[]): PropertyDecorator =>
  // What the description of the API reads.
  decorate(
    ValidateIf((_object, value) => value !== undefined, { context: { optional: true } }),
    ...rules,
  );

/** Several decorators as one. */
export const decorate =
  (...decorators: readonly PropertyDecorator[]): PropertyDecorator =>
  (target, property) => {
    for (const decorator of decorators) decorator(target, property);
  };

import { ValidateIf } from '../../common/class-validator.js';

/** The field may be left out. Null is not that: a field that takes null says so. */
export const MayBeAbsent = (): PropertyDecorator =>
  // What the description of the API reads.
  ValidateIf((_object, value) => value !== undefined, { context: { optional: true } });

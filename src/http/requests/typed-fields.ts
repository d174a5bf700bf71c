import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, IsArray, IsInt, IsNumber, Max, Min } from '../../common/validation/class-validator.js';

/*
 * Fields whose type is checked before their bounds. class-validator reports the check that was applied first, and
 * decorators that stand above one another are applied from the bottom up, so that bounds below a type would be reported
 * of a value that has none.
 */

export function IsInteger(min: number, max: number): PropertyDecorator {
  return applyDecorators(IsInt(), Min(min), Max(max));
}

export function IsNumeric(min: number, max: number): PropertyDecorator {
  return applyDecorators(IsNumber({}, { message: '$property must be a number' }), Min(min), Max(max));
}

/** @param elements checks of each element, their type first */
export function IsList(maxLength: number, ...elements: readonly PropertyDecorator[]): PropertyDecorator {
  return applyDecorators(IsArray(), ArrayMaxSize(maxLength), ...elements);
}

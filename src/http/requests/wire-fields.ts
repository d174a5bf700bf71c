import { applyDecorators } from '@nestjs/common';
import { IsBoolean, IsInt, IsOptional, Max, Min, registerDecorator } from '../../common/validation/class-validator.js';
import { ApiError } from '../../common/api-error.js';
import type { ErrorCode } from '../../wire/error.js';

/*
 * Decorators for the fields of request bodies. Types are strict ("1" is not 1), and null counts as absent where a field
 * is optional, because clients send it for absent values.
 */

export function RequiredText(maxLength: number): PropertyDecorator {
  return (target, property) => Checked(textOf(property, 1, maxLength), { schema: { minLength: 1, maxLength } })(target, property);
}

export function OptionalText(maxLength: number): PropertyDecorator {
  return (target, property) => OptionallyChecked(textOf(property, 0, maxLength), { maxLength })(target, property);
}

/** class-validator's own length would be found by matching each pair of surrogates of a text, however long it is. */
function textOf(property: string | symbol, min: 0 | 1, max: number): Check<object> {
  const message = `${String(property)} must be a ${min ? 'non-empty ' : ''}string of at most ${max} characters`;
  return (value) => (typeof value === 'string' && value.length >= min && value.length <= max ? undefined : message);
}

export function OptionalFlag(): PropertyDecorator {
  return applyDecorators(IsOptional(), IsBoolean({ message: '$property must be a boolean' }));
}

export function OptionalNumber(min: number, max: number): PropertyDecorator {
  const options = { message: `$property must be a number from ${min} to ${max}` };
  return applyDecorators(IsOptional(), Min(min, options), Max(max, options));
}

/** An integer of at least 1 whose upper bound the operator configures; it is checked elsewhere. */
export function OptionalCount(): PropertyDecorator {
  const options = { message: '$property must be an integer of at least 1' };
  return applyDecorators(IsOptional(), IsInt(options), Min(1, options));
}

export function RequiredInteger(min: number, max: number): PropertyDecorator {
  const options = { message: `$property must be an integer from ${min} to ${max}` };
  return applyDecorators(IsInt(options), Min(min, options), Max(max, options));
}

export function OptionalInteger(min: number, max: number): PropertyDecorator {
  const options = { message: `$property must be an integer from ${min} to ${max}` };
  return applyDecorators(IsOptional(), IsInt(options), Min(min, options), Max(max, options));
}

/** @returns what is wrong with a value, beginning with its path; undefined where nothing is */
type Check<T extends object> = (value: unknown, body: T) => string | undefined;

/** What there is to tell of a check beside the check. */
interface CheckOptions {
  /** Makes the error from the message; by default it is 400 invalid_request. */
  readonly error?: (message: string) => ApiError;
  /** What the check asks for and the type of the field does not say: keywords of JSON Schema, for the description. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

/**
 * A field that one plain function checks on the parsed JSON: for structures, and for rules that involve other fields.
 */
export function Checked<T extends object>(check: Check<T>, options?: CheckOptions): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: check.name,
      target: target.constructor,
      propertyName: String(property),
      options: options && { context: options },
      validator: {
        validate: (value, context) => check(value, context?.object as T) === undefined,
        defaultMessage: (context) => check(context?.value, context?.object as T) ?? '',
      },
    });
}

/** Like Checked, for a field that may be absent. */
export function OptionallyChecked<T extends object>(check: Check<T>, schema?: CheckOptions['schema']): PropertyDecorator {
  return applyDecorators(IsOptional(), Checked(check, { schema }));
}

/**
 * A parameter of the wire format that this operation does not support and refuses, because to drop it would change the
 * meaning of the response. A value without effect (false, an empty text or list) is accepted.
 */
export function Unsupported(advice: string, code: ErrorCode = 'unsupported_parameter'): PropertyDecorator {
  return (target, property) => {
    const message = `${String(property)} is not supported here: ${advice}`;
    const refuse = (value: unknown): string | undefined => (asksForNothing(value) ? undefined : message);
    IsOptional()(target, property);
    const error = () => new ApiError(code, message);
    Checked(refuse, { error, schema: { enum: [null, false, '', []], deprecated: true, description: `Not supported here: ${advice}.` } })(
      target,
      property,
    );
  };
}

function asksForNothing(value: unknown): boolean {
  return value === false || value === '' || (Array.isArray(value) && value.length === 0);
}

import {
  IsBoolean,
  IsInt,
  IsObject,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from '../common/validation/class-validator.js';
import { Transform, Type } from 'class-transformer';
import { RulesDto } from '../auth/rules/rules.dto.js';
import { ApiError } from '../common/api-error.js';
import { parseExistingTime } from '../common/time/existing-time.js';
import { decorate } from '../http/requests/may-be-absent.js';
import { IsList } from '../http/requests/typed-fields.js';

export { MayBeAbsent } from '../http/requests/may-be-absent.js';

const isoFormat = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** The field may be left out, or be null; otherwise the rules hold. */
export const MayBeNull = (...rules: readonly PropertyDecorator[]): PropertyDecorator =>
  decorate(
    ValidateIf((_object, value) => value !== undefined && value !== null, { context: { optional: true } }),
    ...rules,
  );

/** A text that both engines can store. */
export const IsText = (max: number, min = 0): PropertyDecorator =>
  decorate(
    IsString({ message: '$property must be a text' }),
    Matches(/^[^\0]*$/, { message: '$property must not contain NUL', context: { schema: {} } }),
    MaxLength(max),
    ...(min > 0 ? [MinLength(min)] : []),
  );

/** An id that a client chooses. */
export const IsClientId = (): PropertyDecorator =>
  Matches(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, {
    message: '$property must be 1 to 64 letters, digits, dots, dashes and underscores, the first a letter or a digit',
  });

/** The rules of a key, or those that keys have in common. */
export const IsRules = (): PropertyDecorator =>
  decorate(
    Type(() => RulesDto),
    ValidateNested(),
    IsObject(),
  );

/** An ISO 8601 time with its zone. */
export const IsTime = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isTime',
      validator: {
        validate: (value) => typeof value === 'string' && isoFormat.test(value) && !Number.isNaN(parseExistingTime(value)),
        defaultMessage: () => '$property must be a time of the calendar such as 2026-11-21T10:00:00Z',
      },
    },
    { context: { schema: { format: 'date-time' } } },
  );

/** A whole number in a query string. */
export const IsCount = (min: number, max: number): PropertyDecorator =>
  decorate(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value)),
    IsInt({ message: `$property must be a whole number from ${min} to ${max}` }),
    Min(min),
    Max(max),
  );

/** `true` or `false` in a query string. */
export const IsFlag = (): PropertyDecorator =>
  decorate(
    Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value)),
    IsBoolean(),
  );

/** Texts in a query string, with commas between. A text with a comma stands in a parameter of its own. */
export const IsSeparated = (maxLength: number, ...elements: readonly PropertyDecorator[]): PropertyDecorator =>
  decorate(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value)),
    IsList(maxLength, ...elements),
  );

/** @param time milliseconds since 1970 */
export function isoTime(time: number): string;
export function isoTime(time: number | undefined): string | null;
export function isoTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

/** @returns milliseconds since 1970; null and undefined as they are */
export function timeOf(text: string | null | undefined): number | null | undefined {
  return typeof text === 'string' ? Date.parse(text) : text;
}

/** @throws ApiError 400 invalid_request where it has passed, so many milliseconds ago */
export function timeToCome(text: string | null | undefined, ago = 0): number | null | undefined {
  const time = timeOf(text);
  if (typeof time === 'number' && time <= Date.now() - ago) throw new ApiError('invalid_request', 'expires_at is in the past');
  return time;
}

import { Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { type ValidationError, validateSync } from '../../common/validation/class-validator.js';
import { ApiError } from '../../common/api-error.js';
import { exactField } from '../../json/exact-numbers.js';
import { setMember } from '../../wire/own-members.js';
import { FieldRules } from './field-rules.js';

/**
 * Validates the fields of a body by the rules of class-validator, without class-transformer: nested values stay the
 * parsed JSON (to instantiate each message would take 80 microseconds a request, measured). The error names the first
 * wrong field. Fields that the class does not declare are not assigned to the instance, so that none can shadow what
 * class-validator relies on (`constructor`).
 */
@Injectable()
export class WireValidationPipe<T extends object> implements PipeTransform<unknown, T> {
  readonly #rules: FieldRules;

  /** @param extra name of the member that receives the undeclared fields; they are ignored where it is absent */
  constructor(
    private readonly dto: Type<T>,
    private readonly extra?: keyof T & string,
  ) {
    this.#rules = new FieldRules(dto);
  }

  /** @throws ApiError 400 invalid_request, or the error that a constraint names in its context */
  transform(value: unknown): T {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      const missing = value === undefined;
      throw new ApiError(
        'invalid_request',
        missing ? 'The request body is empty. Send a JSON object.' : 'The request body must be a JSON object.',
      );
    }
    const instance = new this.dto();
    const fields = instance as Record<string, unknown>;
    let extra: Record<string, unknown> | undefined;
    const given = Object.keys(value);
    for (const name of given) {
      if (this.#rules.declares(name)) fields[name] = (value as Record<string, unknown>)[name];
      else if (this.extra) setMember((extra ??= {}), name, exactField(value, name));
    }
    if (!this.#rules.hold(instance, given)) throw refusalOf(instance);
    if (extra && this.extra) fields[this.extra] = extra;
    return instance;
  }
}

/** The refusal with the message of class-validator, which is run for refused bodies only. */
function refusalOf(instance: object): ApiError {
  const [error] = validateSync(instance, { stopAtFirstError: true, forbidUnknownValues: false });
  return error ? apiErrorOf(error) : new ApiError('invalid_request', 'The request is invalid');
}

/** A constraint may make its own error from its message, by `context: {error}`. */
function apiErrorOf(error: ValidationError): ApiError {
  const [constraint = ''] = Object.keys(error.constraints ?? {});
  const message = error.constraints?.[constraint] ?? `${error.property} is invalid`;
  const context = error.contexts?.[constraint] as { error?: (message: string) => ApiError } | undefined;
  return context?.error?.(message) ?? new ApiError('invalid_request', message);
}

import type { PipeTransform, Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from '../../common/class-validator.js';
import { ApiError } from '../../common/api-error.js';
import { freeFormOf } from './free-form.js';
import { validationProblem } from './validation-problem.js';

/**
 * Makes the DTO of a body or a query string, nested ones too, with class-transformer, and validates it with
 * class-validator. The error names the first wrong field. What the DTO does not declare is refused. It is too slow for
 * the routes that customers call (see WireValidationPipe).
 */
export class DtoPipe<T extends object> implements PipeTransform<unknown, T> {
  constructor(private readonly dto: Type<T>) {}

  /** @throws ApiError 400 invalid_request */
  transform(value: unknown): T {
    const given: Record<string, unknown> = { ...(value as object | undefined) };
    const asItCame: Record<string, unknown> = {};
    for (const name of freeFormOf(this.dto.prototype as object)) {
      if (Object.hasOwn(given, name)) asItCame[name] = given[name];
      delete given[name];
    }
    refuseInherited(given);
    const instance = Object.assign(plainToInstance(this.dto, given, { exposeDefaultValues: true }), asItCame);
    const [error] = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true, stopAtFirstError: true });
    if (error) throw new ApiError('invalid_request', validationProblem(error));
    return instance;
  }
}

/** class-transformer leaves out members with names that all objects have, so that nobody would refuse them. */
function refuseInherited(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name in Object.prototype) throw new ApiError('invalid_request', `property ${name} should not exist`);
    refuseInherited(member);
  }
}

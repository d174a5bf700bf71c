import type { PipeTransform, Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from '../../common/class-validator.js';
import { ApiError } from '../../common/api-error.js';
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
    const instance = plainToInstance(this.dto, value ?? {}, { exposeDefaultValues: true });
    const [error] = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true, stopAtFirstError: true });
    if (error) throw new ApiError('invalid_request', validationProblem(error));
    return instance;
  }
}

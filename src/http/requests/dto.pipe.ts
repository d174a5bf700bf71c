import type { PipeTransform, Type } from '@nestjs/common';
import { ApiError } from '../../common/api-error.js';
import { instanceOf } from '../../common/instance-of.js';
import { validationProblem } from './validation-problem.js';

/**
 * Makes the DTO of a body or a query string, nested ones too. The error names the first wrong field. What the DTO does
 * not declare is refused. It is too slow for the routes that customers call (see WireValidationPipe).
 */
export class DtoPipe<T extends object> implements PipeTransform<unknown, T> {
  constructor(private readonly dto: Type<T>) {}

  /** @throws ApiError 400 invalid_request */
  transform(value: unknown): T {
    const { instance, problems } = instanceOf(this.dto, value ?? {});
    if (problems[0]) throw new ApiError('invalid_request', validationProblem(problems[0]));
    return instance;
  }
}

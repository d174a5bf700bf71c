import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { ApiError } from '../../common/api-error.js';
import { instanceOf } from '../../common/validation/instance-of.js';
import { validationProblem } from './validation-problem.js';

/**
 * Makes a body or a query string an instance of the class that the handler declares for it. It is too slow for the
 * routes that customers call (see WireValidationPipe).
 */
export class DtoPipe implements PipeTransform {
  /** @throws ApiError 400 invalid_request */
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    return type === 'body' || type === 'query' ? dtoOf(metatype as Type<object>, value) : value;
  }
}

/**
 * Makes a DTO, nested ones too. What it does not declare is refused.
 * @throws ApiError 400 invalid_request, which names the first wrong field
 */
export function dtoOf<T extends object>(dto: Type<T>, value: unknown): T {
  const { instance, problems } = instanceOf(dto, value ?? {});
  if (problems[0]) throw new ApiError('invalid_request', validationProblem(problems[0]));
  return instance;
}

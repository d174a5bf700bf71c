import { Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from '../../common/validation/class-validator.js';
import { ApiError } from '../../common/api-error.js';

/**
 * Makes the DTO of a query string with class-transformer and validates it with class-validator. The error names the
 * first wrong parameter. Parameters without @Expose are ignored, and those that the client leaves out keep the defaults
 * of the class.
 */
@Injectable()
export class QueryValidationPipe<T extends object> implements PipeTransform<unknown, T> {
  constructor(private readonly dto: Type<T>) {}

  /** @throws ApiError 400 invalid_request */
  transform(query: unknown): T {
    const instance = plainToInstance(this.dto, query, { excludeExtraneousValues: true, exposeDefaultValues: true });
    const [error] = validateSync(instance, { stopAtFirstError: true });
    if (!error) return instance;
    const [message = `${error.property} is invalid`] = Object.values(error.constraints ?? {});
    throw new ApiError('invalid_request', message);
  }
}

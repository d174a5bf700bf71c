import { ApiError } from '../../../common/api-error.js';
import type { WireValidationPipe } from '../wire-validation.pipe.js';

/** @returns what says why a body is refused; undefined where it is taken */
export const refusalOf =
  (pipe: Pick<WireValidationPipe<object>, 'transform'>) =>
  (body: unknown): ApiError | undefined => {
    try {
      pipe.transform(body);
      return undefined;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  };

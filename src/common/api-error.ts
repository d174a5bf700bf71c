import { type ErrorCode, errorCodes, type ErrorType } from '../wire/error.js';

/** The only exception our own code throws at a client. Status and type follow from the code (wire/error.ts). */
export class ApiError extends Error {
  readonly status: number;
  readonly type: ErrorType;

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** Response headers that belong to the error, for example `retry-after` in seconds. */
    readonly headers: Readonly<Record<string, string>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ApiError';
    this.status = errorCodes[code].status;
    this.type = errorCodes[code].type;
  }
}

/** The specification's fixed wordings (Errors), in one place. */
export const fixedErrors = {
  missingApiKey: () => new ApiError('missing_api_key', 'No API key provided'),
  invalidApiKey: () => new ApiError('invalid_api_key', 'Invalid API key provided'),
  insufficientCredits: (headers?: Record<string, string>) =>
    new ApiError('insufficient_credits', 'Insufficient credits. Please add credits to your account.', headers),
  modelNotFound: (model: string) => new ApiError('model_not_found', `The model '${model}' does not exist or you do not have access to it`),
  invalidPrompt: () => new ApiError('invalid_prompt', 'You must provide a prompt'),
};

import { type ErrorCode, errorCodes, type ErrorType } from '../wire/error.js';

/** What a client is told beside an error; the HTTP room makes headers of it. */
export interface ErrorAdvice {
  /** Seconds after which the request may be sent again. */
  readonly retryAfter?: number;
  /** False where the same request would fail again; official clients otherwise repeat some statuses by themselves. */
  readonly retry?: boolean;
  /** The methods that the address answers. */
  readonly allow?: readonly string[];
}

/**
 * The only exception that the gateway's own code throws at a client. Status and type follow from the code
 * (wire/error.ts).
 */
export class ApiError extends Error {
  readonly status: number;
  readonly type: ErrorType;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly advice: ErrorAdvice = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ApiError';
    this.status = errorCodes[code].status;
    this.type = errorCodes[code].type;
  }
}

/** The errors whose wording the specification fixes (chapter Errors). */
export const fixedErrors = {
  missingApiKey: () => new ApiError('missing_api_key', 'No API key provided'),
  invalidApiKey: () => new ApiError('invalid_api_key', 'Invalid API key provided'),
  insufficientCredits: (advice?: ErrorAdvice) =>
    new ApiError('insufficient_credits', 'Insufficient credits. Please add credits to your account.', advice),
  modelNotFound: (model: string) => new ApiError('model_not_found', `The model '${model}' does not exist or you do not have access to it`),
  invalidPrompt: () => new ApiError('invalid_prompt', 'You must provide a prompt'),
};

/** Bytes of a response body that is read as a whole. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Milliseconds that the body of an error response may take; what has not come by then is not waited for. */
export const ERROR_BODY_TIME = 5_000;

/** Bytes of the body of an error response that are read. */
export const MAX_ERROR_BYTES = 64 * 1024;

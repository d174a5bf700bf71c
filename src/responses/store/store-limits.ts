/** Bytes of JSON that the input of a stored response may have. */
export const MAX_INPUT = 4 * 1024 * 1024;

/** Bytes of JSON that a stored response may have itself. */
export const MAX_ANSWER = 8 * 1024 * 1024;

/** Responses of which one input may name items by their ids. */
export const MAX_REFERRED = 100;

/** Bytes of a stored conversation that a response may continue, and of the responses whose items an input names. */
export const MAX_CONVERSATION = 8 * 1024 * 1024;

/** Responses that are generated in the background at the same time: of one account at all gateways, and by one process. */
export const MAX_BACKGROUND = 50;
export const MAX_PROCESS_BACKGROUND = 1_000;

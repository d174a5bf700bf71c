/** The message of what was thrown, which need not be an Error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The text of what an error comes from in the end, where libraries put words of their own around it. A cause that is no
 * Error is what they looked at.
 */
export function rootMessageOf(error: unknown): string {
  let reason = error;
  for (let depth = 0; depth < 5 && reason instanceof Error && reason.cause instanceof Error; depth++) reason = reason.cause;
  return messageOf(reason);
}

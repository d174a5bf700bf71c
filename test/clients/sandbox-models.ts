/** The sandbox's models by what the suites want of them. */
export const sandbox = {
  chat: 'sandbox-chat',
  completion: 'sandbox-text',
  inactive: 'sandbox-retired',
  rateLimited: 'sandbox-rate-limited',
  overloaded: 'sandbox-overloaded',
  /** Says a few words, then nothing. */
  stall: 'sandbox-stall',
  /** Its connection ends in the middle of a sentence. */
  cut: 'sandbox-cut',
  contextOverflow: 'sandbox-context-overflow',
} as const;

/** How far a limit is used, for the client that is answered. */
export interface RateLimitState {
  /** Requests or tokens a minute. */
  readonly limit: number;
  /** How many of them may come now. */
  readonly remaining: number;
  /** Milliseconds after which as many may come at once as ever, if none comes meanwhile. */
  readonly resetMs: number;
}

/** The limits that a request was counted against: of several subjects those that leave the least. */
export interface RateLimits {
  readonly requests: RateLimitState | undefined;
  readonly tokens: RateLimitState | undefined;
}

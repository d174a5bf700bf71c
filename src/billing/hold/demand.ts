/** Money that an ask can count on. Amounts in nano-credits. */
export interface Supply {
  readonly available: bigint;
  /** Leased to other processes, used or not. */
  readonly elsewhere: bigint;
  /** The last recall that all of those have answered; undefined where there are none. */
  readonly reached: bigint | undefined;
}

export interface Demand {
  /** Nano-credits wanted; undefined when what is available would not help anybody. */
  readonly need: bigint | undefined;
  /** Somebody has to wait for what is elsewhere. */
  readonly short: boolean;
  /** Somebody for whom no recall has been made. */
  readonly recalls: boolean;
}

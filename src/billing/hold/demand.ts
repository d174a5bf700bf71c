/** Money that a request for a grant can count on. Amounts in nano-credits. */
export interface Supply {
  readonly available: bigint;
  /** Leased to other processes, used or not. */
  readonly elsewhere: bigint;
  /** The last recall that all of those processes have answered; undefined where there are none. */
  readonly reached: bigint | undefined;
}

/** What those who wait at one process want of a supply. */
export interface Demand {
  /** Nano-credits; undefined where what is available would help nobody. */
  readonly need: bigint | undefined;
  /** Somebody has to wait for money that other processes have leased. */
  readonly short: boolean;
  /** A recall is to be made for somebody. */
  readonly recalls: boolean;
}

/** How many times the free places an account may hold. */
export const SHARE = 8;
/** From so many places on, the last free one is kept for an account that holds none. */
const LEAST_SHARED = 4;
/**
 * Accounts at which those that hold nothing are forgotten for the first time. They are not at once, so that the map
 * does not change with every request.
 */
const MAX_IDLE = 1_000;

/**
 * A number of places that accounts share. An account may hold at most eight times as many as are free. By itself it so
 * gets eight ninths of all; whoever comes then finds the last ninth and gets eight ninths of that, and so on. Nobody
 * has to give a place back for it, so that it also holds where places are never given back. A share that is known
 * beforehand would leave places unused, or would need to know how many accounts there are.
 */
export class FairPlaces {
  readonly #held = new Map<string, number>();
  #free: number;
  #mostAccounts = MAX_IDLE;

  constructor(readonly limit: number) {
    this.#free = limit;
  }

  get taken(): number {
    return this.limit - this.#free;
  }

  get free(): number {
    return this.#free;
  }

  heldBy(account: string): number {
    return this.#held.get(account) ?? 0;
  }

  /** Whether the account may take a further place. */
  allows(account: string): boolean {
    return allows(this.heldBy(account), this.#free, this.limit);
  }

  /** @returns false where the account may not */
  take(account: string): boolean {
    const held = this.#held.get(account);
    if (!allows(held ?? 0, this.#free, this.limit)) return false;
    if (held === undefined && this.#held.size >= this.#mostAccounts) this.#forgetIdle();
    this.#held.set(account, (held ?? 0) + 1);
    this.#free--;
    return true;
  }

  give(account: string): void {
    this.#held.set(account, this.#held.get(account)! - 1);
    this.#free++;
  }

  #forgetIdle(): void {
    for (const [account, held] of this.#held) if (held === 0) this.#held.delete(account);
    // So that the next time is as far away as this one took work.
    this.#mostAccounts = Math.max(MAX_IDLE, 2 * this.#held.size);
  }
}

function allows(held: number, free: number, limit: number): boolean {
  if (held === 0) return free > 0;
  return held < SHARE * free && (free > 1 || limit < LEAST_SHARED);
}

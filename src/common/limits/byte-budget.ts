import { getHeapStatistics } from 'node:v8';

/** The part of the heap's limit that a budget has where the operator sets none. */
const SHARE = 6;

/**
 * A limit for the bytes that many requests keep in memory together. The requests of one account may have at most half
 * of them together, so that whoever comes next finds room; a single one may have what is free, because a large request
 * could otherwise never be served.
 */
export class ByteBudget {
  #used = 0;
  readonly #held = new Map<string, number>();

  /** @param limit bytes */
  constructor(readonly limit: number = Math.floor(getHeapStatistics().heap_size_limit / SHARE)) {}

  get used(): number {
    return this.#used;
  }

  heldBy(account: string): number {
    return this.#held.get(account) ?? 0;
  }

  /**
   * Changes what one request of an account has from `had` bytes to `wanted`.
   * @returns whether there was room; otherwise nothing is changed
   */
  resize(account: string, had: number, wanted: number): boolean {
    const more = wanted - had;
    const held = this.heldBy(account);
    if (more > 0 && (this.#used + more > this.limit || (held > had && held + more > this.limit / 2))) return false;
    this.#used += more;
    if (held + more > 0) this.#held.set(account, held + more);
    else this.#held.delete(account);
    return true;
  }
}

/** Bytes that one request need not count: most requests never have more. */
const UNCOUNTED = 64 * 1024;

/** What one request has taken of a budget. */
export class ByteClaim {
  #taken = 0;

  /** @param account the id of whose request it is; requests of nobody share one share */
  constructor(
    private readonly budget: ByteBudget,
    private readonly account = '',
  ) {}

  /**
   * @param bytes that the request keeps now
   * @returns whether there is room for them
   */
  resize(bytes: number): boolean {
    const wanted = bytes > UNCOUNTED ? bytes : 0;
    if (wanted !== this.#taken && !this.budget.resize(this.account, this.#taken, wanted)) return false;
    this.#taken = wanted;
    return true;
  }

  /** Gives all back. It may be called more than once. */
  release(): void {
    this.resize(0);
  }
}

/** The budget of the bodies of requests that are under way. */
export class BodyBudget extends ByteBudget {}

/** The budget of what has come from providers and waits in memory. */
export class AnswerBudget extends ByteBudget {}

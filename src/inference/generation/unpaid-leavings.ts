import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/time/clock.js';
import { BoundedMap } from '../bounded-map.js';
import { ConfigService } from '../../config/config.service.js';

const MINUTE = 60_000;

/** Tokens for which one more is counted: a long prompt costs the operator more than a short one. */
const TOKENS_EACH = 8_192;

/** Keys that are remembered. The one that has not left for longest is forgotten first. */
const MAX_KEYS = 10_000;

interface Allowance {
  left: number;
  /** Monotonic milliseconds at which `left` was so. */
  at: number;
}

/**
 * How often a key may leave a request before its first token, or before an answer that is not streamed, at no cost:
 * providers bill the operator for most of them. Beyond that, such requests are charged by estimate.
 */
@Injectable()
export class UnpaidLeavings {
  readonly #allowances = new BoundedMap<string, Allowance>(MAX_KEYS);

  constructor(
    private readonly config: ConfigService,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts one leaving.
   * @param tokens of the prompt that was left, and of what was probably generated
   * @returns whether it costs nothing
   */
  take(keyId: string, tokens: number): boolean {
    const now = this.clock.monotonic();
    const { unpaid_leavings: most } = this.config.current.limits;
    const { left, at } = this.#allowances.get(keyId) ?? { left: most, at: now };
    const refilled = Math.min(most, left + ((now - at) * most) / MINUTE);
    const rest = refilled - 1 - Math.floor(tokens / TOKENS_EACH);
    if (rest < 0) return false;
    this.#allowances.delete(keyId);
    this.#allowances.set(keyId, { left: rest, at: now });
    return true;
  }
}

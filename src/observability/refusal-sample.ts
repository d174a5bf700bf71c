import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock, type Timer } from '../common/time/clock.js';
import { MinuteAllowance } from './minute-allowance.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether a request without a valid key leaves a record and a log line, once that is decided. */
    inSample?: boolean;
  }
}

/** Milliseconds between two lines about those that were left out. */
const MINUTE_MS = 60_000;

/**
 * Decides which requests without a valid key leave a record and a log line of their own: 60 a minute for each error
 * code. Whoever has no key so fills neither the store nor the log. The metrics count all, and once a minute a line
 * tells how many were left out.
 */
@Injectable()
export class RefusalSample implements OnApplicationShutdown {
  readonly #logger = new Logger('Requests');
  /** By error code. */
  readonly #allowances = new Map<string, MinuteAllowance>();
  #timer: Timer | undefined;

  constructor(private readonly clock: Clock) {}

  onApplicationShutdown(): void {
    this.#tell();
  }

  /** The same for all who ask about one request. */
  keeps(request: Pick<FastifyRequest, 'principal' | 'administrator' | 'answeredError' | 'inSample'>): boolean {
    if (request.principal ?? request.administrator) return true;
    return (request.inSample ??= this.#take(request.answeredError?.code ?? 'answered'));
  }

  #take(reason: string): boolean {
    let allowance = this.#allowances.get(reason);
    if (!allowance) this.#allowances.set(reason, (allowance = new MinuteAllowance(this.clock)));
    if (allowance.take()) return true;
    this.#timer ??= this.clock.setTimeout(() => this.#tell(), MINUTE_MS).unref();
    return false;
  }

  #tell(): void {
    this.clock.clear(this.#timer);
    this.#timer = undefined;
    for (const [reason, allowance] of this.#allowances) {
      const { leftOut } = allowance;
      if (leftOut > 0) this.#logger.warn(`${leftOut} requests without a valid key (${reason}) left no record of their own`);
      allowance.leftOut = 0;
    }
  }
}

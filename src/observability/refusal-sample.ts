import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether a request without a valid key leaves a record and a log line, once that is decided. */
    inSample?: boolean;
  }
}

/** Requests of one reason that may come at once, and in a minute. */
const BURST = 60;
const MINUTE_MS = 60_000;

/**
 * For one error code: how many requests may still be kept, and how many were left out since the last line about them.
 */
interface Bucket {
  kept: number;
  filledAt: number;
  leftOut: number;
}

/**
 * Decides which requests without a valid key leave a record and a log line of their own: 60 a minute for each error
 * code. Whoever has no key so fills neither the store nor the log. The metrics count all, and once a minute a line
 * tells how many were left out.
 */
@Injectable()
export class RefusalSample implements OnApplicationShutdown {
  readonly #logger = new Logger('Requests');
  readonly #buckets = new Map<string, Bucket>();
  #timer: NodeJS.Timeout | undefined;

  onApplicationShutdown(): void {
    this.#tell();
  }

  /** The same for all who ask about one request. */
  keeps(request: Pick<FastifyRequest, 'principal' | 'errorCode' | 'inSample'>): boolean {
    if (request.principal) return true;
    return (request.inSample ??= this.#take(request.errorCode ?? 'answered'));
  }

  #take(reason: string): boolean {
    const now = Date.now();
    let bucket = this.#buckets.get(reason);
    if (!bucket) this.#buckets.set(reason, (bucket = { kept: BURST, filledAt: now, leftOut: 0 }));
    bucket.kept = Math.min(BURST, bucket.kept + ((now - bucket.filledAt) * BURST) / MINUTE_MS);
    bucket.filledAt = now;
    if (bucket.kept >= 1) {
      bucket.kept--;
      return true;
    }
    bucket.leftOut++;
    this.#timer ??= setTimeout(() => this.#tell(), MINUTE_MS).unref();
    return false;
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [reason, bucket] of this.#buckets) {
      if (bucket.leftOut > 0) this.#logger.warn(`${bucket.leftOut} requests without a valid key (${reason}) left no record of their own`);
      bucket.leftOut = 0;
    }
  }
}

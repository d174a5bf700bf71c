import { Logger } from '@nestjs/common';
import type { LivePerformance } from '../../catalogue/live-performance.js';
import { isProviderError } from '../../providers/provider-error.js';
import type { GenerationChunk } from '../../wire/generation.js';
import type { Route } from '../routing/router.service.js';
import type { AttemptWatch } from './attempt.js';
import { kindRules } from './provider-error.mapping.js';
import type { UpstreamMeter } from './upstream-meter.js';

const logger = new Logger('Attempts');

/** Counts the tokens of one upstream call, checks its end, and records the performance of its offer. */
export class MeteredCall implements AttemptWatch {
  readonly #started = performance.now();

  constructor(
    private readonly route: Route,
    private readonly requestId: string,
    private readonly meter: UpstreamMeter,
    private readonly performance: LivePerformance,
  ) {}

  next(chunk: GenerationChunk): void {
    this.meter.see(chunk);
  }

  error(error: unknown): void {
    if (!isProviderError(error)) return;
    const { code, next, alarm } = kindRules[error.kind];
    if (next) this.#record(false);
    const line = `${this.route.provider.id} failed (${error.kind}, ${code}) request ${this.requestId}: ${error.message}`;
    if (alarm) logger.error(line);
    else if (next) logger.warn(line);
  }

  /** @throws ProviderError as UpstreamMeter.requireFinished */
  complete(): void {
    try {
      this.meter.requireFinished();
    } catch (error) {
      this.error(error);
      throw error;
    }
    this.#record(true);
  }

  #record(ok: boolean): void {
    const { provider, offer, calls } = this.route;
    // In test mode another provider answers, which says nothing about this one; simulated failures do not count.
    if (provider !== offer.provider || (!ok && offer.simulated)) return;
    const { firstTokenAt, usage } = this.meter;
    const totalMs = performance.now() - this.#started;
    const firstTokenMs = calls[0]!.request.stream && firstTokenAt !== undefined ? firstTokenAt - this.#started : undefined;
    this.performance.record(offer, { ok, totalMs, firstTokenMs, completionTokens: usage.completion_tokens });
  }
}

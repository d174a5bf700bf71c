import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { Ledger } from '../billing/hold/ledger.js';
import { ApiError } from '../common/api-error.js';
import { Clock } from '../common/time/clock.js';
import { ErrorEnvelopeInterceptor } from '../http/answers/error-envelope.interceptor.js';
import { Public } from '../http/requests/public.decorator.js';
import { Shutdown } from '../common/shutdown.js';

/** The least time, in milliseconds, between two changes of readiness: load balancers follow each change. */
const STEADY_MS = 5_000;

@Controller('health')
@UseInterceptors(ErrorEnvelopeInterceptor)
export class HealthController {
  /** What is answered, and since when, in monotonic milliseconds. */
  #unable: string | undefined;
  #since = -Infinity;

  constructor(
    private readonly shutdown: Shutdown,
    private readonly ledger: Ledger,
    private readonly clock: Clock,
  ) {}

  /**
   * Answers while the process is alive.
   * @returns the word `live`
   */
  @Public()
  @Get('live')
  live(): { status: string } {
    return { status: 'live' };
  }

  /**
   * Answers 200 while the process can serve new requests, and 503 with the reason while it cannot, or drains.
   * @returns the word `ready`
   * @throws ApiError 503 service_unavailable
   */
  @Public()
  @Get('ready')
  ready(): { status: string } {
    if (this.shutdown.draining && !this.shutdown.replaced) throw new ApiError('service_unavailable', 'The service is shutting down.');
    const reason = this.#steady(this.ledger.unable);
    if (reason !== undefined) throw new ApiError('service_unavailable', reason);
    return { status: 'ready' };
  }

  #steady(unable: string | undefined): string | undefined {
    const now = this.clock.monotonic();
    if (unable !== this.#unable && now - this.#since >= STEADY_MS) [this.#unable, this.#since] = [unable, now];
    return this.#unable;
  }
}

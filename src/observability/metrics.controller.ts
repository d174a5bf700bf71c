import { timingSafeEqual } from 'node:crypto';
import { Controller, Get, Header, Req, UseInterceptors } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../common/api-error.js';
import { ErrorEnvelopeInterceptor } from '../http/answers/error-envelope.interceptor.js';
import { isFromThisMachine } from '../http/requests/is-from-this-machine.js';
import { Public } from '../http/requests/public.decorator.js';
import { ConfigService } from '../config/config.service.js';
import { MetricsPage } from './metrics-page.js';

/**
 * GET /metrics in the Prometheus text format. It answers programs on this machine alone or, where a token is set,
 * whoever has the token.
 */
@Controller('metrics')
@UseInterceptors(ErrorEnvelopeInterceptor)
export class MetricsController {
  constructor(
    private readonly page: MetricsPage,
    private readonly config: ConfigService,
  ) {}

  /**
   * Shows the metrics in the Prometheus text format. Programs on this machine may read them or, where
   * `observability.metrics_token` is set, whoever sends it as a bearer token.
   * @returns the metrics
   * @throws ApiError 403 permission_denied
   */
  @Get()
  @Public()
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  read(@Req() request: FastifyRequest): Promise<string> {
    const { metrics_token } = this.config.current.observability;
    const allowed = metrics_token ? equal(request.headers.authorization ?? '', `Bearer ${metrics_token}`) : isFromThisMachine(request);
    if (!allowed)
      throw new ApiError('permission_denied', 'Metrics are answered to programs on this machine, or with observability.metrics_token.');
    return this.page.text();
  }
}

function equal(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

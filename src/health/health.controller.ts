import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { ApiError } from '../common/api-error.js';
import { ErrorEnvelopeInterceptor } from '../http/answers/error-envelope.interceptor.js';
import { Public } from '../http/requests/public.decorator.js';
import { Shutdown } from '../common/shutdown.js';

@Controller('health')
@UseInterceptors(ErrorEnvelopeInterceptor)
export class HealthController {
  constructor(private readonly shutdown: Shutdown) {}

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
   * Answers 200 while the process takes new requests, and 503 while it drains.
   * @returns the word `ready`
   * @throws ApiError 503 service_unavailable
   */
  @Public()
  @Get('ready')
  ready(): { status: string } {
    if (this.shutdown.draining && !this.shutdown.replaced) throw new ApiError('service_unavailable', 'The service is shutting down.');
    return { status: 'ready' };
  }
}

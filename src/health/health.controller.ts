import { Controller, Get } from '@nestjs/common';
import { ApiError } from '../common/api-error.js';
import { Public } from '../http/requests/public.decorator.js';
import { Shutdown } from '../common/shutdown.js';

@Controller('health')
export class HealthController {
  constructor(private readonly shutdown: Shutdown) {}

  /** The process answers. */
  @Public()
  @Get('live')
  live(): { status: string } {
    return { status: 'live' };
  }

  /** New requests are welcome here. */
  @Public()
  @Get('ready')
  ready(): { status: string } {
    if (this.shutdown.draining && !this.shutdown.replaced) throw new ApiError('service_unavailable', 'The service is shutting down.');
    return { status: 'ready' };
  }
}

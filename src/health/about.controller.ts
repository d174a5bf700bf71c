import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { ConfigService } from '../config/config.service.js';
import { knownOrigin } from '../config/dashboard-origin.js';
import { ErrorEnvelopeInterceptor } from '../http/answers/error-envelope.interceptor.js';
import { Public } from '../http/requests/public.decorator.js';

/** What a stranger learns who opens the address of the gateway: what it is, and where its operations are. */
export interface About {
  readonly service: string;
  readonly description: string;
  /** The base address of clients: an address, or a path of this one. */
  readonly base_url: string;
  /** As `base_url`. Absent where it has a port of its own, and the configuration does not say where that is reached. */
  readonly dashboard?: string;
  readonly docs: string;
  readonly authentication: string;
  readonly health: string;
}

@Controller()
@UseInterceptors(ErrorEnvelopeInterceptor)
export class AboutController {
  constructor(private readonly config: ConfigService) {}

  /**
   * Says what this is. It tells where the operations are and how to authenticate.
   * @returns what the gateway is
   */
  @Public()
  @Get('/')
  about(): About {
    const config = this.config.current;
    const { public_url, admin_port } = config.server;
    const origin = public_url?.replace(/\/+$/, '') ?? '';
    const pages = knownOrigin(config) ?? (admin_port === undefined ? '' : undefined);
    return {
      service: 'Switchyard',
      description: 'A gateway to language models in the OpenAI format.',
      base_url: `${origin}/v1`,
      ...(pages === undefined ? {} : { dashboard: `${pages}/dashboard` }),
      docs: `${origin}/docs`,
      authentication: 'Authorization: Bearer <API key>',
      health: '/health/ready',
    };
  }
}

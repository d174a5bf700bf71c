import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { ConfigService } from '../config/config.service.js';
import { ErrorEnvelopeInterceptor } from '../http/answers/error-envelope.interceptor.js';
import { Public } from '../http/requests/public.decorator.js';

/** What a stranger learns who opens the address of the gateway: what it is, and where its operations are. */
export interface About {
  readonly service: string;
  readonly description: string;
  /** The base address of clients: an address, or a path of this one. */
  readonly base_url: string;
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
    const { public_url = '' } = this.config.current.server;
    return {
      service: 'Switchyard',
      description: 'A gateway to language models in the OpenAI format.',
      base_url: `${public_url.replace(/\/+$/, '')}/v1`,
      authentication: 'Authorization: Bearer <API key>',
      health: '/health/ready',
    };
  }
}

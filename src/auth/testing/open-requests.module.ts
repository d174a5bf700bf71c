import { Global, Module } from '@nestjs/common';
import { OpenRequests } from '../../http/server/open-requests.js';

/** What AuthModule needs of http, without a server: no request is ever open. */
@Global()
@Module({ providers: [OpenRequests], exports: [OpenRequests] })
export class OpenRequestsModule {}

import { Global, Module } from '@nestjs/common';
import { ClientAddresses } from '../../http/requests/client-addresses.js';
import { ClientFormats } from '../../http/requests/client-formats.js';
import { OpenRequests } from '../../http/server/open-requests.js';

/** What AuthModule needs of http, without a server: no request is ever open. */
@Global()
@Module({ providers: [ClientAddresses, ClientFormats, OpenRequests], exports: [ClientAddresses, ClientFormats, OpenRequests] })
export class OpenRequestsModule {}

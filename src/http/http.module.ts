import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR } from '@nestjs/core';
import { DeliveryBarrier } from '../common/delivery-barrier.js';
import { Shutdown } from '../common/shutdown.js';
import { ErrorEnvelopeFilter } from './answers/error-envelope.filter.js';
import { ErrorEnvelopeInterceptor } from './answers/error-envelope.interceptor.js';
import { ErrorWriter } from './answers/error-writer.js';
import { OpenStreams } from './answers/open-streams.js';
import { ResponseBatch } from './answers/response-batch.js';
import { DrainService } from './server/drain.service.js';
import { OpenRequests } from './server/open-requests.js';

/** What other modules use of the HTTP server: open requests and streams, shutdown, and the order of deliveries. */
@Global()
@Module({
  providers: [
    Shutdown,
    OpenRequests,
    OpenStreams,
    DrainService,
    ErrorWriter,
    ResponseBatch,
    { provide: DeliveryBarrier, useExisting: ResponseBatch },
    { provide: APP_INTERCEPTOR, useClass: ErrorEnvelopeInterceptor },
    { provide: APP_FILTER, useClass: ErrorEnvelopeFilter },
  ],
  exports: [DeliveryBarrier, OpenRequests, OpenStreams, ResponseBatch, Shutdown],
})
export class HttpModule {}

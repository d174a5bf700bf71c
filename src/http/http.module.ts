import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AnswerBudget, BodyBudget } from '../common/limits/byte-budget.js';
import { DeliveryBarrier } from '../common/delivery-barrier.js';
import { Shutdown } from '../common/shutdown.js';
import { ConfigService } from '../config/config.service.js';
import { ErrorEnvelopeFilter } from './answers/error-envelope.filter.js';
import { ErrorWriter } from './answers/error-writer.js';
import { OpenStreams } from './answers/open-streams.js';
import { ResponseBatch } from './answers/response-batch.js';
import { ClientAddresses } from './requests/client-addresses.js';
import { ClientFormats } from './requests/client-formats.js';
import { DrainService } from './server/drain.service.js';
import { OpenRequests } from './server/open-requests.js';

/** What other modules use of the HTTP server: open requests and streams, shutdown, and the order of deliveries. */
@Global()
@Module({
  providers: [
    Shutdown,
    {
      provide: BodyBudget,
      inject: [ConfigService],
      useFactory: ({ current }: ConfigService) => new BodyBudget(current.server.body_budget),
    },
    {
      provide: AnswerBudget,
      inject: [ConfigService],
      useFactory: ({ current }: ConfigService) => new AnswerBudget(current.server.answer_budget),
    },
    ClientAddresses,
    ClientFormats,
    OpenRequests,
    OpenStreams,
    DrainService,
    ErrorWriter,
    ResponseBatch,
    { provide: DeliveryBarrier, useExisting: ResponseBatch },
    { provide: APP_FILTER, useClass: ErrorEnvelopeFilter },
  ],
  exports: [
    AnswerBudget,
    BodyBudget,
    ClientAddresses,
    ClientFormats,
    DeliveryBarrier,
    ErrorWriter,
    OpenRequests,
    OpenStreams,
    ResponseBatch,
    Shutdown,
  ],
})
export class HttpModule {}

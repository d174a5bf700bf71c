import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AnswerWriter } from './answer-writer.js';
import { DrainService } from './drain.service.js';
import { ErrorEnvelopeFilter } from './error-envelope.filter.js';
import { OpenRequests } from './open-requests.js';
import { OpenStreams } from './open-streams.js';
import { Shutdown } from './shutdown.js';

/** What every module may ask for. */
@Global()
@Module({
  providers: [
    Shutdown,
    OpenRequests,
    OpenStreams,
    DrainService,
    AnswerWriter,
    ErrorEnvelopeFilter,
    { provide: APP_FILTER, useExisting: ErrorEnvelopeFilter },
  ],
  exports: [AnswerWriter, Shutdown, OpenRequests, OpenStreams],
})
export class CommonModule {}

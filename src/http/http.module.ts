import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AnswerWriter } from './answers/answer-writer.js';
import { DrainService } from './server/drain.service.js';
import { ErrorEnvelopeFilter } from './answers/error-envelope.filter.js';
import { OpenRequests } from './server/open-requests.js';
import { OpenStreams } from './answers/open-streams.js';
import { Shutdown } from '../common/shutdown.js';

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

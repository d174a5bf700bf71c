import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { ResponseStore } from './response-store.js';
import { ResponseSweep } from './response-sweep.js';
import { RunningResponses } from './running-responses.js';
import { SealedResponses } from './sealed-responses.js';

@Module({
  imports: [AuthModule, DatabaseModule],
  providers: [ResponseStore, RunningResponses, SealedResponses, ResponseSweep],
  exports: [ResponseStore, RunningResponses],
})
export class ResponseStoreModule {}

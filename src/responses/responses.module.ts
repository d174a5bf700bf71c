import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { InferenceModule } from '../inference/inference.module.js';
import { ResponseStoreModule } from '../response-store/response-store.module.js';
import { BackgroundResponses } from './background/background-responses.js';
import { ResponsesController } from './responses.controller.js';
import { ResponsesService } from './responses.service.js';
import { ResponseKeeping } from './store/response-keeping.js';
import { StoredResponsesController } from './store/stored-responses.controller.js';
import { StoredResponsesService } from './store/stored-responses.service.js';

@Module({
  imports: [InferenceModule, AuthModule, DatabaseModule, ResponseStoreModule],
  controllers: [ResponsesController, StoredResponsesController],
  providers: [ResponsesService, ResponseKeeping, BackgroundResponses, StoredResponsesService],
})
export class ResponsesModule {}

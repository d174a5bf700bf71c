import { Module } from '@nestjs/common';
import { InferenceModule } from '../inference/inference.module.js';
import { CompletionsController } from './completions.controller.js';
import { CompletionsService } from './completions.service.js';

@Module({
  imports: [InferenceModule],
  controllers: [CompletionsController],
  providers: [CompletionsService],
  exports: [CompletionsService],
})
export class CompletionsModule {}

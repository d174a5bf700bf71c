import { Module } from '@nestjs/common';
import { ModelFactsService } from './model-facts.service.js';

@Module({ providers: [ModelFactsService], exports: [ModelFactsService] })
export class ModelFactsModule {}

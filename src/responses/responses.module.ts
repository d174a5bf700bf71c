import { Module } from '@nestjs/common';
import { InferenceModule } from '../inference/inference.module.js';
import { ResponsesController } from './responses.controller.js';
import { ResponsesService } from './responses.service.js';

@Module({ imports: [InferenceModule], controllers: [ResponsesController], providers: [ResponsesService] })
export class ResponsesModule {}

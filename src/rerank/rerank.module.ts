import { Module } from '@nestjs/common';
import { InferenceModule } from '../inference/inference.module.js';
import { RerankController } from './rerank.controller.js';
import { RerankService } from './rerank.service.js';

@Module({ imports: [InferenceModule], controllers: [RerankController], providers: [RerankService] })
export class RerankModule {}

import { Module } from '@nestjs/common';
import { InferenceModule } from '../inference/inference.module.js';
import { EmbeddingsController } from './embeddings.controller.js';
import { EmbeddingsService } from './embeddings.service.js';

@Module({ imports: [InferenceModule], controllers: [EmbeddingsController], providers: [EmbeddingsService] })
export class EmbeddingsModule {}

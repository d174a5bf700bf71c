import { Injectable } from '@nestjs/common';
import { type GenerationCall, InferenceService } from '../inference/inference.service.js';
import type { EmbeddingList } from '../wire/embedding.js';
import type { CreateEmbeddingsDto } from './create-embeddings.dto.js';
import { embeddingList, embeddingRequest } from './embeddings.mapping.js';

@Injectable()
export class EmbeddingsService {
  constructor(private readonly inference: InferenceService) {}

  /** One embedding for each input, in their order. */
  async create(body: CreateEmbeddingsDto, call: GenerationCall): Promise<EmbeddingList> {
    const request = embeddingRequest(body);
    return embeddingList(body.model, request.encoding_format, await this.inference.whole([request], call));
  }
}

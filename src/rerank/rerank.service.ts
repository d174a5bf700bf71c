import { Injectable } from '@nestjs/common';
import { type GenerationCall, InferenceService } from '../inference/inference.service.js';
import type { RerankList } from '../wire/rerank.js';
import type { CreateRerankDto } from './create-rerank.dto.js';
import { rerankList, rerankRequest } from './rerank.mapping.js';

@Injectable()
export class RerankService {
  constructor(private readonly inference: InferenceService) {}

  /** The documents by their relevance, the most relevant first. */
  async create(body: CreateRerankDto, call: GenerationCall): Promise<RerankList> {
    return rerankList(body, call.context.requestId, await this.inference.whole([rerankRequest(body)], call));
  }
}

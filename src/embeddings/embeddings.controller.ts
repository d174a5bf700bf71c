import { Body, Controller, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { CurrentPrincipal } from '../auth/principal.decorator.js';
import type { Principal } from '../auth/principal.js';
import { AnswerInterceptor } from '../http/answers/answer.interceptor.js';
import { Context } from '../http/requests/context.decorator.js';
import { Generation } from '../http/requests/operation.decorator.js';
import { RequestContext } from '../http/requests/request-context.js';
import { WireValidationPipe } from '../http/requests/wire-validation.pipe.js';
import { IdempotencyService } from '../inference/idempotency/idempotency.service.js';
import type { EmbeddingList } from '../wire/embedding.js';
import type { StreamEvent } from '../wire/stream-event.js';
import { CreateEmbeddingsDto } from './create-embeddings.dto.js';
import { EmbeddingsService } from './embeddings.service.js';

/** POST /v1/embeddings */
@Controller('embeddings')
@UseInterceptors(AnswerInterceptor)
export class EmbeddingsController {
  constructor(
    private readonly embeddings: EmbeddingsService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Creates embeddings: a list of numbers for each input, such that inputs of a like meaning have like numbers. It is
   * charged by the tokens of the inputs; what they may cost at most must be in the account before.
   * @returns the embeddings
   * @throws ApiError 400 invalid_request, unsupported_model, unsupported_parameter or context_length_exceeded,
   * 402 insufficient_credits or budget_exceeded, 403 permission_denied, 404 model_not_found, 409 idempotency_conflict,
   * 429 rate_limit_exceeded, 502 upstream_error, 503 service_unavailable or model_overloaded, 504 upstream_timeout
   */
  @Post()
  @HttpCode(200)
  @Generation('embeddings')
  create(
    @Body(new WireValidationPipe(CreateEmbeddingsDto, 'extra')) body: CreateEmbeddingsDto,
    @CurrentPrincipal() principal: Principal,
    @Context() context: RequestContext,
  ): Observable<StreamEvent | EmbeddingList> | Promise<EmbeddingList> {
    const call = { principal, context };
    return this.idempotency.once('embeddings', call, () => this.embeddings.create(body, call));
  }
}

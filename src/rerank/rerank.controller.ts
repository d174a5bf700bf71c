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
import type { RerankList } from '../wire/rerank.js';
import type { StreamEvent } from '../wire/stream-event.js';
import { CreateRerankDto } from './create-rerank.dto.js';
import { RerankService } from './rerank.service.js';

/** POST /v1/rerank */
@Controller('rerank')
@UseInterceptors(AnswerInterceptor)
export class RerankController {
  constructor(
    private readonly rerank: RerankService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Sorts documents by their relevance to a query: each gets a score, the higher, the more relevant. It is charged by
   * tokens or by searches, as the model is sold; what it may cost at most must be in the account before.
   * @returns the documents' places and scores
   * @throws ApiError 400 invalid_request, unsupported_model, unsupported_parameter or context_length_exceeded,
   * 402 insufficient_credits or budget_exceeded, 403 permission_denied, 404 model_not_found, 409 idempotency_conflict,
   * 429 rate_limit_exceeded, 502 upstream_error, 503 service_unavailable or model_overloaded, 504 upstream_timeout
   */
  @Post()
  @HttpCode(200)
  @Generation('rerank')
  create(
    @Body(new WireValidationPipe(CreateRerankDto, 'extra')) body: CreateRerankDto,
    @CurrentPrincipal() principal: Principal,
    @Context() context: RequestContext,
  ): Observable<StreamEvent | RerankList> | Promise<RerankList> {
    const call = { principal, context };
    return this.idempotency.once('rerank', call, () => this.rerank.create(body, call));
  }
}

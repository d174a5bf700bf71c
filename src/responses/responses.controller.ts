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
import type { ResponseObject } from '../wire/response.js';
import type { StreamEvent } from '../wire/stream-event.js';
import { CreateResponseDto } from './create-response.dto.js';
import { ResponsesService } from './responses.service.js';

/** POST /v1/responses */
@Controller('responses')
@UseInterceptors(AnswerInterceptor)
export class ResponsesController {
  constructor(
    private readonly responses: ResponsesService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Creates a response. It is what a chat completion is, in OpenAI's Responses format: the conversation and the answer
   * are lists of items. The answer is whole or, with `stream`, server-sent events with names. Where the operator keeps
   * responses it is stored, unless `store` is false, and a later request may go on from it.
   * @returns the response
   * @throws ApiError 400 invalid_request, unsupported_model, unsupported_parameter, context_length_exceeded or
   * content_policy_violation, 402 insufficient_credits or budget_exceeded, 403 permission_denied, 404 model_not_found or
   * not_found, 409 idempotency_conflict, 429 rate_limit_exceeded, 502 upstream_error, 503 service_unavailable or
   * model_overloaded, 504 upstream_timeout
   */
  @Post()
  @HttpCode(200)
  @Generation('responses')
  create(
    @Body(new WireValidationPipe(CreateResponseDto, 'extra')) body: CreateResponseDto,
    @CurrentPrincipal() principal: Principal,
    @Context() context: RequestContext,
  ): Observable<StreamEvent | ResponseObject> | Promise<ResponseObject> {
    const call = { principal, context, operation: 'responses' } as const;
    return this.idempotency.once('responses', call, () => this.responses.create(body, call));
  }
}

import { Body, Controller, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { CurrentPrincipal } from '../auth/principal.decorator.js';
import type { Principal } from '../auth/principal.js';
import { AnswerInterceptor } from '../http/answers/answer.interceptor.js';
import { Context } from '../http/requests/context.decorator.js';
import { Generation, Operation } from '../http/requests/operation.decorator.js';
import { RequestContext } from '../http/requests/request-context.js';
import { WireValidationPipe } from '../http/requests/wire-validation.pipe.js';
import { IdempotencyService } from '../inference/idempotency/idempotency.service.js';
import type { AnthropicMessage, TokensCount } from '../wire/anthropic-message.js';
import type { StreamEvent } from '../wire/stream-event.js';
import { CountTokensDto, CreateMessageDto } from './create-message.dto.js';
import { ID_HEADER } from './messages-format.js';
import { MessagesService } from './messages.service.js';

/** POST /v1/messages, POST /v1/messages/count_tokens */
@Controller('messages')
@UseInterceptors(AnswerInterceptor)
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Creates a message in the format of Anthropic, by any model. The answer is whole or, with `stream`, server-sent
   * events. The key may stand in the header x-api-key as well. Errors have Anthropic's shape.
   * @returns the message
   * @throws ApiError 400 invalid_request, unsupported_model, unsupported_parameter, thread_unsupported_request,
   * context_length_exceeded or content_policy_violation, 402 insufficient_credits or budget_exceeded,
   * 403 permission_denied, 404 model_not_found, 409 idempotency_conflict, 429 rate_limit_exceeded, 502 upstream_error,
   * 503 service_unavailable or model_overloaded, 504 upstream_timeout
   */
  @Post()
  @HttpCode(200)
  @Generation('messages')
  create(
    @Body(new WireValidationPipe(CreateMessageDto, 'extra')) body: CreateMessageDto,
    @CurrentPrincipal() principal: Principal,
    @Context() context: RequestContext,
  ): Observable<StreamEvent | AnthropicMessage> | Promise<AnthropicMessage> {
    context.idHeader = ID_HEADER;
    const call = { principal, context, operation: 'messages' as const };
    return this.idempotency.once('messages', call, () => this.messages.create(body, call));
  }

  /**
   * Estimates the tokens of a message's prompt, by what the provider has counted lately. Nothing is sent to the
   * provider, and it is free.
   * @returns the estimate
   * @throws ApiError 400 invalid_request, unsupported_model or unsupported_parameter, 403 permission_denied,
   * 404 model_not_found, 503 service_unavailable
   */
  @Post('count_tokens')
  @HttpCode(200)
  @Operation('messages')
  count(
    @Body(new WireValidationPipe(CountTokensDto)) body: CountTokensDto,
    @CurrentPrincipal() principal: Principal,
    @Context() context: RequestContext,
  ): TokensCount {
    context.idHeader = ID_HEADER;
    return this.messages.count(body, { principal, context });
  }
}

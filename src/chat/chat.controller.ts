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
import type { ChatCompletion } from '../wire/chat-completion.js';
import type { StreamEvent } from '../wire/stream-event.js';
import { ChatService } from './chat.service.js';
import { CreateChatCompletionDto } from './create-chat-completion.dto.js';

/** POST /v1/chat/completions */
@Controller('chat/completions')
@UseInterceptors(AnswerInterceptor)
export class ChatController {
  constructor(
    private readonly chat: ChatService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Creates a chat completion. The answer is whole or, with `stream`, server-sent events. It is charged by its tokens;
   * what it may cost at most must be in the account before.
   * @returns the completion
   * @throws ApiError 400 invalid_request, unsupported_model, unsupported_parameter, context_length_exceeded or
   * content_policy_violation, 402 insufficient_credits or budget_exceeded, 403 permission_denied, 404 model_not_found,
   * 409 idempotency_conflict, 429 rate_limit_exceeded, 502 upstream_error, 503 service_unavailable or model_overloaded,
   * 504 upstream_timeout
   */
  @Post()
  @HttpCode(200)
  @Generation('chat')
  create(
    @Body(new WireValidationPipe(CreateChatCompletionDto, 'extra')) body: CreateChatCompletionDto,
    @CurrentPrincipal() principal: Principal,
    @Context() context: RequestContext,
  ): Observable<StreamEvent | ChatCompletion> | Promise<ChatCompletion> {
    const call = { principal, context };
    return this.idempotency.once('chat', call, () => this.chat.create(body, call));
  }
}

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
import type { Completion } from '../wire/completion.js';
import type { StreamEvent } from '../wire/stream-event.js';
import { CompletionsService } from './completions.service.js';
import { CreateCompletionDto } from './create-completion.dto.js';

/** POST /v1/completions */
@Controller('completions')
@UseInterceptors(AnswerInterceptor)
export class CompletionsController {
  constructor(
    private readonly completions: CompletionsService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Creates a text completion. It is the legacy form, with a prompt in place of a conversation. The answer is whole or,
   * with `stream`, server-sent events.
   * @returns the completion
   * @throws ApiError 400 invalid_request, invalid_prompt, unsupported_model, unsupported_parameter,
   * context_length_exceeded or content_policy_violation, 402 insufficient_credits or budget_exceeded,
   * 403 permission_denied, 404 model_not_found, 409 idempotency_conflict, 429 rate_limit_exceeded, 502 upstream_error,
   * 503 service_unavailable or model_overloaded, 504 upstream_timeout
   */
  @Post()
  @HttpCode(200)
  @Generation('completion')
  create(
    @Body(new WireValidationPipe(CreateCompletionDto, 'extra')) body: CreateCompletionDto,
    @CurrentPrincipal() principal: Principal,
    @Context() context: RequestContext,
  ): Observable<StreamEvent | Completion> | Promise<Completion> {
    const call = { principal, context };
    return this.idempotency.once('completion', call, () => this.completions.create(body, call));
  }
}

import { Body, Controller, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import { IsIn } from '../../common/validation/class-validator.js';
import type { Observable } from 'rxjs';
import { AdminGuard } from '../../auth/administration/admin.guard.js';
import { PlaygroundGuard } from '../../auth/administration/playground.guard.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { CurrentPrincipal } from '../../auth/principal.decorator.js';
import { environments, type Environment, type Principal } from '../../auth/principal.js';
import { ChatService } from '../../chat/chat.service.js';
import { CreateChatCompletionDto } from '../../chat/create-chat-completion.dto.js';
import { CompletionsService } from '../../completions/completions.service.js';
import { CreateCompletionDto } from '../../completions/create-completion.dto.js';
import { AnswerInterceptor } from '../../http/answers/answer.interceptor.js';
import { Context } from '../../http/requests/context.decorator.js';
import { DtoPipe } from '../../http/requests/dto.pipe.js';
import { Generation } from '../../http/requests/operation.decorator.js';
import type { RequestContext } from '../../http/requests/request-context.js';
import { WireValidationPipe } from '../../http/requests/wire-validation.pipe.js';
import { IdempotencyService } from '../../inference/idempotency/idempotency.service.js';
import type { ChatCompletion } from '../../wire/chat-completion.js';
import type { Completion } from '../../wire/completion.js';
import type { StreamEvent } from '../../wire/stream-event.js';
import { Id, Perform } from '../route.decorators.js';

export class PlaygroundQueryDto {
  /** Whose balance pays; in `test` the sandbox answers in place of every provider. */
  @IsIn(environments)
  environment: Environment = 'live';
}

/**
 * Generates on the token or session of a member, charged to the account, under the checks of /v1. Requests have a key
 * of their own for each person, `playground:account:environment:person`, which nobody can use elsewhere.
 */
@Controller('admin/v1/accounts/:account/playground')
@UseGuards(AdminGuard, PlaygroundGuard)
@UseInterceptors(AnswerInterceptor)
export class PlaygroundController {
  constructor(
    private readonly chatService: ChatService,
    private readonly completionsService: CompletionsService,
    private readonly idempotency: IdempotencyService,
  ) {}

  /**
   * Creates a chat completion in the playground. Body, answer, stream and errors are those of POST
   * /v1/chat/completions.
   * @returns the completion
   * @throws ApiError 400 invalid_request, unsupported_model, unsupported_parameter, context_length_exceeded or
   * content_policy_violation, 402 insufficient_credits or budget_exceeded, 403 permission_denied, 404 not_found or
   * model_not_found, 409 idempotency_conflict, 429 rate_limit_exceeded, 502 upstream_error, 503 service_unavailable or
   * model_overloaded, 504 upstream_timeout
   */
  @Perform('chat/completions')
  @Generation('chat')
  @Roles('operator', 'owner', 'admin', 'developer')
  chat(
    @Id('account') _account: string,
    @Query(DtoPipe) _query: PlaygroundQueryDto,
    @Body(new WireValidationPipe(CreateChatCompletionDto, 'extra')) body: CreateChatCompletionDto,
    @CurrentPrincipal() principal: Principal,
    @Context() context: RequestContext,
  ): Observable<StreamEvent | ChatCompletion> | Promise<ChatCompletion> {
    const call = { principal, context };
    return this.idempotency.once('chat', call, () => this.chatService.create(body, call));
  }

  /**
   * Creates a text completion in the playground. Body, answer, stream and errors are those of POST /v1/completions.
   * @returns the completion
   * @throws ApiError 400 invalid_request, invalid_prompt, unsupported_model, unsupported_parameter,
   * context_length_exceeded or content_policy_violation, 402 insufficient_credits or budget_exceeded,
   * 403 permission_denied, 404 not_found or model_not_found, 409 idempotency_conflict, 429 rate_limit_exceeded,
   * 502 upstream_error, 503 service_unavailable or model_overloaded, 504 upstream_timeout
   */
  @Perform('completions')
  @Generation('completion')
  @Roles('operator', 'owner', 'admin', 'developer')
  completion(
    @Id('account') _account: string,
    @Query(DtoPipe) _query: PlaygroundQueryDto,
    @Body(new WireValidationPipe(CreateCompletionDto, 'extra')) body: CreateCompletionDto,
    @CurrentPrincipal() principal: Principal,
    @Context() context: RequestContext,
  ): Observable<StreamEvent | Completion> | Promise<Completion> {
    const call = { principal, context };
    return this.idempotency.once('completion', call, () => this.completionsService.create(body, call));
  }
}

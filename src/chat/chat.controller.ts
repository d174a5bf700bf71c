import { Body, Controller, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { CurrentPrincipal } from '../auth/current-principal.decorator.js';
import type { Principal } from '../auth/principal.js';
import { EventStreamInterceptor } from '../common/event-stream.interceptor.js';
import { CurrentExchange, Exchange } from '../common/exchange.js';
import { WireValidationPipe } from '../common/wire-validation.pipe.js';
import { IdempotencyService } from '../inference/idempotency.service.js';
import type { ChatCompletion } from '../wire/chat-completion.js';
import { ChatService } from './chat.service.js';
import { CreateChatCompletionDto } from './create-chat-completion.dto.js';

/** POST /v1/chat/completions */
@Controller('chat/completions')
@UseInterceptors(EventStreamInterceptor)
export class ChatController {
  constructor(
    private readonly chat: ChatService,
    private readonly idempotency: IdempotencyService,
  ) {}

  @Post()
  @HttpCode(200)
  create(
    @Body(new WireValidationPipe(CreateChatCompletionDto, 'extra')) body: CreateChatCompletionDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentExchange() exchange: Exchange,
  ): Observable<string | ChatCompletion> {
    const call = { principal, exchange };
    return this.idempotency.once('chat', call, this.chat.create(body, call));
  }
}

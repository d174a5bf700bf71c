import { Body, Controller, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { CurrentPrincipal } from '../auth/current-principal.decorator.js';
import type { Principal } from '../auth/principal.js';
import { EventStreamInterceptor } from '../common/event-stream.interceptor.js';
import { CurrentExchange, Exchange } from '../common/exchange.js';
import { WireValidationPipe } from '../common/wire-validation.pipe.js';
import { IdempotencyService } from '../inference/idempotency.service.js';
import type { Completion } from '../wire/completion.js';
import { CompletionsService } from './completions.service.js';
import { CreateCompletionDto } from './create-completion.dto.js';

/** POST /v1/completions */
@Controller('completions')
@UseInterceptors(EventStreamInterceptor)
export class CompletionsController {
  constructor(
    private readonly completions: CompletionsService,
    private readonly idempotency: IdempotencyService,
  ) {}

  @Post()
  @HttpCode(200)
  create(
    @Body(new WireValidationPipe(CreateCompletionDto, 'extra')) body: CreateCompletionDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentExchange() exchange: Exchange,
  ): Observable<string | Completion> {
    const call = { principal, exchange };
    return this.idempotency.once('completion', call, this.completions.create(body, call));
  }
}

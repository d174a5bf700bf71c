import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnswerWriter } from '../http/answers/answer-writer.js';
import { exchangeOf } from '../http/requests/request-context.js';
import { WireValidationPipe } from '../http/requests/wire-validation.pipe.js';
import { IdempotencyService } from '../inference/idempotency/idempotency.service.js';
import { CompletionsService } from './completions.service.js';
import { CreateCompletionDto } from './create-completion.dto.js';

/** POST /v1/completions */
@Controller('completions')
export class CompletionsController {
  readonly #body = new WireValidationPipe(CreateCompletionDto, 'extra');

  constructor(
    private readonly completions: CompletionsService,
    private readonly idempotency: IdempotencyService,
    private readonly answers: AnswerWriter,
  ) {}

  @Post()
  @HttpCode(200)
  create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const body = this.#body.transform(request.body);
    const call = { principal: request.principal!, exchange: exchangeOf(request) };
    this.answers.write(request, reply, this.idempotency.once('completion', call, this.completions.create(body, call)));
  }
}

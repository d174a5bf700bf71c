import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnswerWriter } from '../http/answers/answer-writer.js';
import { exchangeOf } from '../http/requests/request-context.js';
import { WireValidationPipe } from '../http/requests/wire-validation.pipe.js';
import { IdempotencyService } from '../inference/idempotency/idempotency.service.js';
import { ChatService } from './chat.service.js';
import { CreateChatCompletionDto } from './create-chat-completion.dto.js';

/** POST /v1/chat/completions */
@Controller('chat/completions')
export class ChatController {
  readonly #body = new WireValidationPipe(CreateChatCompletionDto, 'extra');

  constructor(
    private readonly chat: ChatService,
    private readonly idempotency: IdempotencyService,
    private readonly answers: AnswerWriter,
  ) {}

  @Post()
  @HttpCode(200)
  create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const body = this.#body.transform(request.body);
    const call = { principal: request.principal!, exchange: exchangeOf(request) };
    this.answers.write(request, reply, this.idempotency.once('chat', call, this.chat.create(body, call)));
  }
}

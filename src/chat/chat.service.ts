import { Injectable } from '@nestjs/common';
import type { Source } from '../common/source.js';
import { ConfigService } from '../config/config.service.js';
import { EventedAnswer } from '../inference/answer-events.js';
import { answerEnvelope } from '../inference/event-envelope.js';
import { type GenerationCall, InferenceService } from '../inference/inference.service.js';
import { requireFewChoices } from '../inference/sampling.js';
import { WholeAnswer } from '../inference/whole-answer.js';
import type { ChatCompletion } from '../wire/chat-completion.js';
import { chatCompletion, chatRequest } from './chat-completion.mapping.js';
import { ChatEvents } from './chat-events.js';
import type { CreateChatCompletionDto } from './create-chat-completion.dto.js';

@Injectable()
export class ChatService {
  constructor(
    private readonly inference: InferenceService,
    private readonly config: ConfigService,
  ) {}

  /**
   * Emits the JSON text of each event when `stream` is set, else the one answer.
   * @throws ApiError 400 invalid_request when more choices are asked for than the operator allows
   */
  create(body: CreateChatCompletionDto, call: GenerationCall): Source<string | ChatCompletion> {
    const request = chatRequest(body);
    requireFewChoices(request.n, this.config.current.routing.max_choices);
    const envelope = answerEnvelope('chatcmpl', body.model, call.exchange.requestId);
    const chunks = this.inference.generate([request], call);
    if (body.stream) return new EventedAnswer(chunks, new ChatEvents(envelope, body.stream_options?.include_usage === true));
    return new WholeAnswer(chunks, envelope, chatCompletion);
  }
}

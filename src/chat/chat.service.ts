import { Injectable } from '@nestjs/common';
import { map, type Observable, toArray } from 'rxjs';
import { ConfigService } from '../config/config.service.js';
import { accumulate } from '../inference/chunks/accumulate.js';
import { completionEnvelope } from '../inference/chunks/completion-envelope.js';
import { toEvents } from '../inference/chunks/stream-events.js';
import { type GenerationCall, InferenceService } from '../inference/inference.service.js';
import { requireFewChoices } from '../inference/sampling.js';
import type { ChatCompletion } from '../wire/chat-completion.js';
import type { StreamEvent } from '../wire/stream-event.js';
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
   * Emits the events of the completion where `stream` is set, otherwise the whole completion.
   * @throws ApiError 400 invalid_request when more choices are asked for than the operator allows
   */
  create(body: CreateChatCompletionDto, call: GenerationCall): Observable<StreamEvent | ChatCompletion> {
    const request = chatRequest(body);
    requireFewChoices(request.n, this.config.current.routing.max_choices);
    const envelope = completionEnvelope('chatcmpl', body.model, call.context.requestId);
    const chunks = this.inference.generate([request], call);
    if (body.stream) return chunks.pipe(toEvents(new ChatEvents(envelope, body.stream_options?.include_usage === true)));
    return chunks.pipe(
      toArray(),
      map((all) => chatCompletion(envelope, accumulate(all))),
    );
  }
}

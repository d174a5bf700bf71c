import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { ConfigService } from '../config/config.service.js';
import { dataEvents } from '../http/requests/stream-format.js';
import { type CompletionEnvelope, completionEnvelope } from '../inference/chunks/completion-envelope.js';
import { toEvents } from '../inference/chunks/stream-events.js';
import { type GenerationCall, InferenceService } from '../inference/inference.service.js';
import { requireFewChoices } from '../inference/sampling.js';
import type { ChatCompletion } from '../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../wire/generation.js';
import { unheardOptions } from '../wire/sampling-shape.js';
import type { StreamEvent } from '../wire/stream-event.js';
import { chatCompletion, chatRequest } from './chat-completion.mapping.js';
import { ChatEvents } from './chat-events.js';
import { type ClientCalls, clientCallsOf } from './client-calls.js';
import { unheardOfTools } from './client-tools.js';
import type { CreateChatCompletionDto } from './create-chat-completion.dto.js';

@Injectable()
export class ChatService {
  constructor(
    private readonly inference: InferenceService,
    private readonly config: ConfigService,
  ) {}

  /**
   * The events of the completion where `stream` is set, otherwise the whole completion.
   * @throws ApiError 400 invalid_request when more choices are asked for than the operator allows
   */
  create(body: CreateChatCompletionDto, call: GenerationCall): Observable<StreamEvent | ChatCompletion> | Promise<ChatCompletion> {
    const request = chatRequest(body);
    if (body.stream_options ?? body.tools)
      call.context.leftOut = new Set([...unheardOptions(body.stream_options), ...unheardOfTools(body)]);
    const calls = clientCallsOf(body);
    requireFewChoices(request.n, this.config.current.routing.max_choices);
    const envelope = completionEnvelope('chatcmpl', body.model, call.context.requestId);
    if (!body.stream) return this.#whole(request, envelope, call, calls);
    call.context.streamFormat = dataEvents;
    const includeUsage = body.stream_options?.include_usage === true;
    return this.inference.generate([request], call).pipe(toEvents(new ChatEvents(envelope, includeUsage, calls)));
  }

  async #whole(
    request: ChatGenerationRequest,
    envelope: CompletionEnvelope,
    call: GenerationCall,
    calls: ClientCalls | undefined,
  ): Promise<ChatCompletion> {
    return chatCompletion(envelope, await this.inference.whole([request], call), calls);
  }
}

import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { StreamFormat } from '../http/requests/stream-format.js';
import { CarriedTexts } from '../inference/carried/carried-facts.js';
import { CarriedReader } from '../inference/carried/carried-reader.js';
import { toEvents } from '../inference/chunks/stream-events.js';
import { type GenerationCall, InferenceService } from '../inference/inference.service.js';
import { PromptCount } from '../inference/prompt-count.js';
import type { AnthropicMessage, TokensCount } from '../wire/anthropic-message.js';
import { asByteText, byteText } from '../wire/byte-text.js';
import type { ChatGenerationRequest } from '../wire/generation.js';
import type { StreamEvent } from '../wire/stream-event.js';
import type { CountTokensDto, CreateMessageDto } from './create-message.dto.js';
import { messageOf } from './message.mapping.js';
import { MessageEvents } from './message-events.js';
import { messageRequest, promptOf } from './message-request.js';
import { messagesError } from './messages-error.js';

interface Envelope {
  readonly id: string;
  /** The model as the client named it. */
  readonly model: string;
}

@Injectable()
export class MessagesService {
  constructor(
    private readonly inference: InferenceService,
    private readonly prompts: PromptCount,
    private readonly carried: CarriedTexts,
  ) {}

  /** The events of the message where `stream` is set, otherwise the whole message. */
  create(body: CreateMessageDto, call: GenerationCall): Observable<StreamEvent | AnthropicMessage> | Promise<AnthropicMessage> {
    const { context } = call;
    const reader = new CarriedReader(this.carried);
    const request = messageRequest(body, context.headers, reader);
    context.leftOut = reader.leftOut;
    const envelope: Envelope = { id: `msg_${context.requestId}`, model: body.model };
    if (!body.stream) return this.#whole(request, envelope, call);
    context.streamFormat = messageStream(context.requestId);
    return this.inference.generate([request], call).pipe(toEvents(new MessageEvents(envelope, this.carried)));
  }

  count(body: CountTokensDto, call: GenerationCall): TokensCount {
    const reader = new CarriedReader(this.carried);
    const prompt = promptOf(body, reader);
    call.context.leftOut = reader.leftOut;
    return { input_tokens: this.prompts.tokens(prompt, call) };
  }

  async #whole(request: ChatGenerationRequest, envelope: Envelope, call: GenerationCall): Promise<AnthropicMessage> {
    return messageOf(envelope, await this.inference.whole([request], call), this.carried);
  }
}

/** Each event has its name; the last one says itself that it is, and a stream that fails ends with an event `error`. */
function messageStream(requestId: string): StreamFormat {
  return {
    prefix: asByteText('event: '),
    heartbeat: asByteText('event: ping\ndata: {"type":"ping"}\n\n'),
    done: asByteText(''),
    failed: ({ error: { code, message } }) =>
      asByteText(`event: error\ndata: ${byteText(JSON.stringify(messagesError(code, message, requestId)))}\n\n`),
  };
}

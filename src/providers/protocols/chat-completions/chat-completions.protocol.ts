import { Injectable } from '@nestjs/common';
import type { GenerationRequest } from '../../../wire/generation.js';
import type { JsonObject } from '../../../wire/json-object.js';
import type { ProviderCall } from '../../model-provider.js';
import { type ChunkObserver, PushedChunks, type ChunkSubscription } from '../../pushed-chunks.js';
import { HttpTransport } from '../../transport/http-transport.js';
import { type Endpoint, pathOf } from '../endpoint.js';
import { ResponseReader } from '../response-reader.js';
import { ChatCompletionsDecoder } from './decoder.js';
import { chatCompletionsRequest } from './request.js';
import { toJson } from './to-json.js';

/** A vendor's deviations from the format as functions, all of them optional. */
export interface ChatCompletionsDialect {
  /** Changes the request body. The object belongs to the function, which may change it. */
  readonly body?: (body: JsonObject, request: GenerationRequest, call: ProviderCall) => JsonObject;
  /**
   * Changes a response, or an event of a stream, before it is read. Such a stream is read without templates, which
   * costs more time an event.
   */
  readonly answer?: (answer: JsonObject) => JsonObject;
}

/** OpenAI's format: chat completions and legacy completions, streamed and not. */
@Injectable()
export class ChatCompletionsProtocol {
  constructor(private readonly transport: HttpTransport) {}

  /** Implements ModelProvider.generate. */
  generate(request: GenerationRequest, call: ProviderCall, endpoint: Endpoint, dialect: ChatCompletionsDialect = {}): PushedChunks {
    return new PushedChunks(call, (observer) => this.#push(request, call, endpoint, dialect, observer));
  }

  #push(
    request: GenerationRequest,
    call: ProviderCall,
    endpoint: Endpoint,
    dialect: ChatCompletionsDialect,
    observer: ChunkObserver,
  ): ChunkSubscription {
    const body = chatCompletionsRequest(request, call.upstreamModel);
    const { secrets } = endpoint;
    const decoder = new ChatCompletionsDecoder(request, secrets, dialect.answer);
    const reader = new ResponseReader({ call, streamed: request.stream, secrets }, decoder, observer);
    reader.send(this.transport, {
      method: 'POST',
      origin: endpoint.origin,
      path: pathOf(endpoint, request.operation === 'chat' ? 'chat/completions' : 'completions'),
      headers: { ...endpoint.headers, 'content-type': 'application/json', 'x-request-id': call.requestId, ...call.traceHeaders },
      body: toJson(dialect.body ? dialect.body(body, request, call) : body),
      timeouts: endpoint.timeouts,
      reach: endpoint.reach,
    });
    return reader;
  }
}

import { Injectable } from '@nestjs/common';
import type { GenerationRequest } from '../../../wire/generation.js';
import type { JsonObject } from '../../../wire/json-object.js';
import type { ProviderCall } from '../../model-provider.js';
import { PushedChunks } from '../../pushed-chunks.js';
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
  /** Headers that a request has beside those of the entry, which win over them; in lower case. */
  readonly headers?: (request: GenerationRequest) => Readonly<Record<string, string>> | undefined;
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
    return new PushedChunks(call, (observer) => {
      const { origin, headers, secrets, timeouts, reach, sign } = endpoint;
      const body = chatCompletionsRequest(request, call.upstreamModel);
      const decoder = new ChatCompletionsDecoder(request, secrets, dialect.answer);
      const reader = new ResponseReader({ call, streamed: request.stream, secrets }, decoder, observer);
      reader.send(this.transport, {
        method: 'POST',
        origin,
        path: pathOf(endpoint, request.operation === 'chat' ? 'chat/completions' : 'completions'),
        headers: {
          ...dialect.headers?.(request),
          ...headers,
          'content-type': 'application/json',
          'x-request-id': call.requestId,
          ...call.traceHeaders,
        },
        body: toJson(dialect.body ? dialect.body(body, request, call) : body),
        timeouts,
        reach,
        sign,
      });
      return reader;
    });
  }
}

import { Injectable } from '@nestjs/common';
import type { GenerationRequest } from '../../../wire/generation.js';
import type { ProviderCall } from '../../model-provider.js';
import { ProviderError } from '../../provider-error.js';
import { type ChunkObserver, PushedChunks, type ChunkSubscription } from '../../pushed-chunks.js';
import { HttpTransport } from '../../transport/http-transport.js';
import { ResponseReader } from '../response-reader.js';
import { type Endpoint, pathOf } from '../endpoint.js';
import { MessagesDecoder } from './decoder.js';
import { messagesRequest } from './request.js';
import type { ModelTraits } from './model-traits.js';

/** Anthropic's Messages API, streamed and not, at `v1/messages` below the endpoint's address. Chat only. */
@Injectable()
export class AnthropicMessagesProtocol {
  constructor(private readonly transport: HttpTransport) {}

  /** Implements ModelProvider.generate. */
  generate(request: GenerationRequest, call: ProviderCall, endpoint: Endpoint, traits: ModelTraits): PushedChunks {
    return new PushedChunks(call, (observer) => this.#push(request, call, endpoint, traits, observer));
  }

  #push(
    request: GenerationRequest,
    call: ProviderCall,
    endpoint: Endpoint,
    traits: ModelTraits,
    observer: ChunkObserver,
  ): ChunkSubscription {
    if (request.operation !== 'chat') throw new ProviderError('invalid_request', 'This model has no legacy completions');
    const { body, jsonTool } = messagesRequest(request, call.upstreamModel, traits, (parameter) => call.dropped(parameter));
    const { secrets } = endpoint;
    const reader = new ResponseReader({ call, streamed: request.stream, secrets }, new MessagesDecoder(jsonTool, secrets), observer);
    reader.send(this.transport, {
      method: 'POST',
      origin: endpoint.origin,
      path: pathOf(endpoint, 'v1/messages'),
      headers: { ...endpoint.headers, 'content-type': 'application/json', ...call.traceHeaders },
      body: JSON.stringify(body),
      timeouts: endpoint.timeouts,
      reach: endpoint.reach,
    });
    return reader;
  }
}

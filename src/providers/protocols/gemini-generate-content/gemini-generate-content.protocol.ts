import { Injectable } from '@nestjs/common';
import type { GenerationRequest } from '../../../wire/generation.js';
import type { ProviderCall } from '../../model-provider.js';
import { ProviderError } from '../../provider-error.js';
import { type ChunkObserver, PushedChunks, type ChunkSubscription } from '../../pushed-chunks.js';
import { HttpTransport } from '../../transport/http-transport.js';
import { ResponseReader } from '../response-reader.js';
import { type Endpoint, pathOf } from '../endpoint.js';
import { GenerateContentDecoder } from './decoder.js';
import { generateContentRequest } from './request.js';
import { modelPath } from './model-path.js';
import type { ModelTraits } from './model-traits.js';

/** Google's `generateContent` and `streamGenerateContent`, of the Gemini API and of Vertex AI. Chat only. */
@Injectable()
export class GeminiGenerateContentProtocol {
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
    const { secrets } = endpoint;
    const decoder = new GenerateContentDecoder(request, call.requestId, secrets);
    const reader = new ResponseReader({ call, streamed: request.stream, secrets }, decoder, observer);
    reader.send(this.transport, {
      method: 'POST',
      origin: endpoint.origin,
      path: operationPath(endpoint, call.upstreamModel, request.stream),
      headers: { ...endpoint.headers, 'content-type': 'application/json', ...call.traceHeaders },
      body: JSON.stringify(generateContentRequest(request, traits, (parameter) => call.dropped(parameter))),
      timeouts: endpoint.timeouts,
      reach: endpoint.reach,
    });
    return reader;
  }
}

function operationPath(endpoint: Endpoint, model: string, streamed: boolean): string {
  const path = pathOf(endpoint, `${modelPath(model)}:${streamed ? 'streamGenerateContent' : 'generateContent'}`);
  return streamed ? `${path}${endpoint.query ? '&' : '?'}alt=sse` : path;
}

import { Injectable } from '@nestjs/common';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../../wire/embedding.js';
import type { GenerationRequest } from '../../../wire/generation.js';
import type { JsonObject } from '../../../wire/json-object.js';
import { reportProofs } from '../../contract/carried-proofs.js';
import { signatureOf } from './signatures.js';
import type { ProviderCall } from '../../contract/model-provider.js';
import { ProviderError } from '../../contract/provider-error.js';
import { PushedChunks } from '../../contract/pushed-chunks.js';
import { HttpTransport } from '../../transport/http-transport.js';
import { ResponseReader } from '../response-reader.js';
import { type Endpoint, requestTo } from '../endpoint.js';
import { translatedJson } from '../translated-json.js';
import { askOnce } from '../ask-once.js';
import { batchEmbedContents, type EmbeddingsForm } from './embeddings.js';
import { generateContentError } from './error.js';
import { GenerateContentDecoder } from './decoder.js';
import { generateContentRequest } from './request.js';
import { modelPath } from './model-path.js';
import type { ModelTraits } from './model-traits.js';

/**
 * Google's `generateContent` and `streamGenerateContent`, of the Gemini API and of Vertex AI, and the Gemini API's
 * `batchEmbedContents`. No legacy completions.
 */
@Injectable()
export class GeminiGenerateContentProtocol {
  constructor(private readonly transport: HttpTransport) {}

  /** Implements ModelProvider.generate. */
  generate(request: GenerationRequest, call: ProviderCall, endpoint: Endpoint, traits: ModelTraits): PushedChunks {
    return new PushedChunks(call, (observer) => {
      if (request.operation !== 'chat') throw new ProviderError('invalid_request', 'This model has no legacy completions');
      const { stream: streamed } = request;
      reportProofs(
        request,
        call,
        (proof, member) => member === 'is_error' || (member === 'extra_content' && signatureOf(proof) !== undefined),
      );
      const { secrets } = endpoint;
      const reader = new ResponseReader(
        { call, streamed, secrets },
        new GenerateContentDecoder(request, call.requestId, secrets),
        observer,
      );
      const asked = requestTo(endpoint, {
        operation: `${modelPath(call.upstreamModel)}:${streamed ? 'streamGenerateContent' : 'generateContent'}`,
        query: streamed ? 'alt=sse' : undefined,
        headers: { 'content-type': 'application/json', ...call.traceHeaders },
        body: translatedJson(
          generateContentRequest(request, traits, (parameter) => call.dropped(parameter)),
          request,
        ),
      });
      reader.send(this.transport, asked);
      return reader;
    });
  }

  /**
   * Implements ModelProvider.embed.
   * @param form how the address makes embeddings
   */
  async embed(
    request: EmbeddingRequest,
    call: ProviderCall,
    endpoint: Endpoint,
    form: EmbeddingsForm = batchEmbedContents,
  ): Promise<EmbeddingAnswer> {
    const { secrets } = endpoint;
    const path = modelPath(call.upstreamModel);
    const asked = requestTo(endpoint, {
      operation: `${path}:${form.operation}`,
      headers: { 'content-type': 'application/json', ...call.traceHeaders },
      body: translatedJson(form.body(request, path), request),
    });
    const read = (body: JsonObject): EmbeddingAnswer => form.read(body, secrets);
    return askOnce(this.transport, asked, call, secrets, { failed: generateContentError, read });
  }
}

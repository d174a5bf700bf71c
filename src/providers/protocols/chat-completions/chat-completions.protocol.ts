import { Injectable } from '@nestjs/common';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../../wire/embedding.js';
import type { GenerationRequest } from '../../../wire/generation.js';
import type { JsonObject } from '../../../wire/json-object.js';
import type { RerankAnswer, RerankRequest } from '../../../wire/rerank.js';
import { reportProofs } from '../../contract/carried-proofs.js';
import type { ProviderCall } from '../../contract/model-provider.js';
import { PushedChunks } from '../../contract/pushed-chunks.js';
import { HttpTransport } from '../../transport/http-transport.js';
import type { UpstreamRequest } from '../../transport/upstream-request.js';
import { type Endpoint, pathOf } from '../endpoint.js';
import { ResponseReader } from '../response-reader.js';
import { askOnce } from '../ask-once.js';
import type { Word } from '../join-usages.js';
import { documentsForm, rerankBody, scoresIn } from '../rerank-form.js';
import { upstreamError } from '../upstream-error.js';
import { ChatCompletionsDecoder } from './decoder.js';
import { type Base64Numbers, embeddingsBody, embeddingsIn } from './embeddings.js';
import { chatCompletionsRequest } from './request.js';
import { type ReasoningName, takesBlock } from './sent-messages.js';
import { toJson } from './to-json.js';

/** A vendor's deviations from the format as functions, all of them optional. */
export interface ChatCompletionsDialect {
  /** Changes the request body. The object belongs to the function, which may change it. */
  readonly body?: (body: JsonObject, request: GenerationRequest, call: ProviderCall) => JsonObject;
  /** The same for a request for embeddings. */
  readonly embeddings?: (body: JsonObject, request: EmbeddingRequest) => JsonObject;
  /** The path of embeddings, where the address has none of its own. */
  readonly embeddingsPath?: string;
  /** The names under which it reads the reasoning of an assistant's message; absent: nobody knows, and it gets both. */
  readonly reasoning?: readonly ReasoningName[];
  /** Headers that a request has beside those of the entry, which win over them; in lower case. */
  readonly headers?: (request: GenerationRequest) => Readonly<Record<string, string>> | undefined;
  /**
   * Changes a response, or an event of a stream, before it is read. Such a stream is read without templates, which
   * costs more time an event.
   */
  readonly answer?: (answer: JsonObject) => JsonObject;
  /** Which of several usages of one answer holds; absent: nobody knows, and it is the most of each count. */
  readonly usages?: Word;
}

/** OpenAI's format: chat completions and legacy completions, streamed and not, and embeddings. */
@Injectable()
export class ChatCompletionsProtocol {
  constructor(private readonly transport: HttpTransport) {}

  /** Implements ModelProvider.generate. */
  generate(request: GenerationRequest, call: ProviderCall, endpoint: Endpoint, dialect: ChatCompletionsDialect = {}): PushedChunks {
    return new PushedChunks(call, (observer) => {
      const { secrets } = endpoint;
      const body = chatCompletionsRequest(request, call.upstreamModel, dialect.reasoning);
      reportProofs(request, call, (proof, member) =>
        member === 'thinking_blocks' ? takesBlock(proof, dialect.reasoning) : member !== 'is_error' && member !== 'citations',
      );
      const decoder = new ChatCompletionsDecoder(request, secrets, dialect.answer, dialect.usages);
      const reader = new ResponseReader({ call, streamed: request.stream, secrets }, decoder, observer);
      const edited = dialect.body ? dialect.body(body, request, call) : body;
      const operation = request.operation === 'chat' ? 'chat/completions' : 'completions';
      reader.send(this.transport, this.#request(endpoint, operation, edited, call, dialect.headers?.(request)));
      return reader;
    });
  }

  /**
   * Implements ModelProvider.embed.
   * @param base64 of the model
   */
  embed(
    request: EmbeddingRequest,
    call: ProviderCall,
    endpoint: Endpoint,
    { embeddings: edit, embeddingsPath }: Pick<ChatCompletionsDialect, 'embeddings' | 'embeddingsPath'> = {},
    base64?: Base64Numbers,
  ): Promise<EmbeddingAnswer> {
    const { secrets } = endpoint;
    const body = embeddingsBody(request, call.upstreamModel, base64);
    const operation = (endpoint.basePath === '' && embeddingsPath) || 'embeddings';
    const asked = this.#request(endpoint, operation, edit ? edit(body, request) : body, call);
    const read = (answer: JsonObject): EmbeddingAnswer => embeddingsIn(answer, secrets, base64);
    return askOnce(this.transport, asked, call, secrets, { failed: upstreamError, read });
  }

  /** Implements ModelProvider.rerank, which OpenAI's format does not have: at `rerank`, as most servers do. */
  rerank(request: RerankRequest, call: ProviderCall, endpoint: Endpoint, form = documentsForm): Promise<RerankAnswer> {
    const { secrets } = endpoint;
    const asked = this.#request(endpoint, 'rerank', rerankBody(form, request, call.upstreamModel), call);
    return askOnce(this.transport, asked, call, secrets, { failed: upstreamError, read: (answer) => scoresIn(form, answer, secrets) });
  }

  #request(
    endpoint: Endpoint,
    operation: string,
    body: JsonObject,
    call: ProviderCall,
    own?: Readonly<Record<string, string>>,
  ): UpstreamRequest {
    const { origin, headers, timeouts, reach, sign } = endpoint;
    return {
      method: 'POST',
      origin,
      path: pathOf(endpoint, operation),
      headers: {
        ...own,
        ...headers,
        'content-type': 'application/json',
        'x-request-id': call.requestId,
        ...call.traceHeaders,
      },
      body: toJson(body),
      timeouts,
      reach,
      sign,
    };
  }
}

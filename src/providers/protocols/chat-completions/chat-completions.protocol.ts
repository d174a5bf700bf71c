import { Injectable } from '@nestjs/common';
import type { GenerationChunk, GenerationRequest } from '../../../wire/generation.js';
import type { ProviderCall } from '../../model-provider.js';
import { isProviderError, ProviderError } from '../../provider-error.js';
import { HttpTransport } from '../../transport/http-transport.js';
import type { UpstreamResponse } from '../../transport/upstream-response.js';
import { type Endpoint, pathOf } from '../endpoint.js';
import { isJson, type Json } from '../json.js';
import { inBandError, MAX_ERROR_BYTES, upstreamError } from '../upstream-error.js';
import { vendorError } from '../vendor-error.js';
import { AnswerRepair } from './answer-repair.js';
import { requestBody } from './request-body.js';
import { StreamRepair } from './stream-repair.js';

/** A vendor's deviations, as functions; all optional. */
export interface ChatCompletionsDialect {
  /** Changes the body that is sent; the object is the function's own. */
  readonly body?: (body: Json, request: GenerationRequest, call: ProviderCall) => Json;
  /** Changes an answer, or an event of a stream, before it is read. Costs the stream its fast path. */
  readonly answer?: (answer: Json) => Json;
}

/** OpenAI's wire format: chat completions and legacy completions, streamed and not. */
@Injectable()
export class ChatCompletionsProtocol {
  constructor(private readonly transport: HttpTransport) {}

  /** Fulfils ModelProvider.generate. */
  async *generate(
    request: GenerationRequest,
    call: ProviderCall,
    endpoint: Endpoint,
    dialect: ChatCompletionsDialect = {},
  ): AsyncGenerator<GenerationChunk, void> {
    try {
      const body = requestBody(request, call.upstreamModel);
      const response = await this.transport.send({
        method: 'POST',
        origin: endpoint.origin,
        path: pathOf(endpoint, request.operation === 'chat' ? 'chat/completions' : 'completions'),
        headers: { ...endpoint.headers, 'content-type': 'application/json', 'x-request-id': call.requestId, ...call.traceHeaders },
        body: JSON.stringify(dialect.body ? dialect.body(body, request, call) : body),
        timeouts: endpoint.timeouts,
        signal: call.signal,
        reach: endpoint.reach,
      });
      const { status, retryAfterMs } = response;
      if (status < 200 || status > 299) {
        throw upstreamError({ status, retryAfterMs, body: await response.excerpt(MAX_ERROR_BYTES), secrets: endpoint.secrets });
      }
      const repair = new AnswerRepair(request, endpoint.secrets);
      // By what came, not by what was asked: some vendors never stream, others always do.
      const streams = response.contentType === 'text/event-stream' || (request.stream && !isJsonType(response.contentType));
      if (!streams) {
        yield repair.whole(await readJson(response, dialect));
        return;
      }
      const stream = new StreamRepair(repair, dialect.answer);
      let marked = false;
      read: for await (const events of response.events(call.flow)) {
        for (const { event, data } of events) {
          if (data.startsWith('[DONE]')) {
            marked = true;
            response.release();
            break read;
          }
          if (event === 'error') throw inBandError(vendorError(parsed(data)) ?? { message: data, words: [] }, endpoint.secrets);
          const chunk = data === '' ? undefined : stream.read(data);
          if (chunk) yield chunk;
        }
      }
      yield* repair.end(marked);
    } catch (error) {
      if (call.signal.aborted) return;
      throw isProviderError(error) ? error : new ProviderError('bad_response', 'The provider’s answer cannot be read', { cause: error });
    }
  }
}

async function readJson(response: UpstreamResponse, { answer }: ChatCompletionsDialect): Promise<Json> {
  const body = parsed(await response.text());
  if (!isJson(body)) throw new ProviderError('bad_response', 'The provider’s answer is not JSON', { status: response.status });
  return answer ? answer(body) : body;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isJsonType(contentType: string): boolean {
  return /^application\/(.+\+)?json$/.test(contentType);
}

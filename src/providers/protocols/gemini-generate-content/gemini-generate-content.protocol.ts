import { Injectable } from '@nestjs/common';
import type { GenerationChunk, GenerationRequest } from '../../../wire/generation.js';
import type { ProviderCall } from '../../model-provider.js';
import { isProviderError, ProviderError } from '../../provider-error.js';
import type { ServerSentEvent } from '../../transport/event-stream-parser.js';
import { HttpTransport } from '../../transport/http-transport.js';
import type { UpstreamResponse } from '../../transport/upstream-response.js';
import { type Endpoint, pathOf } from '../endpoint.js';
import { joinTexts } from '../join-texts.js';
import { isJson } from '../json.js';
import { MAX_ERROR_BYTES } from '../upstream-error.js';
import { AnswerTranslator } from './answer-translator.js';
import { generateContentError } from './generate-content-error.js';
import type { GenerateContentResponse } from './generate-content-wire.js';
import { modelPath } from './model-path.js';
import type { ModelTraits } from './model-traits.js';
import { generateContentRequest } from './generate-content-request.js';

/** Google's `generateContent` and `streamGenerateContent`, of the Gemini API and of Vertex AI. Chat only. */
@Injectable()
export class GeminiGenerateContentProtocol {
  constructor(private readonly transport: HttpTransport) {}

  /** Fulfils ModelProvider.generate. */
  async *generate(
    request: GenerationRequest,
    call: ProviderCall,
    endpoint: Endpoint,
    traits: ModelTraits,
  ): AsyncGenerator<GenerationChunk, void> {
    try {
      if (request.operation !== 'chat') throw new ProviderError('invalid_request', 'This model has no legacy completions');
      const response = await this.transport.send({
        method: 'POST',
        origin: endpoint.origin,
        path: operationPath(endpoint, call.upstreamModel, request.stream),
        headers: { ...endpoint.headers, 'content-type': 'application/json', ...call.traceHeaders },
        body: JSON.stringify(generateContentRequest(request, traits, (parameter) => call.dropped(parameter))),
        timeouts: endpoint.timeouts,
        signal: call.signal,
        reach: endpoint.reach,
      });
      const { status, retryAfterMs } = response;
      if (status < 200 || status > 299) {
        throw generateContentError({ status, retryAfterMs, body: await response.excerpt(MAX_ERROR_BYTES), secrets: endpoint.secrets });
      }
      const answer = new AnswerTranslator(request, call.requestId, endpoint.secrets);
      if (isStream(response, request.stream)) yield* stream(response, answer, call);
      else yield answer.whole(parsed(await response.text()));
    } catch (error) {
      if (call.signal.aborted) return;
      throw isProviderError(error) ? error : new ProviderError('bad_response', 'Gemini’s answer cannot be read', { cause: error });
    }
  }
}

/** Gateways before Google may answer in the other mode than was asked for. */
function isStream({ contentType }: UpstreamResponse, asked: boolean): boolean {
  return contentType === 'text/event-stream' || (asked && !contentType.endsWith('json'));
}

async function* stream(response: UpstreamResponse, answer: AnswerTranslator, call: ProviderCall): AsyncGenerator<GenerationChunk, void> {
  for await (const events of response.events(call.flow)) {
    for (const chunk of joinTexts(translated(events, answer))) yield chunk;
  }
  yield* answer.end();
}

function* translated(events: readonly ServerSentEvent[], answer: AnswerTranslator): Generator<GenerationChunk, void> {
  for (const { data } of events) {
    const chunk = data === '' ? undefined : answer.event(parsed(data));
    if (chunk) yield chunk;
  }
}

function operationPath(endpoint: Endpoint, model: string, streamed: boolean): string {
  const path = pathOf(endpoint, `${modelPath(model)}:${streamed ? 'streamGenerateContent' : 'generateContent'}`);
  return streamed ? `${path}${endpoint.query ? '&' : '?'}alt=sse` : path;
}

function parsed(text: string): GenerateContentResponse {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ProviderError('bad_response', 'Gemini’s answer is not JSON', { cause });
  }
  if (!isJson(value)) throw new ProviderError('bad_response', 'Gemini’s answer is not an object');
  return value;
}

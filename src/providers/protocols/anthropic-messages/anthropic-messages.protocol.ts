import { Injectable } from '@nestjs/common';
import type { GenerationChunk, GenerationRequest } from '../../../wire/generation.js';
import type { ProviderCall } from '../../model-provider.js';
import { isProviderError, ProviderError } from '../../provider-error.js';
import type { ServerSentEvent } from '../../transport/event-stream-parser.js';
import { HttpTransport } from '../../transport/http-transport.js';
import { type Endpoint, pathOf } from '../endpoint.js';
import { joinTexts } from '../join-texts.js';
import { isJson, type Json } from '../json.js';
import { MAX_ERROR_BYTES } from '../upstream-error.js';
import { MessageTranslator } from './message-translator.js';
import { messagesError, messagesInBandError } from './messages-error.js';
import { messagesRequest } from './messages-request.js';
import type { ModelTraits } from './model-traits.js';

/** Anthropic's Messages, streamed and not, at `v1/messages` behind the endpoint's address. Chat only. */
@Injectable()
export class AnthropicMessagesProtocol {
  constructor(private readonly transport: HttpTransport) {}

  /** Fulfils ModelProvider.generate. */
  async *generate(
    request: GenerationRequest,
    call: ProviderCall,
    endpoint: Endpoint,
    traits: ModelTraits,
  ): AsyncGenerator<GenerationChunk, void> {
    const { secrets } = endpoint;
    try {
      if (request.operation !== 'chat') throw new ProviderError('invalid_request', 'This model has no legacy completions');
      const { body, jsonTool } = messagesRequest(request, call.upstreamModel, traits, (parameter) => call.dropped(parameter));
      const response = await this.transport.send({
        method: 'POST',
        origin: endpoint.origin,
        path: pathOf(endpoint, 'v1/messages'),
        headers: { ...endpoint.headers, 'content-type': 'application/json', ...call.traceHeaders },
        body: JSON.stringify(body),
        timeouts: endpoint.timeouts,
        signal: call.signal,
        reach: endpoint.reach,
      });
      const { status, retryAfterMs, contentType } = response;
      if (status < 200 || status > 299) {
        throw messagesError({ status, retryAfterMs, body: await response.excerpt(MAX_ERROR_BYTES), secrets });
      }
      const translator = new MessageTranslator(jsonTool);
      // By what came, not by what was asked: compatible servers may always stream, or never.
      if (contentType !== 'text/event-stream' && (!request.stream || contentType === 'application/json')) {
        const payload = await response.text();
        const message = parsed(payload);
        if (isError(message)) throw messagesInBandError(payload, secrets);
        yield translator.whole(message);
        return;
      }
      for await (const events of response.events(call.flow)) {
        for (const chunk of joinTexts(translated(events, translator, secrets))) yield chunk;
        if (translator.ended) break;
      }
      yield* translator.end();
    } catch (error) {
      if (call.signal.aborted) return;
      throw isProviderError(error) ? error : new ProviderError('bad_response', 'The provider’s answer cannot be read', { cause: error });
    }
  }
}

function* translated(
  events: readonly ServerSentEvent[],
  translator: MessageTranslator,
  secrets: readonly string[],
): Generator<GenerationChunk, void> {
  for (const { data } of events) {
    if (data === '') continue;
    const event = parsed(data);
    if (isError(event)) throw messagesInBandError(data, secrets);
    const chunk = translator.event(event);
    if (chunk) yield chunk;
    if (translator.ended) return;
  }
}

/** Compatible servers may leave the type out. */
function isError({ type, error }: Json): boolean {
  return type === 'error' || isJson(error);
}

function parsed(text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ProviderError('bad_response', 'The provider’s answer is not JSON', { cause });
  }
  if (!isJson(value)) throw new ProviderError('bad_response', 'The provider’s answer is not an object');
  return value;
}

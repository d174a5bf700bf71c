import { Injectable } from '@nestjs/common';
import type { GenerationRequest } from '../../../wire/generation.js';
import { reportProofs } from '../../contract/carried-proofs.js';
import { takesProof } from '../../translation/signed-thinking.js';
import type { ProviderCall } from '../../contract/model-provider.js';
import { ProviderError } from '../../contract/provider-error.js';
import { PushedChunks } from '../../contract/pushed-chunks.js';
import { HttpTransport } from '../../transport/http-transport.js';
import { ResponseReader } from '../response-reader.js';
import { type Endpoint, requestTo } from '../endpoint.js';
import { translatedJson } from '../translated-json.js';
import { MessagesDecoder } from './decoder.js';
import { cloudFeatures, nativeBody } from './native.js';
import { messagesRequest } from './request.js';
import type { ModelTraits } from './model-traits.js';
import type { MessagesBody } from './wire.js';

/** How a cloud that sells the vendor's models is asked where it differs from the vendor's own address. */
export interface MessagesDialect {
  /** The path below the endpoint's address. */
  readonly operation: (upstreamModel: string, streamed: boolean) => string;
  readonly body: (body: MessagesBody) => object;
  /** Features that it has by Anthropic's names; absent: all. */
  readonly features?: RegExp;
}

const own: MessagesDialect = { operation: () => 'v1/messages', body: (body) => body };

/** Anthropic's Messages API, streamed and not, at `v1/messages` or where a dialect has it. Chat only. */
@Injectable()
export class AnthropicMessagesProtocol {
  constructor(private readonly transport: HttpTransport) {}

  /** Implements ModelProvider.generate. */
  generate(request: GenerationRequest, call: ProviderCall, endpoint: Endpoint, traits: ModelTraits, dialect = own): PushedChunks {
    return new PushedChunks(call, (observer) => {
      if (request.operation !== 'chat') throw new ProviderError('invalid_request', 'This model has no legacy completions');
      const dropped = (parameter: string): void => call.dropped(parameter);
      const native = nativeBody(request, call.upstreamModel, traits, dropped);
      if (!native) request.native?.beyond?.forEach(dropped);
      reportProofs(request, call, (proof, member) => (member === 'citations' ? native !== undefined : takesProof(proof, member)));
      const { body, jsonTool } = native ? { body: native, jsonTool: false } : messagesRequest(request, call.upstreamModel, traits, dropped);
      const { secrets } = endpoint;
      const decoder = new MessagesDecoder(jsonTool, secrets, request.hosted_tools);
      const reader = new ResponseReader({ call, streamed: request.stream, secrets }, decoder, observer);
      const asked = dialect.features ? cloudFeatures(request, dialect.features).join(',') : native && request.native?.headers?.[BETA];
      const headers = { 'content-type': 'application/json', ...call.traceHeaders, ...betaHeader(asked, endpoint) };
      const operation = dialect.operation(call.upstreamModel, request.stream);
      reader.send(this.transport, requestTo(endpoint, { operation, headers, body: translatedJson(dialect.body(body), request) }));
      return reader;
    });
  }
}

const BETA = 'anthropic-beta';

/** The features that are asked for, and those that the operator has configured. */
function betaHeader(asked: string | undefined, { headers }: Endpoint): Record<string, string> {
  const all = [headers[BETA], asked].filter(Boolean);
  return all.length > 0 ? { [BETA]: all.join(',') } : {};
}

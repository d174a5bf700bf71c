import { Injectable } from '@nestjs/common';
import type { GenerationRequest } from '../../../wire/generation.js';
import { reportProofs } from '../../contract/carried-proofs.js';
import type { ProviderCall } from '../../contract/model-provider.js';
import { PushedChunks } from '../../contract/pushed-chunks.js';
import { HttpTransport } from '../../transport/http-transport.js';
import { toJson } from '../chat-completions/to-json.js';
import { type Endpoint, requestTo } from '../endpoint.js';
import { ResponseReader } from '../response-reader.js';
import { ResponsesDecoder } from './decoder.js';
import { responsesRequest, type TakenItems } from './request.js';

/** OpenAI's Responses at `responses`, streamed and not, for requests that clients have written in this format. */
@Injectable()
export class OpenAIResponsesProtocol {
  constructor(private readonly transport: HttpTransport) {}

  /**
   * Implements ModelProvider.generate.
   * @param takes what the vendor takes of the format; absent: all
   * @returns undefined where the request is to be asked in another format
   */
  generate(request: GenerationRequest, call: ProviderCall, endpoint: Endpoint, takes?: TakenItems): PushedChunks | undefined {
    const body = request.operation === 'chat' ? responsesRequest(request, call.upstreamModel, takes) : undefined;
    if (!body) return undefined;
    return new PushedChunks(call, (observer) => {
      const { secrets } = endpoint;
      reportProofs(request, call, ({ wire }) => wire === 'openai-responses');
      if (request.operation === 'chat') request.native?.left?.forEach((name) => call.dropped(name));
      const hosts = request.operation === 'chat' && request.hosted_tools !== undefined;
      const decoder = new ResponsesDecoder(secrets, hosts);
      const reader = new ResponseReader({ call, streamed: request.stream, secrets }, decoder, observer);
      const headers = { 'content-type': 'application/json', 'x-request-id': call.requestId, ...call.traceHeaders };
      reader.send(this.transport, requestTo(endpoint, { operation: 'responses', headers, body: toJson(body) }));
      return reader;
    });
  }
}

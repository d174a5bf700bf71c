import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { ApiError } from '../common/api-error.js';
import { CustomCalls } from '../inference/chunks/custom-calls.js';
import { toEvents } from '../inference/chunks/stream-events.js';
import { type GenerationCall, InferenceService } from '../inference/inference.service.js';
import { argumentsProblem, calledArguments } from '../inference/tool-arguments.js';
import type { ChatGenerationRequest } from '../wire/generation.js';
import type { ResponseObject } from '../wire/response.js';
import type { StreamEvent } from '../wire/stream-event.js';
import { usageOf } from '../wire/usage.js';
import type { CreateResponseDto } from './create-response.dto.js';
import { OutputItems, type OutputOptions } from './output-items.js';
import { ResponseEvents } from './response-events.js';
import { namespacedNames } from './tools.mapping.js';
import { begunResponse, endOf, responseRequest } from './response.mapping.js';

@Injectable()
export class ResponsesService {
  constructor(private readonly inference: InferenceService) {}

  /**
   * The events of the response where `stream` is set, otherwise the whole response.
   * @throws ApiError 400 unsupported_parameter for what needs a store or a hosted tool, 400 invalid_request
   */
  create(body: CreateResponseDto, call: GenerationCall): Observable<StreamEvent | ResponseObject> | Promise<ResponseObject> {
    requireNoStore(body);
    const request = responseRequest(body);
    const problem = argumentsProblem(request.messages, calledArguments, () => 'input');
    if (problem) throw new ApiError('invalid_request', problem);
    const { requestId } = call.context;
    const begun = begunResponse(body, requestId);
    const options = outputOptions(body, request, requestId);
    if (!body.stream) return this.#whole(request, begun, options, call);
    const events = new ResponseEvents(begun, options);
    call.context.streamFormat = events;
    return this.inference.generate([request], call).pipe(toEvents(events));
  }

  async #whole(
    request: ChatGenerationRequest,
    begun: ResponseObject,
    options: OutputOptions,
    call: GenerationCall,
  ): Promise<ResponseObject> {
    const { choices, usage } = await this.inference.whole([request], call);
    const output = new OutputItems(options);
    for (const choice of choices) output.add(choice);
    return endOf(begun, output, choices[0]?.finish_reason ?? 'stop', usage ?? usageOf(0, 0));
  }
}

function outputOptions({ include, reasoning, tools }: CreateResponseDto, request: ChatGenerationRequest, requestId: string): OutputOptions {
  const { custom_tools } = request;
  return {
    requestId,
    summary: Boolean(reasoning?.summary ?? reasoning?.generate_summary),
    encrypted: include?.includes('reasoning.encrypted_content') === true,
    logprobs: request.logprobs === true,
    names: namespacedNames(tools ?? []),
    custom: custom_tools && new CustomCalls(new Set(custom_tools.map(({ name }) => name))),
  };
}

/** What a client leaves out is no wish: OpenAI stores where `store` is absent, and most clients do not read it again. */
function requireNoStore(body: CreateResponseDto): void {
  const { store, background, previous_response_id, conversation } = body;
  const asked = Object.entries({ store, background, previous_response_id, conversation }).find(([, value]) => value);
  if (!asked) return;
  throw new ApiError(
    'unsupported_parameter',
    `${asked[0]} is not supported: responses are not stored here. Send the whole conversation as input`,
  );
}

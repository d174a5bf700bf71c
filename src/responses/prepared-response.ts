import { ApiError } from '../common/api-error.js';
import type { CarriedTexts } from '../inference/carried/carried-facts.js';
import { CarriedReader } from '../inference/carried/carried-reader.js';
import { CustomCalls } from '../inference/chunks/custom-calls.js';
import { argumentsProblem, calledArguments } from '../inference/tool-arguments.js';
import { valueAt } from '../wire/members.js';
import type { ChatGenerationRequest } from '../wire/generation.js';
import type { ResponseObject } from '../wire/response.js';
import { unheardOptions } from '../wire/sampling-shape.js';
import type { CreateResponseDto } from './create-response.dto.js';
import { isClientSearch, loadedTools } from './foreign-items.js';
import type { OutputOptions } from './output/output-options.js';
import { begunResponse, responseRequest } from './response.mapping.js';
import { namespacedNames } from './tools.mapping.js';

/** A request for a response in all forms that answering it needs. */
export interface PreparedResponse {
  readonly request: ChatGenerationRequest;
  /** The response before its first item. */
  readonly begun: ResponseObject;
  readonly options: OutputOptions;
  /** What was left out of what the client carries back. */
  readonly leftOut: ReadonlySet<string> | undefined;
}

/** @throws ApiError 400 unsupported_parameter for what needs a hosted tool, 400 invalid_request */
export function prepareResponse(body: CreateResponseDto, requestId: string, carried: CarriedTexts): PreparedResponse {
  const reader = new CarriedReader(carried);
  const request = responseRequest(body, reader);
  for (const name of unheardOptions(body.stream_options)) reader.leaveOut(name);
  const problem = argumentsProblem(request.messages, calledArguments, () => 'input');
  if (problem) throw new ApiError('invalid_request', problem);
  return {
    request,
    begun: begunResponse(body, requestId),
    options: outputOptions(body, request, requestId, carried),
    leftOut: reader.leftOut,
  };
}

function outputOptions(body: CreateResponseDto, request: ChatGenerationRequest, requestId: string, carried: CarriedTexts): OutputOptions {
  const { include, reasoning, tools } = body;
  const { custom_tools } = request;
  return {
    requestId,
    summary: Boolean(reasoning?.summary ?? reasoning?.generate_summary),
    encrypted: include?.includes('reasoning.encrypted_content') === true,
    carried,
    logprobs: request.logprobs === true,
    names: namespacedNames([...(tools ?? []), ...loadedTools(valueAt(body, 'input'))]),
    searches: tools?.some(isClientSearch),
    custom: custom_tools && new CustomCalls(new Set(custom_tools.map(({ name }) => name))),
  };
}

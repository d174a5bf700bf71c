import { ApiError } from '../common/api-error.js';
import { CustomCalls } from '../inference/chunks/custom-calls.js';
import { argumentsProblem, calledArguments } from '../inference/tool-arguments.js';
import type { ChatGenerationRequest } from '../wire/generation.js';
import type { ResponseObject } from '../wire/response.js';
import type { CreateResponseDto } from './create-response.dto.js';
import type { OutputOptions } from './output/output-options.js';
import { begunResponse, responseRequest } from './response.mapping.js';
import { namespacedNames } from './tools.mapping.js';

/** A request for a response in all forms that answering it needs. */
export interface PreparedResponse {
  readonly request: ChatGenerationRequest;
  /** The response before its first item. */
  readonly begun: ResponseObject;
  readonly options: OutputOptions;
}

/** @throws ApiError 400 unsupported_parameter for what needs a hosted tool, 400 invalid_request */
export function prepareResponse(body: CreateResponseDto, requestId: string): PreparedResponse {
  const request = responseRequest(body);
  const problem = argumentsProblem(request.messages, calledArguments, () => 'input');
  if (problem) throw new ApiError('invalid_request', problem);
  return { request, begun: begunResponse(body, requestId), options: outputOptions(body, request, requestId) };
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

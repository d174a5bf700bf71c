import { type Offer, supports } from '../../catalogue/offer.js';
import { ApiError } from '../../common/api-error.js';
import { copyMember, copyWith, valueAt } from '../../wire/members.js';
import { goesOn, isAccountId } from '../../providers/contract/extra-parameters.js';
import { type Parameter, parameters } from '../../providers/contract/parameters.js';
import { ProviderError } from '../../providers/contract/provider-error.js';
import type { ChatGenerationRequest, CompletionGenerationRequest, GenerationRequest, InferenceRequest } from '../../wire/generation.js';
import { modalityOfType } from '../../wire/media-part.js';
import { CACHE_MARK, refusedMarks } from './cache-marks.js';
import { accountId } from './media-rules.js';
import { contentParts } from '../fitting/content-parts.js';
import { pricesHostedCalls } from './hosted-calls.js';
import { pricesServiceTier, SERVICE_TIER } from './service-tier.js';

/**
 * Checks what the table of parameters cannot express: values of max_tokens, and log probabilities with echo.
 * @param maxTokens that are to be asked for
 * @throws ApiError 400 unsupported_parameter or invalid_request
 */
export function requireSupport(offer: Offer, request: GenerationRequest, maxTokens = request.max_tokens): void {
  if (maxTokens !== undefined && maxTokens > offer.maxTokens) {
    throw new ApiError('invalid_request', `max_tokens is too large: ${maxTokens}. This model generates at most ${offer.maxTokens} tokens.`);
  }
  const least = request.extra?.['min_tokens'];
  if (maxTokens !== undefined && Number(least) > maxTokens) {
    throw new ApiError('invalid_request', `min_tokens must be at most max_tokens, which is ${maxTokens}`);
  }
  if (request.operation === 'completion' && request.echo && request.logprobs !== undefined && !supports(offer, 'echo')) {
    throw new ApiError('unsupported_parameter', `The model '${offer.modelId}' does not report log probabilities of an echoed prompt`);
  }
}

/** @throws ApiError 400 unsupported_parameter where there is an image and the model does not see */
export function requireImageSupport(offer: Offer, request: ChatGenerationRequest): void {
  if (offer.capabilities.vision) return;
  const image = request.messages.some((message) => contentParts(message)?.some((part) => modalityOfType(part) === 'image'));
  if (image) throw new ApiError('unsupported_parameter', `The model '${offer.modelId}' does not accept images`);
}

/**
 * Refuses parts of messages whose type nobody knows: what they cost cannot be bounded.
 * @throws ApiError 400 unsupported_parameter
 */
export function requireBoundedParts(offer: Offer, request: ChatGenerationRequest): void {
  for (const message of request.messages) {
    const unknown = contentParts(message)?.find((part) => modalityOfType(part) === 'unknown');
    if (unknown) throw unsupported(`messages.content.type: ${unknown.type}`, offer);
  }
}

/**
 * Removes the parameters that the offer does not support, by the table of parameters.
 * @param dropped is called with each parameter that has an effect and is removed
 * @returns the same object where nothing is removed
 * @throws ApiError 400 unsupported_parameter for what must not be dropped, and for everything where `strict`
 */
export function withoutUnsupported<R extends InferenceRequest>(
  offer: Offer,
  request: R,
  strict: boolean,
  dropped: (parameter: string) => void,
): R {
  let kept: R | undefined;
  const leaveOut = (name: string, mayBeDropped: boolean): void => {
    if (strict || !mayBeDropped) throw unsupported(name, offer);
    dropped(name);
  };
  if (valueOf(request, 'tool_choice') === 'none' && offer.lacks.includes('tool_choice')) {
    // A model that is told of no function calls none.
    kept = copyWith(request, { tools: undefined, tool_choice: undefined } as unknown as Partial<R>);
  }
  for (const name of offer.lacks) {
    const value = valueOf(kept ?? request, name);
    if (value === undefined) continue;
    if (hasEffect(name, value)) leaveOut(name, parameters[name].otherwise === 'dropped');
    kept = copyWith(kept ?? request, { [name]: undefined } as Partial<R>);
  }
  if (request.extra) {
    const refused = refusedMarks(offer);
    const extra: Record<string, unknown> = {};
    let all = true;
    for (const name of Object.keys(request.extra)) {
      // No parameter that is looked at is ever a long text.
      const value = valueAt(request.extra, name);
      if (value !== null && isAccountId(name)) {
        if (!offer.accountIds) throw accountId(offer, name);
        copyMember(request.extra, name, extra);
        continue;
      }
      const named = goesOn(name, offer.parameters) && pricesHostedCalls(offer, name);
      const passed = name === SERVICE_TIER ? pricesServiceTier(offer, value) : named;
      if (passed && (name !== CACHE_MARK || !refused?.(value, CACHE_MARK))) copyMember(request.extra, name, extra);
      else {
        all = false;
        leaveOut(name, !asksForAnotherKind(name, value));
      }
    }
    if (!all) kept = copyWith(kept ?? request, { extra } as unknown as Partial<R>);
  }
  return kept ?? request;
}

function valueOf(request: InferenceRequest, name: Parameter): unknown {
  return (request as Partial<ChatGenerationRequest & CompletionGenerationRequest>)[name];
}

/** False for a default value, which can be removed without notice. */
function hasEffect(name: Parameter, value: unknown): boolean {
  switch (name) {
    case 'tool_choice':
      return value !== 'auto';
    case 'parallel_tool_calls':
      return value === false;
    case 'response_format':
      return (value as { type: string }).type !== 'text';
    case 'logprobs':
      return value !== false;
    case 'top_logprobs':
      return value !== 0;
    case 'suffix':
      return value !== '';
    case 'stop':
    case 'tools':
      return (value as readonly unknown[]).length > 0;
    default:
      return true;
  }
}

/** Whether a parameter that only some providers know asks for another kind of output than text. */
function asksForAnotherKind(name: string, value: unknown): boolean {
  if (value === null) return false;
  if (name === 'modalities') return !Array.isArray(value) || value.some((modality) => modality !== 'text');
  return name === 'audio' || name === 'web_search_options';
}

/** The error for a parameter that the protocol cannot pass on unchanged, where the operator demands strictness. */
export function notAsGiven(offer: Offer, parameter: string): ProviderError {
  return new ProviderError(
    'invalid_request',
    `The model '${offer.modelId}' does not support the parameter '${parameter.slice(0, 100)}' as it is given`,
  );
}

export function unsupported(parameter: string, offer: Pick<Offer, 'modelId'>): ApiError {
  return new ApiError('unsupported_parameter', `The model '${offer.modelId}' does not support the parameter '${parameter.slice(0, 100)}'`);
}

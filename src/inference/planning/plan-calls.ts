import type { CatalogueModel } from '../../catalogue/catalogue-model.js';
import { isFree, type Offer, supports } from '../../catalogue/offer.js';
import { ApiError } from '../../common/api-error.js';
import { copyMember, copyOf, copyWith } from '../../wire/members.js';
import { CITED, proofNames } from '../../providers/contract/carried-proofs.js';
import { isToolSearch } from '../../providers/contract/hosted-callers.js';
import { parameterIgnored } from '../../providers/contract/provider-error.js';
import { type GenerationRequest, type InferenceRequest, isOverInputs, type OverInputs } from '../../wire/generation.js';
import type { Modality } from '../../wire/media-part.js';
import { operations } from '../../wire/operations.js';
import { fitRequest } from '../fitting/fit-request.js';
import { reportLeftOut } from '../fitting/report-left-out.js';
import { fitResultMedia } from './result-media.js';
import type { KeyedNames } from '../fitting/keyed-names.js';
import type { OverInputsTerms } from '../over-inputs/operation.js';
import { operationOf } from '../over-inputs/over-inputs.js';
import { requireOwnMedia } from './media-rules.js';
import { withBreakpoints } from './cache-breakpoints.js';
import { hasCacheMarks, refusedMarks, withoutCacheMarks } from './cache-marks.js';
import { readsBeyond, readsHosted, requireHostedTools, withReadItems } from './hosted-tools.js';
import { saysMore } from '../fitting/content-parts.js';
import { requireBoundedParts, requireImageSupport, requireSupport, unsupported, withoutUnsupported } from './requirements.js';
import { type Ceiling, promptSize, settingsSize } from './token-counter.js';
import { requireTokenIds } from './token-ids.js';
import type { InferenceRequests, UpstreamCall } from './upstream-call.js';

/** Tokens of a part that nobody pays for: any number would do. */
const UNPAID = 2_048;

/**
 * The tokens that a part of each modality counts at most at an offer. Where nobody has said so, the returned function
 * throws ApiError 400 unsupported_parameter, unless nobody pays for the tokens.
 */
function ceilingsOf(offer: Offer, unpaid: boolean): Ceiling {
  return (modality) => offer.inputCeilings[modality] ?? (unpaid || isFree(offer) ? UNPAID : refuse(offer, modality));
}

function refuse({ modelId, provider }: Offer, modality: Modality): never {
  throw new ApiError(
    'unsupported_parameter',
    `The model '${modelId}' takes no parts of type ${modality} here: the gateway has to know how many tokens one of them costs at most ` +
      `(its setting providers.${provider.id}.input_ceilings.${modality})`,
  );
}

/** @throws ApiError 400 unsupported_model where no offer supports the operation */
export function requireOperation(model: CatalogueModel, operation: InferenceRequest['operation']): void {
  if (model.offers.some(({ capabilities }) => capabilities[operation])) return;
  throw new ApiError('unsupported_model', `The model '${model.id}' does not support ${operations[operation].title.toLowerCase()}`);
}

/** Whether a request differs in nothing that its native form has. */
function sameForNative(changed: GenerationRequest, first: GenerationRequest): boolean {
  if (changed === first || first.operation !== 'chat' || !first.native) return true;
  const { extra = {}, native } = first;
  for (const name of Object.keys(first) as (keyof typeof first)[])
    if (name !== 'extra' && !native.apart?.has(name) && changed[name as keyof GenerationRequest] !== first[name]) return false;
  return Object.keys(extra).every(
    (name) => !Object.hasOwn(native.body, name) || (changed.extra !== undefined && Object.hasOwn(changed.extra, name)),
  );
}

/** Whether the offer reads all that the native form has. */
function readsNative(offer: Offer, request: GenerationRequest): boolean {
  if (request.operation !== 'chat' || !request.native?.beyond) return true;
  return readsBeyond(offer, request) && readsHosted(offer, request);
}

/**
 * What the client wrote is not what the provider is to be asked.
 * @param dropped is told of what the native form alone has
 * @throws ApiError 400 unsupported_parameter where the answer would be to that
 */
function withoutNative(offer: Offer, request: GenerationRequest, dropped: (parameter: string) => void): GenerationRequest {
  if (request.operation !== 'chat' || !request.native) return request;
  const { beyond = [], cited, needed } = request.native;
  if (needed) throw unsupported(needed, offer);
  for (const name of cited ? [...beyond, CITED] : beyond) dropped(name);
  const hosted = request.hosted_tools?.filter((tool) => !isToolSearch(tool));
  return copyWith(request, { native: undefined, hosted_items: undefined, hosted_tools: hosted?.length ? hosted : undefined });
}

export interface PlanTerms extends OverInputsTerms {
  /** Whether the offer has lately ignored a parameter that it is said to take. */
  readonly ignores: (parameter: 'n' | 'logprobs') => boolean;
  /** Whether a `max_tokens` beyond the offer's is lowered to it. */
  readonly lowers: boolean;
  readonly names: KeyedNames;
}

/**
 * The upstream calls of one client request: one for each prompt, or one for each choice where the provider lacks or
 * ignores `n`; over inputs as few as there may be.
 * @param requests differ in their prompts only
 * @throws ApiError 400 unsupported_parameter, invalid_request
 */
export function planCalls(offer: Offer, requests: InferenceRequests, terms: PlanTerms): UpstreamCall[] {
  if (areOverInputs(requests)) return operationOf(requests[0]).plan(offer, requests[0], terms);
  const { strict, dropped, ignores, unpaid, lowers, names } = terms;
  const calls: UpstreamCall[] = [];
  let firstOfRequest = 0;
  const [given] = requests;
  const lessened = (parameter: string): void => {
    if (strict && !proofNames.has(parameter)) throw unsupported(parameter, offer);
    dropped(parameter);
  };
  const rich = given.operation === 'chat' && saysMore(given.messages);
  const first = rich ? fitResultMedia(offer, given, unpaid, lessened) : given;
  const lowered = lowers && first.max_tokens !== undefined && first.max_tokens > offer.maxTokens;
  requireSupport(offer, first, lowered ? offer.maxTokens : first.max_tokens);
  if (lowered) dropped('max_tokens');
  requireTokenIds(offer, first);
  if (first.operation === 'completion' && first.logprobs !== undefined && ignores('logprobs')) {
    const { message } = parameterIgnored('logprobs', 'it has answered without log probabilities');
    throw new ApiError('unsupported_parameter', message);
  }
  if (first.operation === 'chat' && (first.hosted_tools ?? first.hosted_items)) requireHostedTools(offer, first, unpaid);
  if (rich && first.operation === 'chat') {
    requireImageSupport(offer, first);
    if (!unpaid && !isFree(offer)) requireBoundedParts(offer, first);
    if (!unpaid) requireOwnMedia(offer, first);
  }
  const mayBeMarked = rich || (first.operation === 'chat' && (first.tools ?? first.hosted_tools) !== undefined);
  const refused = mayBeMarked ? refusedMarks(offer) : undefined;
  const bare = refused ? withoutCacheMarks(first, refused, lessened) : first;
  const taken = withoutUnsupported(offer, bare, strict, dropped);
  const { request: supported, functionNames, fitsNative } = fitRequest(offer, taken, names, lessened);
  const marked = offer.cacheBreakpoints && !unpaid && !hasCacheMarks(first) ? withBreakpoints(offer, supported) : undefined;
  const changed = marked?.request ?? supported;
  const isSame = readsNative(offer, first) && sameForNative(fitsNative && !marked ? taken : changed, first === given ? bare : given);
  const said = isSame ? withReadItems(offer, changed, lessened) : withoutNative(offer, changed, lessened);
  const asNative = said.operation === 'chat' && said.native && said.native.wire === offer.nativeItems;
  if (first.operation === 'chat' && !asNative) {
    first.native?.bodyOnly?.forEach(dropped);
    if (offer.rules) reportLeftOut(first, offer.rules, dropped);
  }
  // Every protocol takes the limit from here.
  const limit = lowered ? offer.maxTokens : (said.max_tokens ?? offer.defaultTokens);
  const settings = limit === said.max_tokens ? said : copyWith(said, { max_tokens: limit });
  const breakpoints = marked?.breakpoints;
  const rest = settingsSize(settings);
  const ceiling = ceilingsOf(offer, unpaid);
  for (const asked of requests) {
    let request = settings;
    if (asked !== given) copyMember(asked, 'prompt', (request = copyOf(settings)));
    let echo: string | undefined;
    if (request.operation === 'completion' && request.echo && !supports(offer, 'echo')) {
      // That of token ids was refused.
      echo = request.prompt as string;
      request = copyWith(request, { echo: false });
    }
    const size = promptSize(request, ceiling);
    const promptBytes = rest.bytes + size.bytes;
    const { toolBytes } = rest;
    const promptBound = Math.min(rest.bound + size.bound, offer.contextLength);
    const firstIndex = firstOfRequest;
    firstOfRequest += asked.n;
    const call: UpstreamCall = { request, firstIndex, promptBytes, toolBytes, promptBound, echo, breakpoints, functionNames };
    if (request.n === 1 || (supports(offer, 'n') && !ignores('n'))) {
      calls.push(call);
      continue;
    }
    calls.push(...singleCalls(call));
  }
  return calls;
}

function areOverInputs(requests: InferenceRequests): requests is readonly [OverInputs] {
  return isOverInputs(requests[0]);
}

/** A call for each choice in the place of one for all of them. */
export function singleCalls(call: UpstreamCall): UpstreamCall[] {
  const { request, firstIndex } = call;
  return Array.from({ length: request.n }, (_, choice) => {
    const seed = request.seed === undefined ? undefined : request.seed + choice;
    return { ...call, request: copyWith(request, { n: 1, seed }), firstIndex: firstIndex + choice };
  });
}

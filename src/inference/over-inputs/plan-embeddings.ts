import type { Offer } from '../../catalogue/offer.js';
import { ApiError } from '../../common/api-error.js';
import { textBytes } from '../../wire/members.js';
import type { EmbeddingInput, EmbeddingRequest } from '../../wire/embedding.js';
import { unsupported, withoutUnsupported } from '../planning/requirements.js';
import { type PromptSize, sizeOfIds } from '../planning/token-counter.js';
import { isTokenIds } from '../planning/token-ids.js';
import type { UpstreamCall } from '../planning/upstream-call.js';
import type { OverInputsTerms } from './operation.js';
import { INPUT_OVERHEAD, MAX_INPUTS, planInputs } from './plan-inputs.js';

/**
 * Numbers that the answer to a client may have: 2,048 embeddings of the longest in use, which are 34 MB of base64. As
 * decimal text a number has about 11 bytes, and 20 in the answers of some vendors.
 */
const MAX_NUMBERS = { base64: 2_048 * 3_072, float: 2_048 * 1_536 };

/** Bytes of one upstream answer, and of a number in it at most, so that it stays below what is read of an answer. */
const ANSWER_BYTES = 24 * 1024 * 1024;
const NUMBER_BYTES = { base64: 6, float: 24 };

/** Numbers of an embedding of which nobody knows how many it has. */
const USUAL_DIMENSIONS = 1_536;

/**
 * Plans a request for embeddings, as `OverInputsOperation.plan`. Where another provider answers, its embeddings are to
 * have as many numbers.
 * @throws ApiError 400 unsupported_parameter, invalid_request, context_length_exceeded
 */
export function planEmbeddings(offer: Offer, request: EmbeddingRequest, { strict, dropped, unpaid }: OverInputsTerms): UpstreamCall[] {
  requireDimensions(offer, request);
  requireInputs(offer, request.input);
  const supported = withoutUnsupported(offer, request, strict, dropped);
  const dimensions = supported.dimensions ?? (unpaid ? offer.embeddings.dimensions : undefined);
  const settings = dimensions === supported.dimensions ? supported : { ...supported, dimensions };
  const most = { inputs: inputsOf(offer, request), tokens: offer.embeddings.tokens };
  return planInputs(settings, offer.contextLength, most, (index) => inputSize(settings.input, index));
}

function requireDimensions(offer: Offer, { dimensions, encoding_format, input }: EmbeddingRequest): void {
  if (dimensions !== undefined && !offer.parameters.has('dimensions')) throw unsupported('dimensions', offer);
  const each = dimensions ?? offer.embeddings.dimensions ?? 1;
  const most = MAX_NUMBERS[encoding_format];
  if (each * input.length <= most) return;
  throw new ApiError(
    'invalid_request',
    `The answer would have ${input.length} embeddings of ${each} numbers each, and it may have ${most} numbers as ${encoding_format}: ` +
      'send fewer inputs, or ask for fewer dimensions or for encoding_format base64',
  );
}

function requireInputs(offer: Offer, input: readonly EmbeddingInput[]): void {
  if (!isTokenIds(input, 0)) return;
  if (!offer.embeddings.tokenIds) {
    throw new ApiError('unsupported_parameter', `The model '${offer.modelId}' does not accept arrays of token ids as input: send texts`);
  }
  const long = input.findIndex(({ length }) => length > offer.contextLength);
  if (long < 0) return;
  throw new ApiError(
    'context_length_exceeded',
    `input[${long}] has ${input[long]!.length} tokens, and an input of this model may have ${offer.contextLength}`,
  );
}

function inputsOf({ embeddings }: Offer, { encoding_format, dimensions }: EmbeddingRequest): number {
  const each = (dimensions ?? embeddings.dimensions ?? USUAL_DIMENSIONS) * NUMBER_BYTES[encoding_format];
  return Math.min(embeddings.inputs ?? MAX_INPUTS, Math.max(1, Math.floor(ANSWER_BYTES / each)));
}

/** The size of one input. */
function inputSize(input: readonly EmbeddingInput[], index: number): PromptSize {
  if (!isTokenIds(input, index)) {
    const bytes = textBytes(input, `${index}`);
    return { bytes, bound: bytes + INPUT_OVERHEAD };
  }
  return sizeOfIds(input[index] as readonly number[]);
}

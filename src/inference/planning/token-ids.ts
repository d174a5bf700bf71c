import { type Offer, supports } from '../../catalogue/offer.js';
import { ApiError } from '../../common/api-error.js';
import type { EmbeddingInput } from '../../wire/embedding.js';
import { type CompletionGenerationRequest, type GenerationRequest, type InferenceRequest, isOverInputs } from '../../wire/generation.js';
import type { Integer } from '../../wire/integer.js';

/** Whether an input is token ids. */
export function isTokenIds(input: readonly EmbeddingInput[], index: number): boolean {
  return typeof input[index] === 'object';
}

/** The token ids that the prompt is; undefined where it is a text. */
export function promptIds(request: CompletionGenerationRequest): readonly Integer[] | undefined {
  return typeof request.prompt === 'object' ? request.prompt : undefined;
}

/** How many token ids a request has; 0 where its prompt or its inputs are texts. */
export function tokenIdsOf(request: InferenceRequest): number {
  if (request.operation === 'completion') return promptIds(request)?.length ?? 0;
  if (!isOverInputs(request) || !isTokenIds(request.input, 0)) return 0;
  return request.input.reduce((sum, { length }) => sum + length, 0);
}

/** @throws ApiError 400 unsupported_parameter for a prompt of token ids of which the model does not take what is asked */
export function requireTokenIds(offer: Offer, request: GenerationRequest): void {
  if (request.operation !== 'completion' || !promptIds(request)) return;
  const says = (what: string) => new ApiError('unsupported_parameter', `The model '${offer.modelId}' does not ${what}: send text`);
  if (!offer.tokenIdPrompts) throw says('accept prompts of token ids');
  if (request.echo && !supports(offer, 'echo')) throw says('echo a prompt of token ids');
}

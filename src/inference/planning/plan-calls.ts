import type { CatalogueModel } from '../../catalogue/catalogue-model.js';
import { type Offer, supports } from '../../catalogue/offer.js';
import { ApiError } from '../../common/api-error.js';
import type { GenerationRequest } from '../../wire/generation.js';
import { requireSupport, withoutUnsupported } from './requirements.js';
import { promptSize, promptTokenBound } from './token-counter.js';

/** One of the provider calls that a client's request takes. */
export interface UpstreamCall {
  readonly request: GenerationRequest;
  /** The client's index for the first choice of this call. */
  readonly firstIndex: number;
  /** UTF-8 bytes of the prompt's text. */
  readonly promptBytes: number;
  /** Upper bound of the prompt tokens. */
  readonly promptBound: number;
  /** Text that the gateway puts before each choice, because the provider does not support echo. */
  readonly echo?: string;
}

/** @throws ApiError 400 unsupported_model where no offer supports the operation */
export function requireOperation(model: CatalogueModel, operation: GenerationRequest['operation']): void {
  if (model.offers.some(({ capabilities }) => capabilities[operation])) return;
  throw new ApiError(
    'unsupported_model',
    `The model '${model.id}' does not support ${operation === 'chat' ? 'chat completions' : 'completions'}`,
  );
}

/**
 * The upstream calls of one client request: one for each prompt, or one for each choice where the provider lacks `n`.
 * @throws ApiError 400 unsupported_parameter, invalid_request
 */
export function planCalls(
  offer: Offer,
  requests: readonly GenerationRequest[],
  strict: boolean,
  dropped: (parameter: string) => void,
): UpstreamCall[] {
  const calls: UpstreamCall[] = [];
  let firstOfRequest = 0;
  for (const asked of requests) {
    requireSupport(offer, asked);
    let request = withoutUnsupported(offer, asked, strict, dropped);
    let echo: string | undefined;
    if (request.operation === 'completion' && request.echo && !supports(offer, 'echo')) {
      echo = request.prompt;
      request = { ...request, echo: false };
    }
    const size = promptSize(request);
    const promptBytes = size.bytes;
    const promptBound = Math.min(promptTokenBound(size), offer.contextLength);
    const firstIndex = firstOfRequest;
    firstOfRequest += asked.n;
    if (request.n === 1 || supports(offer, 'n')) {
      calls.push({ request, firstIndex, promptBytes, promptBound, echo });
      continue;
    }
    for (let choice = 0; choice < request.n; choice++) {
      const seed = request.seed === undefined ? undefined : request.seed + choice;
      calls.push({ request: { ...request, n: 1, seed }, firstIndex: firstIndex + choice, promptBytes, promptBound, echo });
    }
  }
  return calls;
}

import type { Principal } from '../../auth/principal.js';
import type { HoldRequest } from '../../billing/hold/ledger.js';
import type { Offer } from '../../catalogue/offer.js';
import type { RequestContext } from '../../http/requests/request-context.js';
import { type InferenceRequest, isOverInputs } from '../../wire/generation.js';
import { dearestPrice } from '../planning/dearest-price.js';
import type { GenerationPlan } from './generation-plan.js';

/** Parameters beyond the wire format that switch reasoning on, or say how long it may be. */
const switches = ['reasoning', 'thinking', 'think', 'enable_thinking', 'thinking_budget', 'chat_template_kwargs'] as const;

/** Whether a request, as it goes to a provider, may make a model reason that otherwise answers at once. */
function asksForReasoning(request: InferenceRequest): boolean {
  const { extra } = request;
  if (request.operation === 'chat' && request.reasoning_effort !== undefined && request.reasoning_effort !== 'none') return true;
  return extra !== undefined && switches.some((name) => extra[name] != null && extra[name] !== false);
}

interface HeldCall {
  readonly principal: Principal;
  readonly context: Pick<RequestContext, 'requestId'>;
  /** What was asked for, where that is not the operation of the canonical request. */
  readonly operation?: HoldRequest['operation'];
}

type PlannedRequest = Pick<GenerationPlan, 'model' | 'routes' | 'operation' | 'requestedTokens'>;

/**
 * The worst case over all routes, so that the credits suffice whichever route answers. Where `max_tokens` does not
 * limit hidden reasoning, the model's limit is held, or what is affordable between the two.
 * @param now milliseconds since 1970
 */
export function worstCaseOf(
  { model, routes, operation, requestedTokens }: PlannedRequest,
  { principal, context, operation: asked }: HeldCall,
  now: number,
): HoldRequest {
  let [promptTokens, choices, maxTokens] = [0, 0, 0];
  let hidden = false;
  let leastTokens: number | undefined;
  for (const { calls, offer } of routes) {
    let [bound, n] = [0, 0];
    for (const planned of calls) {
      // A provider that ignores `n` is asked for each choice.
      bound += planned.promptBound * planned.request.n;
      n += planned.request.n;
    }
    promptTokens = Math.max(promptTokens, bound);
    choices = Math.max(choices, n);
    const reasons = reasonsHidden(offer, calls[0]!.request);
    hidden ||= reasons;
    // The limit of an offer may be lower than what was asked for.
    const limit = calls[0]!.request.max_tokens;
    if (limit !== undefined) leastTokens = Math.max(leastTokens ?? 0, limit);
    maxTokens = Math.max(maxTokens, (reasons ? undefined : limit) ?? offer.maxTokens);
  }
  return {
    requestId: context.requestId,
    principal,
    operation: asked ?? operation,
    model: model.modelId,
    ...dearestPrice(routes, now),
    promptTokens,
    choices,
    maxTokens,
    maxTokensMayShrink: hidden || requestedTokens === undefined,
    leastTokens,
  };
}

/** Whether the answer may have more tokens than were asked for. Legacy completions and calls over inputs do not reason. */
function reasonsHidden({ hiddenReasoning, completionsViaChat }: Offer, request: InferenceRequest): boolean {
  if (isOverInputs(request) || (request.operation !== 'chat' && !completionsViaChat)) return false;
  return hiddenReasoning === 'asked' ? asksForReasoning(request) : hiddenReasoning;
}

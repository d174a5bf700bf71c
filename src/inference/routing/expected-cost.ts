import type { Offer } from '../../catalogue/offer.js';
import { partsOf } from '../../common/prices/counted-parts.js';
import { charge } from '../../common/prices/credits.js';
import { type InferenceRequest, isOverInputs } from '../../wire/generation.js';
import { type Usage, usageOf } from '../../wire/usage.js';
import { CACHE_MARK, hasCacheMarks } from '../planning/cache-marks.js';
import type { UpstreamCall } from '../planning/upstream-call.js';
import { askedCalls, withCalls } from '../planning/hosted-calls.js';
import { askedServiceTier } from '../planning/service-tier.js';
import type { OfferHealth } from './offer-health.js';

/** UTF-8 bytes of a token, about, in texts of European languages. */
const BYTES_PER_TOKEN = 4;

/** Output tokens of a choice, where no answer of the model has been counted. */
const USUAL_OUTPUT = 256;

interface PricedRoute {
  readonly offer: Pick<Offer, 'price' | 'parameters' | 'maxTokens' | 'hostedCalls' | 'listsHostedCalls'>;
  readonly calls: readonly Pick<UpstreamCall, 'promptBytes' | 'request'>[];
  readonly health: Pick<OfferHealth, 'cachedShare' | 'outputTokens'>;
}

/**
 * What a request will probably cost by each route, in nano-credits: its prompt, of which the offer's latest answers say
 * what share comes from a cache, and as many output tokens as the latest answers of all these offers had, as far as
 * `max_tokens` goes. Charged like a real usage, with all components and tiers; of searches those that are asked for are
 * foreseen.
 * @param now milliseconds since 1970
 */
export function expectedCosts(routes: readonly PricedRoute[], now: number): bigint[] {
  const known = routes.flatMap(({ health }) => health.outputTokens ?? []);
  const output = known.length === 0 ? USUAL_OUTPUT : Math.ceil(known.reduce((sum, tokens) => sum + tokens, 0) / known.length);
  return routes.map((route) => costOf(route, output, now));
}

function costOf({ offer, calls, health }: PricedRoute, output: number, startedAt: number): bigint {
  const { price, parameters, maxTokens } = offer;
  if (!price) return 0n;
  let [promptTokens, completionTokens] = [0, 0];
  const serviceTier = askedServiceTier(calls[0]!.request);
  const outputOf = (request: InferenceRequest): number =>
    isOverInputs(request) ? 0 : Math.min(output, request.max_tokens ?? maxTokens) * request.n;
  const usages = calls.map(({ promptBytes, request }): Usage => {
    const usage = usageOf(Math.ceil(promptBytes / BYTES_PER_TOKEN), outputOf(request));
    promptTokens += usage.prompt_tokens;
    completionTokens += usage.completion_tokens;
    if (!price.components) return usage;
    const cached = Math.floor(usage.prompt_tokens * health.cachedShare);
    const written = !parameters.has(CACHE_MARK) || hasCacheMarks(request) ? usage.prompt_tokens - cached : 0;
    const prompt_tokens_details = { cached_tokens: cached, cache_creation_tokens: written };
    const counted = { ...usage, prompt_tokens_details, ...(serviceTier !== undefined && { service_tier: serviceTier }) };
    return withCalls(counted, askedCalls(offer, request));
  });
  return charge(price, promptTokens, completionTokens, partsOf(price, usages, { startedAt, serviceTier }));
}

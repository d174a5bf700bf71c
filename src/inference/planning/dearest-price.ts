import type { HoldRequest } from '../../billing/hold/ledger.js';
import type { Offer } from '../../catalogue/offer.js';
import type { Price } from '../../common/prices/credits.js';
import { cacheWrites, callCeilingOf, mediaInputs, type PriceCeiling, priceCeilingOf } from '../../common/prices/price-ceiling.js';
import { pricesAny } from '../../common/prices/price-components.js';
import type { ChargedWhen } from '../../common/prices/price-in-force.js';
import type { InferenceRequest } from '../../wire/generation.js';
import { modalityOfMember, modalityOfType } from '../../wire/media-part.js';
import { callComponents, type CallComponent } from '../../wire/price-component.js';
import { CACHE_MARK, hasCacheMarks } from './cache-marks.js';
import { contentParts } from '../fitting/content-parts.js';
import type { UpstreamCall } from './upstream-call.js';
import { heldCalls } from './hosted-calls.js';
import { askedServiceTier } from './service-tier.js';

/** An offer that may answer, with the calls that it takes. */
interface PlannedRoute {
  readonly offer: Pick<Offer, 'price' | 'parameters' | 'hostedCalls' | 'listsHostedCalls'>;
  readonly calls: readonly UpstreamCall[];
}

const callNames = Object.keys(callComponents) as CallComponent[];

type Priced = Pick<HoldRequest, 'price' | 'ceiling' | 'fixed'>;

/**
 * What a request costs at most, whichever route answers and whatever way it goes there: without a cache hit, with cache
 * writes where they may be, at the highest tier that it can reach.
 * @param now milliseconds since 1970
 */
export function dearestPrice(routes: readonly PlannedRoute[], now: number): Priced {
  const price = dearestBase(routes);
  if (!routes.some(({ offer }) => offer.price?.components)) return { price, ceiling: undefined, fixed: undefined };
  let prompt = 0n;
  let completion = 0n;
  let fixed = 0n;
  for (const route of routes) {
    const when = { startedAt: now, serviceTier: askedServiceTier(route.calls[0]!.request) };
    const ceiling = ceilingOf(route, when);
    if (ceiling.prompt > prompt) ({ prompt } = ceiling);
    if (ceiling.completion > completion) ({ completion } = ceiling);
    const calls = callsCeiling(route, when);
    if (calls > fixed) fixed = calls;
  }
  return { price, ceiling: { prompt, completion }, fixed: (fixed + 999n) / 1000n };
}

/**
 * Nano-credits for 1,000 times what the requests cost beside their tokens: each one, and the calls that it asks for.
 */
function callsCeiling({ offer, calls }: PlannedRoute, when: ChargedWhen): bigint {
  const { price } = offer;
  if (!price || !pricesAny(price, callNames)) return 0n;
  let sum = 0n;
  for (const { request, promptBound } of calls) {
    const each = callCeilingOf(price, ['request', ...heldCalls(offer, request)], { ...when, promptTokens: promptBound });
    // A provider that ignores `n` is asked for each choice.
    sum += each * BigInt(request.n);
  }
  return sum;
}

function dearestBase(routes: readonly PlannedRoute[]): Price {
  if (routes.length === 1 && routes[0]!.offer.price) return routes[0]!.offer.price;
  let prompt = 0n;
  let completion = 0n;
  for (const { offer } of routes) {
    if (!offer.price) continue;
    if (offer.price.prompt > prompt) ({ prompt } = offer.price);
    if (offer.price.completion > completion) ({ completion } = offer.price);
  }
  const single = routes.find(({ offer: { price } }) => price?.prompt === prompt && price.completion === completion);
  return single?.offer.price ?? { prompt, completion };
}

function ceilingOf({ offer: { price, parameters }, calls }: PlannedRoute, { startedAt, serviceTier }: ChargedWhen): PriceCeiling {
  if (!price) return { prompt: 0n, completion: 0n };
  if (!price.components) return price;
  let promptTokens = 0;
  for (const { promptBound } of calls) if (promptBound > promptTokens) promptTokens = promptBound;
  // Where a vendor knows no marks and has a price for writing, it writes as it sees fit.
  const marked = () => !parameters.has(CACHE_MARK) || calls.some(({ request }) => hasCacheMarks(request));
  return priceCeilingOf(price, {
    startedAt,
    serviceTier,
    promptTokens,
    cacheWrites: pricesAny(price, cacheWrites) && marked(),
    media: pricesAny(price, mediaInputs) && calls.some(({ request }) => hasMedia(request)),
    mediaOutput: calls.some(({ request }) => asksForMedia(request)),
  });
}

function hasMedia(request: InferenceRequest): boolean {
  if (request.operation !== 'chat') return false;
  return request.messages.some((message) => {
    for (const name in message) if (modalityOfMember(name)) return true;
    return contentParts(message)?.some((part) => modalityOfType(part) !== 'text');
  });
}

function asksForMedia({ extra }: InferenceRequest): boolean {
  const modalities = extra?.['modalities'];
  return Array.isArray(modalities) && modalities.some((modality) => modality !== 'text');
}

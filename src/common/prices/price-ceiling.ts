import type { CallComponent, InputComponent } from '../../wire/price-component.js';
import { ANY_TIER } from '../../wire/service-tier.js';
import { baseLevel, type PriceLevel, type PriceTier, type Rates } from './price-components.js';
import { type ChargedWhen, possibleLevels } from './price-in-force.js';

/** In which ways a request may be charged. */
interface PossibleUse extends ChargedWhen {
  /** Upper bound of the prompt of one upstream call: tiers above it cannot apply. */
  readonly promptTokens: number;
  /** The prompt, or a part of it, may be written to a cache. */
  readonly cacheWrites: boolean;
  /** The prompt has parts that are no text. */
  readonly media: boolean;
  /** The answer may have parts that are no text. */
  readonly mediaOutput: boolean;
}

/** Milliseconds within which a request has begun that is planned now: hours may begin in between. */
const SOON_MS = 60_000;

/** The two numbers that no token of a request can cost more than, in nano-credits per 1,000 tokens. */
export interface PriceCeiling {
  readonly prompt: bigint;
  readonly completion: bigint;
}

export const cacheWrites: readonly InputComponent[] = ['cache_write_5m', 'cache_write_1h'];
export const mediaInputs: readonly InputComponent[] = ['cached_audio_input', 'image_input', 'audio_input', 'video_input', 'file_input'];

/**
 * The dearest way a request can go: no cache hit, cache writes where they may be, the highest tier that can apply, the
 * service tier that is asked for or those that the vendor may fall back to, the dearest hour in which it can begin.
 */
export function priceCeilingOf(price: Rates, use: PossibleUse): PriceCeiling {
  if (!price.components) return price;
  let prompt = 0n;
  let completion = 0n;
  for (const level of reached(price, use)) {
    const { rates } = level;
    prompt = greatest(greatest(prompt, level.prompt), rates.cached_input);
    if (use.cacheWrites) for (const name of cacheWrites) prompt = greatest(prompt, rates[name]);
    if (use.media) for (const name of mediaInputs) prompt = greatest(prompt, rates[name]);
    completion = greatest(greatest(greatest(completion, level.completion), rates.reasoning_output), rates.citation_output);
    if (use.mediaOutput) completion = greatest(greatest(completion, rates.image_output), rates.audio_output);
  }
  return { prompt, completion };
}

/** Nano-credits that 1,000 of such calls of so long a prompt together cost at most, beside their tokens. */
export function callCeilingOf(price: Rates, calls: readonly CallComponent[], use: ChargedWhen & Pick<PossibleUse, 'promptTokens'>): bigint {
  let most = 0n;
  for (const { rates } of reached(price, use)) {
    let cost = 0n;
    for (const name of calls) cost += rates[name] ?? 0n;
    most = greatest(most, cost);
  }
  return most;
}

/** The prices and tiers of which one is charged if the request begins soon. */
function reached(price: Rates, use: ChargedWhen & Pick<PossibleUse, 'promptTokens'>): readonly (PriceLevel | PriceTier)[] {
  const { tiers = [], variants = [] } = price.components ?? {};
  if (tiers.length === 0 && variants.length === 0) return [baseLevel(price)];
  const levels = [...possibleLevels(price, use), ...possibleLevels(price, { ...use, startedAt: use.startedAt + SOON_MS })];
  return levels.flatMap((level) => [level, ...level.tiers.filter(({ above }) => above < use.promptTokens)]);
}

/** The base prices of the highest tier, in the dearest hours, at the service tier that is asked for. */
export function highestTier({ prompt, completion, components }: Rates, serviceTier?: string): PriceCeiling {
  const { tiers = [], variants = [] } = components ?? {};
  const possible = variants.filter(({ name, hours }) => hours || name === serviceTier || serviceTier === ANY_TIER);
  const levels = [...tiers, ...possible.flatMap((one) => [one, ...one.tiers])];
  return levels.reduce<PriceCeiling>(
    (most, level) => ({ prompt: greatest(most.prompt, level.prompt), completion: greatest(most.completion, level.completion) }),
    { prompt, completion },
  );
}

/**
 * Whether it is known what it costs to write to a cache that keeps the tokens so long; a price of nothing at all prices
 * everything.
 */
export function pricesCacheWrites({ prompt, completion, components }: Rates, ttl: '5m' | '1h' = '5m'): boolean {
  if (components?.rates[ttl === '1h' ? 'cache_write_1h' : 'cache_write_5m'] !== undefined) return true;
  return prompt === 0n && completion === 0n && !components;
}

function greatest(most: bigint, one: bigint | undefined): bigint {
  return one !== undefined && one > most ? one : most;
}

import { type Component, inputComponents, type InputComponent } from '../../wire/price-component.js';
import type { Usage } from '../../wire/usage.js';
import { type Parts, sumOfCharge } from './charge-lines.js';
import { type ComponentRates, rateOf, type Rates } from './price-components.js';
import { type ChargedWhen, type NamedLevel, possibleLevels, reportedLevel } from './price-in-force.js';

const inputs = Object.keys(inputComponents) as InputComponent[];

type InputCounts = Record<InputComponent | 'prompt', number>;

/** The parts of a prompt in the order in which they stand in it, the beginning first. */
const order: readonly (InputComponent | 'prompt')[] = [...inputs, 'prompt'];

/**
 * Counts the parts of a usage for which the price has a rate of its own. Details that a vendor gives beyond their total
 * are cut: the parts are disjoint and never come to more than prompt and completion. Details that may overlap (cached,
 * and audio) are taken to overlap as little as their total permits.
 * @param calls the usage of each upstream call: service tiers, tiers and prices of requests are theirs
 * @returns undefined where all is charged at the base prices
 */
export function partsOf(price: Rates, calls: readonly Usage[], when: ChargedWhen): Parts | undefined {
  if (!price.components) return undefined;
  const parts: Record<string, number> = {};
  for (const usage of calls) countCall(levelOf(price, usage, when), usage, parts);
  return Object.keys(parts).length > 0 ? parts : undefined;
}

/** What the vendor says that it has charged, or else the dearest of what the request can be charged at. */
function levelOf(price: Rates, usage: Usage, when: ChargedWhen): NamedLevel {
  const reported = usage.service_tier === undefined ? undefined : reportedLevel(price, usage.service_tier, when.startedAt);
  if (reported) return reported;
  return possibleLevels(price, when).reduce((most, one) => (costAt(price, one, usage) > costAt(price, most, usage) ? one : most));
}

/** In thousandths of a nano-credit. */
function costAt(price: Rates, level: NamedLevel, usage: Usage): bigint {
  const parts: Record<string, number> = {};
  countCall(level, usage, parts);
  return sumOfCharge(price, tokens(usage.prompt_tokens), tokens(usage.completion_tokens), parts);
}

/** What counts are charged at: rates, and what the names of parts that are charged so end with. */
interface Charged {
  readonly rates: ComponentRates;
  readonly suffix: string;
}

function countCall({ rates, tiers, name: variant }: NamedLevel, usage: Usage, parts: Record<string, number>): void {
  const promptTokens = tokens(usage.prompt_tokens);
  const tier = tiers.findLast(({ above }) => promptTokens > above);
  const usual: Charged = { rates, suffix: variant === undefined ? '' : `@${variant}` };
  const reached: Charged = tier ? { rates: tier.rates, suffix: `${usual.suffix}>${tier.above}` } : usual;
  const input = inputParts(usage, promptTokens);
  let below = tier?.beyond ? tier.above : 0;
  for (const name of order) {
    const count = input[name];
    if (count === 0) continue;
    const first = Math.min(count, below);
    below -= first;
    addPart(parts, usual, name, 'prompt', first);
    addPart(parts, reached, name, 'prompt', count - first);
  }
  addOutput(parts, tier?.beyond ? usual : reached, usage);
  addCalls(parts, reached, usage);
}

/** What has no rate of its own is counted as the base, and the base at its usual price is what no part has. */
function addPart<Base extends 'prompt' | 'completion'>(
  parts: Record<string, number>,
  { rates, suffix }: Charged,
  name: Component | Base,
  base: Base,
  count: number,
): void {
  if (count === 0) return;
  const charged = name === base || rateOf(rates, name as Component) === undefined ? base : name;
  if (charged !== base || suffix !== '') add(parts, charged + suffix, count);
}

/** Parts of a prompt, which come to all of it. */
function inputParts({ prompt_tokens_details: details = {} }: Usage, promptTokens: number): InputCounts {
  const read = Math.min(tokens(details.cached_tokens), promptTokens);
  const lasting = details.cache_creation_token_details ?? {};
  const [short, long] = [tokens(lasting.ephemeral_5m_input_tokens), tokens(lasting.ephemeral_1h_input_tokens)];
  const written = Math.min(Math.max(tokens(details.cache_creation_tokens), short + long), promptTokens - read);
  const writtenLong = Math.min(long, written);
  let left = promptTokens - read - written;
  const fresh = (of: number | undefined, cached: number): number => {
    const count = Math.min(Math.max(0, tokens(of) - cached), left);
    left -= count;
    return count;
  };
  const audio = tokens(details.audio_tokens);
  const told = Math.min(tokens(details.cached_tokens_details?.audio_tokens), audio, read);
  const audioFresh = fresh(audio, told);
  const audioRead = Math.min(audio - audioFresh, read);
  return {
    cached_input: read - audioRead,
    cached_audio_input: audioRead,
    cache_write_5m: written - writtenLong,
    cache_write_1h: writtenLong,
    audio_input: audioFresh,
    image_input: fresh(details.image_tokens, tokens(details.cached_tokens_details?.image_tokens)),
    video_input: fresh(details.video_tokens, 0),
    file_input: fresh(details.file_tokens, 0),
    prompt: left,
  };
}

function addOutput(
  parts: Record<string, number>,
  charged: Charged,
  { completion_tokens, completion_tokens_details: details = {} }: Usage,
): void {
  let left = tokens(completion_tokens);
  const part = (of: number | undefined): number => {
    const count = Math.min(tokens(of), left);
    left -= count;
    return count;
  };
  add(parts, `unexplained_output${charged.suffix}`, part(details.unexplained_tokens));
  addPart(parts, charged, 'reasoning_output', 'completion', part(details.reasoning_tokens));
  addPart(parts, charged, 'audio_output', 'completion', part(details.audio_tokens));
  addPart(parts, charged, 'image_output', 'completion', part(details.image_tokens));
  addPart(parts, charged, 'citation_output', 'completion', part(details.citation_tokens));
  addPart(parts, charged, 'completion', 'completion', left);
}

/** A call that came to any tokens is a request; the rest is counted by the vendor. What has no rate costs nothing. */
function addCalls(
  parts: Record<string, number>,
  { rates, suffix }: Charged,
  { prompt_tokens, completion_tokens, server_tool_use: used = {} }: Usage,
): void {
  if (rates.request !== undefined && tokens(prompt_tokens) + tokens(completion_tokens) > 0) add(parts, `request${suffix}`, 1);
  if (rates.search !== undefined) add(parts, `search${suffix}`, callCount(used.web_search_requests));
  if (rates.hosted_call !== undefined) add(parts, `hosted_call${suffix}`, callCount(used.hosted_calls));
}

function add(parts: Record<string, number>, name: string, count: number): void {
  if (count > 0) parts[name] = (parts[name] ?? 0) + count;
}

/** More than any answer has. */
const MAX_COUNT = 1_000_000_000;

/** More than any answer makes. */
export const MAX_CALLS = 1_000;

function callCount(value: number | undefined): number {
  return Math.min(tokens(value), MAX_CALLS);
}

/** A vendor's number as a count: negative, fractional and absurd values must not be charged. */
function tokens(value: number | undefined): number {
  return typeof value === 'number' && value > 0 ? Math.min(Math.floor(value), MAX_COUNT) : 0;
}

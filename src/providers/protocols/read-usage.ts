import { type CompletionTokensDetails, type PromptTokensDetails, type Usage, usageOf, withinSums } from '../../wire/usage.js';
import { tokenCount } from './token-count.js';

/** What a vendor has told of one answer: its sums, and their parts in the words of the wire format. */
interface ToldCounts {
  readonly prompt?: unknown;
  readonly completion?: unknown;
  readonly total?: unknown;
  /** `tool_tokens`: prompts of the vendor's own tools. */
  readonly promptParts?: PromptTokensDetails & { tool_tokens?: number };
  readonly completionParts?: CompletionTokensDetails;
}

/** Where a part is counted: in its sum; beside it, and in the total; or beside it, and in no total. */
type Place = 'inside' | 'beside' | 'apart';

/** What a vendor's documents say of its parts; the others are inside. */
export type Places = Readonly<Record<string, Place>>;

interface Part {
  readonly name: string;
  readonly of: 'prompt' | 'completion';
  readonly count: number;
  readonly place: Place;
}

/** How many parts a vendor may count elsewhere than its documents say; the fewest are tried first. */
const SIZES = [1, 2, 3, 4];

/**
 * The one reading of a vendor's counts: whole tokens, parts inside of their sums, and a total that is the sum of both.
 * The vendor's total tells where each part is counted: of the readings that come to it, the one nearest to the documents
 * holds. Where none does it is the documents' reading, with the parts beside their sums that are more than these, as far
 * as the total permits; without a total, with a cache beside the prompt that is more than it. What the total has beyond
 * is `unexplained_tokens`.
 * @returns undefined where prompt or completion are not told, and do not follow from the total
 */
export function readUsage(told: ToldCounts, places: Places = {}): Usage | undefined {
  const parts = [...partsIn('completion', told.completionParts, places), ...partsIn('prompt', told.promptParts, places)];
  const total = tokenCount(told.total) || undefined;
  const beside = sumOf(parts.filter(({ place }) => place === 'beside'));
  const sums = sumsOf(told, total, beside);
  if (!sums) return undefined;

  const documented = sums.prompt + sums.completion + beside;
  const moved = movedParts(parts, sums, total === undefined ? undefined : total - documented);
  for (const part of parts) if (part.place === 'apart' || (part.place === 'beside') !== moved.includes(part)) sums[part.of] += part.count;
  const missing = total === undefined ? 0 : total - documented - moved.reduce((sum, part) => sum + change(part), 0);
  const unexplained = Math.max(0, missing);
  const usage = usageOf(sums.prompt, sums.completion + unexplained);
  const { tool_tokens: _ofTools, ...promptDetails } = told.promptParts ?? {};
  if (hasAny(promptDetails)) usage.prompt_tokens_details = promptDetails;
  const completionDetails = { ...told.completionParts, ...(unexplained > 0 && { unexplained_tokens: unexplained }) };
  if (hasAny(completionDetails)) usage.completion_tokens_details = completionDetails;
  if (missing < 0 || (total === undefined && moved.length > 0)) usage.contradictory = true;
  return withinSums(usage);
}

/** A sum that is not told is what the total has beyond the other one. */
function sumsOf(told: ToldCounts, total: number | undefined, beside: number): Record<Part['of'], number> | undefined {
  const [prompt, completion] = [tokenCount(told.prompt), tokenCount(told.completion)];
  if (prompt !== undefined && completion !== undefined) return { prompt, completion };
  const rest = tokenCount((total ?? NaN) - beside - (prompt ?? completion ?? NaN));
  return rest === undefined ? undefined : { prompt: prompt ?? rest, completion: completion ?? rest };
}

function partsIn(of: Part['of'], details: object = {}, places: Places): Part[] {
  const parts: Part[] = [];
  for (const [name, count] of Object.entries(details))
    if (typeof count === 'number' && count > 0) parts.push({ name, of, count, place: places[name] ?? 'inside' });
  return parts;
}

/**
 * The parts that are counted elsewhere than the documents say.
 * @param missing what the total has beyond the documents' reading; undefined without a total
 */
function movedParts(parts: readonly Part[], sums: Readonly<Record<Part['of'], number>>, missing: number | undefined): readonly Part[] {
  if (missing === 0) return [];
  const impossible = parts.filter(({ of, count, place }) => place === 'inside' && count > sums[of]);
  // What is more than a sum is not inside it.
  const possible = parts.filter((part) => !impossible.includes(part) && (part.place !== 'beside' || part.count <= sums[part.of]));
  const likely = [...impossible, ...possible];
  for (const size of SIZES) {
    const moved = missing === undefined ? undefined : chosen(likely, missing, size);
    if (moved) return moved;
  }
  const kinds = new Set(impossible.map(kindOf).filter((kind) => missing !== undefined || kind === 'cached_tokens'));
  const moved = parts.filter((part) => part.place === 'inside' && kinds.has(kindOf(part)));
  return sumOf(moved) <= (missing ?? Infinity) ? moved : [];
}

/** So many of the parts as make up what is missing. */
function chosen(parts: readonly Part[], missing: number, size: number): readonly Part[] | undefined {
  if (size === 0) return missing === 0 ? [] : undefined;
  for (const [i, part] of parts.entries()) {
    const others = chosen(parts.slice(i + 1), missing - change(part), size - 1);
    if (others) return [part, ...others];
  }
  return undefined;
}

/** What the total has more where a part is moved. */
function change({ place, count }: Part): number {
  return place === 'beside' ? -count : count;
}

/** What is read from a cache is counted where that is which is written to it. */
function kindOf({ name }: Part): string {
  return name === 'cache_creation_tokens' ? 'cached_tokens' : name;
}

function sumOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}

function hasAny(details: object): boolean {
  for (const _name in details) return true;
  return false;
}

/**
 * What was read from a cache and written to it: no fewer writes than are told by how long they are kept. Empty where
 * nothing is told.
 */
export function cacheParts(read: unknown, written: unknown, short: unknown, long: unknown): PromptTokensDetails {
  const parts: PromptTokensDetails = {};
  const cached = tokenCount(read);
  if (cached !== undefined) parts.cached_tokens = cached;
  const [ephemeral_5m_input_tokens = 0, ephemeral_1h_input_tokens = 0] = [tokenCount(short), tokenCount(long)];
  const kept = ephemeral_5m_input_tokens + ephemeral_1h_input_tokens;
  const writes = Math.max(tokenCount(written) ?? 0, kept);
  if (writes > 0 || tokenCount(written) !== undefined) parts.cache_creation_tokens = writes;
  if (kept > 0) parts.cache_creation_token_details = { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens };
  return parts;
}

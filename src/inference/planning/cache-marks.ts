import { changedFrom } from '../../json/json-source.js';
import { copyOf } from '../../wire/members.js';
import { isFree, type Offer } from '../../catalogue/offer.js';
import { pricesCacheWrites } from '../../common/prices/price-ceiling.js';
import type { InferenceRequest } from '../../wire/generation.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';

/** The name of a mark that makes a vendor write what comes before it to its cache, which has a price of its own. */
export const CACHE_MARK = 'cache_control';

/** The marks that messages, their parts and tools may have: Anthropic's, and OpenAI's of GPT-5.6 and later. */
const marks = [CACHE_MARK, 'prompt_cache_breakpoint'] as const;
type Mark = (typeof marks)[number];

type Refused = (mark: unknown, name: Mark) => boolean;

const all: Refused = () => true;

/** Marks for tokens that are to be kept for longer than the 5 minutes of a plain one, or for nobody knows how long. */
const lasting: Refused = (mark) => {
  if (mark == null) return false;
  if (!isObject(mark)) return true;
  return Object.keys(mark).some((name) => name.toLowerCase() === 'ttl' && mark[name] !== '5m');
};

/** All but OpenAI's own. */
const foreign: Refused = (mark, name) => name === CACHE_MARK || lasting(mark, name);

/**
 * Tells which marks of caching the offer may not be sent: those that its provider does not know, and those of which it
 * is not known what they cost. Undefined where all may.
 */
export function refusedMarks(offer: Pick<Offer, 'price' | 'cacheMarks'> & Partial<Pick<Offer, 'nativeItems'>>): Refused | undefined {
  const { price, cacheMarks, nativeItems } = offer;
  const free = !price || isFree(offer);
  if (!free && !pricesCacheWrites(price)) return all;
  if (!cacheMarks) return nativeItems === 'openai-responses' ? foreign : all;
  if (free) return undefined;
  return pricesCacheWrites(price, '1h') ? undefined : lasting;
}

/**
 * The request without the refused marks of caching, wherever they are in its messages and tools.
 * @param dropped is called with the name of each mark that there is
 * @returns the same object where there are none
 */
export function withoutCacheMarks<R extends InferenceRequest>(request: R, refused: Refused, dropped: (mark: Mark) => void): R {
  if (request.operation !== 'chat') return request;
  let found: Set<Mark> | undefined;
  const counted: Refused = (mark, name) => refused(mark, name) && (found ??= new Set()).add(name).size > 0;
  const messages = unmarked(request.messages, counted);
  const tools = unmarked(request.tools, counted);
  const hosted_tools = unmarked(request.hosted_tools, counted);
  if (messages === request.messages && tools === request.tools && hosted_tools === request.hosted_tools) return request;
  const native = request.native && { ...request.native, body: bareBody(request.native.body, counted) };
  found?.forEach(dropped);
  return { ...request, messages, tools, hosted_tools, native };
}

/** Its members have names of the format, whatever they are. */
function bareBody(body: JsonObject, refused: Refused): JsonObject {
  const bare = copyOf(body);
  for (const name of Object.keys(body)) bare[name] = unmarked(body[name], refused);
  return bare;
}

/** Whether the request has marks of caching anywhere. */
export function hasCacheMarks(request: InferenceRequest): boolean {
  return has(request, all);
}

/** Whether the request asks for anything to be kept for longer than 5 minutes. */
export function asksForLastingWrites(request: InferenceRequest): boolean {
  return has(request, lasting);
}

function has(request: InferenceRequest, wanted: Refused): boolean {
  const whole = request.extra?.[CACHE_MARK];
  let found = whole !== undefined && wanted(whole, CACHE_MARK);
  const look: Refused = (mark, name) => {
    found ||= wanted(mark, name);
    return false;
  };
  if (!found) withoutCacheMarks(request, look, () => undefined);
  return found;
}

/** A mark by its name in any case of letters, as some vendors read names. */
function markOf(name: string): Mark | undefined {
  // Most names are told apart by their length, which costs nothing.
  return marks.find((mark) => mark.length === name.length && mark === name.toLowerCase());
}

/** What a client's own names are in. */
const named: ReadonlySet<string> = new Set(['arguments', 'input', 'properties']);

/**
 * Recursion is safe, because the depth of requests is limited.
 * @returns the same value where nothing changes
 */
function unmarked<T>(value: T, refused: Refused, deep = true): T {
  if (Array.isArray(value)) return deep ? (mapped(value, (one) => unmarked<unknown>(one, refused)) as T) : value;
  if (!isObject(value)) return value;
  let bare: JsonObject | undefined;
  for (const name in value) {
    if (named.has(name)) continue;
    const own = value[name];
    const mark = markOf(name);
    if (mark && refused(own, mark)) delete (bare ??= copyOf(value))[name];
    else if (deep && typeof own === 'object') {
      // A JSON schema may have marks itself; below are the client's own names.
      const kept = unmarked(own, refused, name !== 'parameters');
      if (kept !== own) (bare ??= copyOf(value))[name] = kept;
    }
  }
  return (bare as T | undefined) ?? value;
}

/** @returns the same array where no element changes */
function mapped<T>(list: readonly T[], change: (one: T) => T): readonly T[] {
  let changed: T[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const one = change(list[index]!);
    if (one !== list[index]) (changed ??= changedFrom(list, [...list]))[index] = one;
  }
  return changed ?? list;
}

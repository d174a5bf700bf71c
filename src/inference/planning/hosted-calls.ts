import { isFree, type Offer } from '../../catalogue/offer.js';
import { asksForCall, callOfTool, declinesSearch, hostedCallOf, isPriced, type ToolCall } from '../../providers/contract/hosted-callers.js';
import { pricesAny } from '../../common/prices/price-components.js';
import type { HostedCall } from '../../providers/contract/model-provider.js';
import type { ChatGenerationRequest, InferenceRequest } from '../../wire/generation.js';
import type { Usage } from '../../wire/usage.js';

/** A search unit is a query with up to 100 documents (cohere.com/pricing). */
export const UNIT_DOCUMENTS = 100;

const searchesOf = (count: number): HostedCall[] => Array.from({ length: count }, () => 'search' as const);

const counts = { search: 'web_search_requests', hosted_call: 'hosted_calls' } as const;

/** Whether it is known what the calls cost that the parameter makes; every other parameter makes none. */
export function pricesHostedCalls(offer: Pick<Offer, 'price'>, parameter: string): boolean {
  const call = hostedCallOf(parameter);
  return call === undefined || isFree(offer) || (offer.price !== undefined && pricesAny(offer.price, [call]));
}

/**
 * The calls that the vendor makes for the request for certain, as far as anybody knows, and that cost something. Where
 * it prices each request instead, or its answers list the calls, there are none that have to be supposed.
 */
export function askedCalls(
  { price, hostedCalls, listsHostedCalls }: Pick<Offer, 'price' | 'hostedCalls' | 'listsHostedCalls'>,
  request: InferenceRequest,
): readonly HostedCall[] {
  const { extra } = request;
  const { rates, named } = price?.components ?? {};
  if (request.operation === 'rerank') return named?.has('search') ? searchesOf(Math.ceil(request.input.length / UNIT_DOCUMENTS)) : [];
  if (!named || listsHostedCalls || !(named.has('search') || named.has('hosted_call'))) return [];
  const asked = new Set<HostedCall>(rates?.request === undefined ? hostedCalls : []);
  if (extra && declinesSearch(extra)) asked.delete('search');
  for (const name in extra) {
    const call = hostedCallOf(name);
    if (call && asksForCall(name, extra[name])) asked.add(call);
  }
  for (const call of callsOfTools(request)) asked.add(call);
  return [...asked].filter((call) => named.has(call));
}

/** The calls that are held: those that are made for certain, and as many of each kind of hosted tool as there may be. */
export function heldCalls(offer: Parameters<typeof askedCalls>[0], request: InferenceRequest): readonly HostedCall[] {
  if (request.operation === 'rerank') return askedCalls(offer, request).length > 0 ? searchesOf(request.searches) : [];
  const tools = callsOfTools(request);
  const made = askedCalls(offer, request).filter((call) => !tools.includes(call));
  if (request.operation !== 'chat' || tools.length === 0) return made;
  const most = request.max_tool_calls ?? 1;
  return [...made, ...tools.flatMap((call) => Array.from({ length: most }, () => call))];
}

/**
 * The usage with no more calls of hosted tools than were asked for, and are held: what a vendor makes beyond them is its
 * own affair.
 * @returns the same object where there are not more
 */
export function withinAsked(usage: Partial<Usage>, request: InferenceRequest): Partial<Usage> {
  const { server_tool_use: told } = usage;
  if (request.operation === 'rerank') {
    const within = (told?.web_search_requests ?? 0) <= request.searches;
    return within ? usage : { ...usage, server_tool_use: { web_search_requests: request.searches } };
  }
  if (!told || !limitsCalls(request)) return usage;
  const { web_search_requests: searches = 0, hosted_calls: others = 0 } = told;
  const most = request.max_tool_calls * request.n;
  const mostSearches = Math.min(most, mostUses(request, 'search'));
  const mostOthers = Math.min(most - Math.min(searches, mostSearches), mostUses(request, 'hosted_call'));
  if (!(searches > mostSearches) && !(others > mostOthers)) return usage;
  const calls = { web_search_requests: Math.min(searches, mostSearches), hosted_calls: Math.min(others, mostOthers) };
  return { ...usage, server_tool_use: { ...told, ...calls } };
}

/** Steps of an answer with hosted tools beyond its first one, of the calls that were asked for (`withinAsked`). */
export function hostedSteps({ server_tool_use: told = {} }: Partial<Usage>, request: InferenceRequest): number {
  if (request.operation !== 'chat' || !request.hosted_tools) return 0;
  const { web_search_requests: searches = 0, hosted_calls: others = 0, web_fetch_requests: fetches = 0 } = told;
  return (limitsCalls(request) ? searches + others : 0) + Math.min(fetches, mostUses(request, 'fetch'));
}

/** Whether the request has hosted tools that may be called so often only. */
function limitsCalls(request: InferenceRequest): request is ChatGenerationRequest & { max_tool_calls: number } {
  return request.operation === 'chat' && request.hosted_tools !== undefined && request.max_tool_calls !== undefined;
}

/** As often as the tools of the request may be used that make such calls. */
function mostUses({ hosted_tools: tools = [], n }: ChatGenerationRequest, call: ToolCall): number {
  let uses = knownUses.get(tools);
  if (!uses) knownUses.set(tools, (uses = usesOf(tools)));
  return n * (uses.get(call) ?? 0);
}

/** The uses of the tools of requests: a request may have many tools, and a stream many counts of calls. */
const knownUses = new WeakMap<object, ReturnType<typeof usesOf>>();

function usesOf(tools: NonNullable<ChatGenerationRequest['hosted_tools']>): ReadonlyMap<ToolCall | undefined, number> {
  const uses = new Map<ToolCall | undefined, number>();
  for (const { type, max_uses } of tools) {
    const call = callOfTool(type);
    uses.set(call, Math.max(uses.get(call) ?? 0, typeof max_uses === 'number' ? max_uses : Infinity));
  }
  return uses;
}

/** What the calls of the hosted tools of a request are counted as. */
function callsOfTools(request: InferenceRequest): readonly HostedCall[] {
  if (request.operation !== 'chat' || !request.hosted_tools) return [];
  const calls = new Set(request.hosted_tools.map(({ type }) => callOfTool(type)));
  return [...calls].filter(isPriced);
}

/** The usage with the calls that were asked for and that the vendor has not counted. */
export function withCalls(usage: Usage, asked: readonly HostedCall[]): Usage {
  if (asked.length === 0) return usage;
  const { server_tool_use: told = {} } = usage;
  const made = { ...told };
  for (const call of asked) if (told[counts[call]] === undefined) made[counts[call]] = (made[counts[call]] ?? 0) + 1;
  return { ...usage, server_tool_use: made };
}

import { isFree, type Offer } from '../../catalogue/offer.js';
import { ApiError } from '../../common/api-error.js';
import { pricesAny } from '../../common/prices/price-components.js';
import { isAccountId } from '../../providers/contract/extra-parameters.js';
import { callOfTool, isPriced, isToolSearch, undatedTool } from '../../providers/contract/hosted-callers.js';
import { mediaAddressProblem } from './media-address.js';
import type { ChatGenerationRequest, GenerationRequest } from '../../wire/generation.js';
import type { JsonObject } from '../../wire/json-object.js';
import type { NativeRequest } from '../../wire/native.js';
import type { HostedTool } from '../../wire/hosted-tool.js';
import { changedFrom } from '../../json/json-source.js';
import { copyWith, textStart } from '../../wire/members.js';
import { accountId } from './media-rules.js';
import { unsupported } from './requirements.js';

/**
 * Refuses hosted tools that the offer does not have, whose calls have no price, or that reach what is the operator's, and
 * items of such that do.
 * @param unpaid whether nobody pays for the request
 * @throws ApiError 400 unsupported_parameter, which names the tool; 400 invalid_request
 */
export function requireHostedTools(offer: Offer, request: ChatGenerationRequest, unpaid: boolean): void {
  const { hosted_tools: tools = [], hosted_items: items = [], native } = request;
  if (tools.every(isToolSearch) && !readsHosted(offer, request)) return;
  for (const tool of tools) {
    requireTool(native?.wire === offer.nativeItems ? offer.hostedTools : [], offer, tool, unpaid);
    requireReach(offer, tool, `tools: ${tool.type}`);
  }
  // Anthropic's blocks have only what was found already.
  if (native?.wire !== 'openai-responses' || native.wire !== offer.nativeItems) return;
  for (const item of items.filter((one) => reads(offer, native, one))) requireReach(offer, item, `input: ${textStart(item, 'type', 100)}`);
}

/**
 * What the client wrote, without items of tools that the provider does not have.
 * @param dropped is told of each of them
 * @throws ApiError 400 unsupported_parameter where the answer would be to one
 */
export function withReadItems(offer: Offer, request: GenerationRequest, dropped: (parameter: string) => void): GenerationRequest {
  if (request.operation !== 'chat' || request.native?.wire !== 'openai-responses' || !request.native.tools) return request;
  const { native } = request;
  const input = native.body['input'] as readonly JsonObject[];
  const unread = input.filter((item) => !reads(offer, native, item));
  if (unread.length === 0) return request;
  const names = unread.map(({ type }) => `input.${String(type)}`);
  if (unread.at(-1) === input.at(-1)) throw unsupported(names.at(-1)!, offer);
  names.forEach(dropped);
  const kept = input.filter((item) => reads(offer, native, item));
  return copyWith(request, { native: { ...native, body: copyWith(native.body, { input: changedFrom(input, kept) }) } });
}

function reads({ hostedTools }: Offer, { tools }: NativeRequest, { type }: JsonObject): boolean {
  const needed = tools?.get(type);
  return needed === undefined || hostedTools.some((tool) => tool.startsWith(needed));
}

/** Whether the offer has all hosted tools of a request. */
export function readsHosted({ hostedTools, nativeItems }: Offer, { hosted_tools: tools = [], native }: ChatGenerationRequest): boolean {
  return tools.length === 0 || (native?.wire === nativeItems && tools.every(({ type }) => hostedTools.includes(undatedTool(type))));
}

/** Whether the offer reads what the native form has beyond the canonical request; some items can be left out. */
export function readsBeyond(offer: Offer, { native, hosted_items: items = [] }: ChatGenerationRequest): boolean {
  if (!native || native.wire !== offer.nativeItems) return false;
  if (native.beyond?.some((name) => offer.rules?.withoutSettings?.includes(name))) return false;
  return native.wire === 'openai-responses'
    ? !native.items || offer.hostedTools.length > 0
    : items.every((item) => reads(offer, native, item));
}

function requireTool(had: readonly string[], offer: Offer, { type }: HostedTool, unpaid: boolean): void {
  const named = `hosted tool '${type.slice(0, 100)}'`;
  const call = callOfTool(type);
  if (call === undefined || !had.includes(undatedTool(type)))
    throw refused(offer, `does not have the ${named}: declare a function or a custom tool, and run it in the client`);
  if (!isPriced(call) || unpaid || isFree(offer)) return;
  if (!offer.price || !pricesAny(offer.price, [call])) throw refused(offer, `has no price for calls of the ${named} ('${call}')`);
}

/** Looks at every member: a vendor acts with the operator's rights. Bodies are bounded in depth and in members. */
function requireReach(offer: Offer, holder: object, where: string): void {
  for (const [name, value] of Object.entries(holder)) {
    if (typeof value === 'object' && value !== null && !(isAccountId(name) && Array.isArray(value))) requireReach(offer, value, where);
    else if (isAccountId(name) && value != null && !offer.accountIds) throw accountId(offer, `${where}.${name}`);
    else if (name.endsWith('url') && typeof value === 'string') requireAddress(offer, value, `${where}.${name}`);
  }
}

function requireAddress(offer: Offer, address: string, where: string): void {
  const problem = mediaAddressProblem(address, offer.internalMedia, offer.ownHost);
  if (problem === 'account') throw accountId(offer, where);
  if (problem) throw new ApiError('invalid_request', `${where} must be an http(s) address on the public web`);
}

function refused({ modelId }: Offer, problem: string): ApiError {
  return new ApiError('unsupported_parameter', `The model '${modelId}' ${problem}`);
}

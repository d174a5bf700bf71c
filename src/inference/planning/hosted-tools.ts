import { isFree, type Offer } from '../../catalogue/offer.js';
import { ApiError } from '../../common/api-error.js';
import { pricesAny } from '../../common/prices/price-components.js';
import { isAccountId } from '../../providers/extra-parameters.js';
import { callOfTool, isToolSearch, undatedTool } from '../../providers/hosted-callers.js';
import { mediaAddressProblem } from '../../providers/media-address.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import type { HostedTool } from '../../wire/hosted-tool.js';
import { textStart } from '../../json/long-text.js';
import { accountId } from './media-rules.js';

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
  for (const item of items) requireReach(offer, item, `input: ${textStart(item, 'type', 100)}`);
}

/** Whether the offer has all hosted tools of a request. */
export function readsHosted({ hostedTools, nativeItems }: Offer, { hosted_tools: tools = [], native }: ChatGenerationRequest): boolean {
  return tools.length === 0 || (native?.wire === nativeItems && tools.every(({ type }) => hostedTools.includes(undatedTool(type))));
}

function requireTool(had: readonly string[], offer: Offer, { type }: HostedTool, unpaid: boolean): void {
  const named = `hosted tool '${type.slice(0, 100)}'`;
  const call = callOfTool(type);
  if (call === undefined || !had.includes(undatedTool(type)))
    throw refused(offer, `does not have the ${named}: declare a function or a custom tool, and run it in the client`);
  if (call === 'nothing' || unpaid || isFree(offer)) return;
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

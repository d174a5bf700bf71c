import { copyMember } from '../../../wire/members.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import type { JsonObject } from '../../../wire/json-object.js';
import { isStandardTier } from '../../../wire/service-tier.js';
import { ProviderError } from '../../contract/provider-error.js';
import { isText } from '../is-text.js';
import { marked } from './content-parts.js';
import { conversation } from './conversation.js';
import type { MessagesBody, MessagesTool, TextBlock } from './wire.js';
import type { ModelTraits } from './model-traits.js';
import { demandJson } from './output-format.js';
import { setThinking } from './reasoning.js';
import { toolSettings } from './tools.js';

interface MessagesRequest {
  readonly body: MessagesBody;
  /** Whether the input of JSON_TOOL is the content of the response. */
  readonly jsonTool: boolean;
}

/**
 * Converts a chat request to the vendor's form, without changing it.
 * @param dropped is told of each parameter that the vendor does not take, or takes less of
 * @throws ProviderError invalid_request
 */
export function messagesRequest(
  request: ChatGenerationRequest,
  upstreamModel: string,
  traits: ModelTraits,
  dropped: (parameter: string) => void,
): MessagesRequest {
  const { system, turns } = conversation(request.messages, traits.systemTurns);
  const { extra = {} } = request;
  const body: MessagesBody = {
    model: upstreamModel,
    max_tokens: request.max_tokens ?? traits.maxTokens,
    stream: request.stream,
    messages: turns,
    ...toolSettings(request, turns, traits, dropped),
  };
  if (request.hosted_tools) body.tools = [...(body.tools ?? []), ...(request.hosted_tools as readonly object[] as readonly MessagesTool[])];
  if (system.length > 0) setSystem(body, system);
  const stop = stopSequences(request.stop);
  if (stop) body.stop_sequences = stop;
  setUser(body, request.user, dropped);
  marked(body, extra['cache_control']);
  body.service_tier = serviceTierOf(extra);
  const jsonTool = demandJson(body, request.response_format, traits, dropped);
  const forced = body.tool_choice?.type === 'any' || body.tool_choice?.type === 'tool';
  setThinking(body, request, traits, forced, dropped);
  setSampling(body, request, traits, dropped);
  return { body, jsonTool };
}

/** The vendor names no tier: it has its better one, where it was bought, or the standard alone. */
export function serviceTierOf({ service_tier: tier }: JsonObject): MessagesBody['service_tier'] {
  return isText(tier) ? (isStandardTier(tier) ? 'standard_only' : 'auto') : undefined;
}

/** A single plain prompt is sent as text: the shortest form, and the one that every compatible vendor accepts. */
function setSystem(body: MessagesBody, blocks: TextBlock[]): void {
  const [only] = blocks;
  if (only && blocks.length === 1 && !only.cache_control) copyMember(only, 'text', body, 'system');
  else body.system = blocks;
}

/**
 * The sequences of a request, which the vendor refuses without a visible character. To leave one out would change where
 * the answer ends.
 * @throws ProviderError invalid_request
 */
export function stopSequences(stop: readonly string[] | undefined): string[] | undefined {
  if (!stop?.length) return undefined;
  if (stop.every((sequence) => /\S/.test(sequence))) return [...stop];
  throw new ProviderError('invalid_request', 'This model does not end its answers at a stop sequence without a visible character');
}

/** The vendor wants an opaque id of at most 256 characters, and refuses e-mail addresses and telephone numbers. */
function setUser(body: MessagesBody, user: string | undefined, dropped: (parameter: string) => void): void {
  if (!user) return;
  if (user.length > 256 || user.includes('@') || /^\+?[\d\s().-]{7,}$/.test(user)) dropped('user');
  else body.metadata = { user_id: user };
}

/**
 * The vendor's scale of temperature ends at 1, the most random. A higher value becomes 1 and is reported as dropped, as
 * the vendor's own compatible address does it. Beside a temperature some models accept no top_p, and beside thinking none
 * accepts either.
 */
function setSampling(
  body: MessagesBody,
  request: ChatGenerationRequest,
  { oneSampler }: ModelTraits,
  dropped: (parameter: string) => void,
): void {
  const { temperature, top_p } = request;
  const top_k = request.extra?.['top_k'];
  const thinking = body.thinking?.type === 'enabled' || body.thinking?.type === 'adaptive';
  if (temperature !== undefined) {
    if (temperature > 1 || (thinking && temperature !== 1)) dropped('temperature');
    if (!thinking) body.temperature = Math.min(temperature, 1);
  }
  if (top_p !== undefined) {
    if (thinking || (oneSampler && temperature !== undefined)) dropped('top_p');
    else body.top_p = top_p;
  }
  if (typeof top_k === 'number') {
    if (thinking) dropped('top_k');
    else body.top_k = top_k;
  }
}

import type { Offer } from '../../catalogue/offer.js';
import { ApiError } from '../../common/api-error.js';
import { copyWith, hasText } from '../../wire/members.js';
import { changedFrom } from '../../json/json-source.js';
import { mediaBehindResults } from '../../providers/translation/media-behind-results.js';
import type { RequestRules } from '../../providers/contract/request-rules.js';
import type { Tool, ToolChoice } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest, GenerationRequest } from '../../wire/generation.js';
import { fitMessages, orderMessages } from './fit-messages.js';
import { fitThinking } from './fit-thinking.js';
import { fitNative } from './fit-native.js';
import type { KeyedNames } from './keyed-names.js';
import { fittedSchema, mapped } from './tool-schema.js';

interface FittedRequest<R> {
  readonly request: R;
  /** The client's name of each function whose name was changed, by the name that the vendor gets. */
  readonly functionNames?: ReadonlyMap<string, string>;
  /** The client's own form has been fitted too. */
  readonly fitsNative?: boolean;
}

/** Words of `reasoning_effort`, shallow to deep. */
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/**
 * A request as the vendor of an offer takes it, by the offer's rules.
 * @param dropped is told of each parameter that the vendor takes less of
 * @returns the same request where nothing changes
 * @throws ApiError 400 unsupported_parameter for what the vendor cannot take
 */
export function fitRequest<R extends GenerationRequest>(
  offer: Offer,
  request: R,
  keyed: KeyedNames,
  dropped: (parameter: string) => void,
): FittedRequest<R> {
  const { rules: all } = offer;
  if (!all || request.operation !== 'chat') return { request };
  // A vendor that has paused within calls of its own tools goes on with its answer.
  const rules = request.hosted_tools ? { ...all, assistantLast: undefined } : all;
  requireTaken(offer, rules, request);
  const names = keyed.forRequest();
  const changes: Partial<ChatGenerationRequest> = {};
  let functionNames: Map<string, string> | undefined;
  const functionName = (holder: { name: string }): string => {
    const sent = rules.functionNames && names.name(holder, 'name', rules.functionNames);
    if (sent === undefined) return holder.name;
    (functionNames ??= new Map()).set(sent, holder.name);
    return sent;
  };
  const { tools, tool_choice: choice, response_format: format, messages, reasoning_effort: effort, temperature } = request;
  if (tools) {
    const fitted = mapped(tools, (tool) => fittedTool(tool, rules, functionName, dropped));
    if (fitted !== tools) Object.assign(changes, { tools: changedFrom(tools as Tool[], fitted as Tool[]) });
  }
  const chosen = fittedChoice(choice, functionName);
  if (chosen !== choice) Object.assign(changes, { tool_choice: chosen });
  if (format?.type === 'json_schema' && hasText(format.json_schema, 'name')) {
    const name = functionName(format.json_schema);
    const json_schema = copyWith(format.json_schema, { name });
    if (name !== format.json_schema.name) Object.assign(changes, { response_format: { ...format, json_schema } });
  }
  const shown = rules.resultMedia ? mediaBehindResults(messages) : messages;
  const fitted = fitMessages(shown, rules, names, functionName);
  const withSystem = rules.system === 'one' ? orderMessages(fitted, { system: 'one' }) : fitted;
  const ordered = orderMessages(withSystem, rules);
  if (ordered !== messages) Object.assign(changes, { messages: ordered });
  if (rules.thinking) Object.assign(changes, fitThinking(request, rules.thinking, dropped));
  const word = fittedEffort(effort, rules.efforts);
  if (word !== effort) {
    dropped('reasoning_effort');
    Object.assign(changes, { reasoning_effort: word });
  }
  if (temperature !== undefined && rules.temperature !== undefined && temperature > rules.temperature) {
    dropped('temperature');
    Object.assign(changes, { temperature: rules.temperature });
  }
  if (Object.keys(changes).length === 0) return { request };
  // The native form has one system message too, and all else as it came.
  const isOrdered = shown === messages && ordered === withSystem;
  const native = isOrdered && request.native && fitNative(request.native, rules, names, functionName);
  if (native) Object.assign(changes, { native });
  return {
    request: copyWith(request, changes as Partial<R>),
    functionNames,
    ...(native && { fitsNative: true }),
  };
}

/** @throws ApiError 400 unsupported_parameter */
function requireTaken(
  offer: Offer,
  { formats, assistantLast }: RequestRules,
  { response_format: format, messages }: ChatGenerationRequest,
): void {
  if (format && formats && !formats.includes(format.type)) {
    throw new ApiError(
      'unsupported_parameter',
      `The model '${offer.modelId}' does not support response_format of the type '${format.type}'`,
    );
  }
  const last = messages.at(-1);
  if (assistantLast === 'refused' && last?.role === 'assistant') {
    throw new ApiError(
      'unsupported_parameter',
      `The model '${offer.modelId}' does not support messages that end with one of the assistant`,
    );
  }
}

function fittedTool(
  tool: Tool,
  { toolSchema, functionNames }: RequestRules,
  functionName: (holder: { name: string }) => string,
  dropped: (parameter: string) => void,
): Tool {
  const { parameters } = tool.function;
  const changes: Partial<Tool['function']> = {};
  if (functionNames && hasText(tool.function, 'name')) {
    const name = functionName(tool.function);
    if (name !== tool.function.name) changes.name = name;
  }
  if (!parameters) {
    if (toolSchema?.required) changes.parameters = { type: 'object', properties: {} };
  } else if (toolSchema) {
    const schema = fittedSchema(parameters, toolSchema, (keyword) => dropped(`tools.parameters.${keyword}`));
    if (schema !== parameters) changes.parameters = schema;
  }
  return Object.keys(changes).length > 0 ? { ...tool, function: copyWith(tool.function, changes) } : tool;
}

function fittedChoice(choice: ToolChoice | undefined, functionName: (holder: { name: string }) => string): ToolChoice | undefined {
  if (typeof choice !== 'object') return choice;
  const name = functionName(choice.function);
  return name === choice.function.name ? choice : { ...choice, function: { name } };
}

/** The nearest word that the vendor has, the deeper of two. */
function fittedEffort(effort: string | undefined, taken: readonly string[] | undefined): string | undefined {
  if (effort === undefined || !taken || taken.includes(effort)) return effort;
  const wanted = EFFORTS.indexOf(effort);
  if (wanted < 0) return undefined;
  const far = (word: string): number => Math.abs(EFFORTS.indexOf(word) - wanted);
  const known = taken.filter((word) => EFFORTS.includes(word));
  return known.reduce<string | undefined>((best, word) => (best === undefined || far(word) <= far(best) ? word : best), undefined);
}

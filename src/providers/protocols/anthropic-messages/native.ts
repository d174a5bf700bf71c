import { copyMembers, valueAt } from '../../../wire/members.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import type { ModelTraits } from './model-traits.js';
import { fittingThinking, takesThinking } from './reasoning.js';
import { serviceTierOf } from './request.js';
import type { MessagesBody, ThinkingSetting } from './wire.js';

/**
 * The body of a request that the client has written in the vendor's own form, as it came: with the places of its marks
 * of caching and the signatures of its thinking.
 * @param dropped is told of thinking that does not fit into a `max_tokens` which was lowered
 * @returns undefined where the client has written another form, or what the model does not take as it is written
 */
export function nativeBody(
  request: ChatGenerationRequest,
  upstreamModel: string,
  traits: ModelTraits,
  dropped: (parameter: string) => void,
): MessagesBody | undefined {
  const { native, max_tokens, stream, temperature, top_p, extra = {} } = request;
  if (native?.wire !== 'anthropic-messages' || !takes(native.body, traits)) return undefined;
  const apart = { temperature, top_p, top_k: extra['top_k'], service_tier: serviceTierOf(extra) };
  const own = { model: upstreamModel, max_tokens: max_tokens ?? traits.maxTokens, stream, ...apart };
  const body = copyMembers(native.body, own) as unknown as MessagesBody;
  const { thinking } = native.body;
  if (isObject(thinking)) body.thinking = fittingThinking(thinking as unknown as ThinkingSetting, own.max_tokens, dropped);
  return body;
}

/** Whether the model takes what the generations of models differ in; otherwise it is translated for the model. */
function takes(body: JsonObject, traits: ModelTraits): boolean {
  const { thinking, output_config: output, tool_choice: choice, messages } = body;
  if (isObject(thinking) && !takesThinking(thinking['type'], traits)) return false;
  if (isObject(output)) {
    const { effort, format } = output;
    if (effort != null && !(traits.efforts as readonly unknown[]).includes(effort)) return false;
    if (format != null && !traits.structuredOutputs) return false;
  }
  if (isObject(choice) && (choice['type'] === 'any' || choice['type'] === 'tool') && !traits.forcedTools) return false;
  return traits.systemTurns || !(messages as readonly JsonObject[]).some((turn) => valueAt(turn, 'role') === 'system');
}

/**
 * The features without which another cloud does not take Anthropic's tools (docs.cloud.google.com/vertex-ai, Claude:
 * web search; docs.aws.amazon.com/bedrock, Anthropic Claude tool use). Those of a computer are of the day of its version.
 */
const toolFeatures: readonly (readonly [tool: RegExp, feature: string])[] = [
  [/^computer_(\d{4})(\d\d)(\d\d)$/, 'computer-use-$1-$2-$3'],
  [/^memory_\d+$/, 'context-management-2025-06-27'],
  [/^tool_search_tool_.*$/, 'tool-search-tool-2025-10-19'],
  [/^web_search_\d+$/, 'web-search-2025-03-05'],
];

type Featured = Pick<ChatGenerationRequest, 'native' | 'hosted_tools'>;

/**
 * The features of a request at another cloud than the vendor's own: those that its tools need, and of those that the
 * client asks for what the cloud has by the same name.
 */
export function cloudFeatures({ native, hosted_tools: tools = [] }: Featured, known?: RegExp): string[] {
  const asked = known ? (native?.headers?.['anthropic-beta'] ?? '').split(',').filter((name) => known.test(name)) : [];
  const needed = tools.flatMap(({ type }) => toolFeatures.flatMap(([tool, name]) => (tool.test(type) ? [type.replace(tool, name)] : [])));
  return [...new Set([...asked, ...needed])];
}

/** Whether turns have an image or a file by its address, which Anthropic fetches at its own address alone. */
export function nameAddresses(turns: MessagesBody['messages']): boolean {
  return turns.some(namesAddress);
}

function namesAddress(block: object): boolean {
  if ('source' in block && isObject(block.source)) {
    const { type, content } = block.source;
    return type === 'url' || (type === 'content' && Array.isArray(content) && (content as object[]).some(namesAddress));
  }
  const content = valueAt(block, 'content');
  return Array.isArray(content) && (content as object[]).some(namesAddress);
}

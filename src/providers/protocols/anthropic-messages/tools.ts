import type { Tool, ToolChoice } from '../../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { copyMember, copyOf, hasSomeText } from '../../../wire/members.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { ProviderError } from '../../contract/provider-error.js';
import { closedSchema } from './json-schema.js';
import { marked } from './content-parts.js';
import type { MessagesTool, MessagesToolChoice, Turn } from './wire.js';
import type { ModelTraits } from './model-traits.js';

interface ToolSettings {
  tools?: MessagesTool[];
  tool_choice?: MessagesToolChoice;
}

/**
 * Tools, and how free the model is to use them.
 * @param turns the conversation. Tools that it used must be declared even where the client offers none now; then none
 * may be called.
 * @throws ProviderError invalid_request where the model cannot be made to call a tool
 */
export function toolSettings(
  request: ChatGenerationRequest,
  turns: readonly Turn[],
  traits: ModelTraits,
  dropped: (parameter: string) => void,
): ToolSettings {
  if (!request.tools?.length) {
    const used = usedTools(turns);
    return used.length > 0 ? { tools: used, tool_choice: { type: 'none' } } : {};
  }
  const tools = request.tools.map((tool) => declaration(tool, traits, dropped));
  const choice = toolChoice(request.tool_choice, request.parallel_tool_calls === false);
  if ((choice?.type === 'any' || choice?.type === 'tool') && !traits.forcedTools) {
    throw new ProviderError('invalid_request', "This model cannot be made to call a tool: tool_choice must be 'auto' or 'none'");
  }
  return choice ? { tools, tool_choice: choice } : { tools };
}

/** The schema of any object, for tools whose `parameters` are left out. */
export const anyObject: MessagesTool['input_schema'] = { type: 'object', properties: {} };

export function objectSchema(schema: JsonObject): MessagesTool['input_schema'] {
  return Object.assign(copyOf(schema), { type: 'object' as const });
}

function declaration(tool: Tool, traits: ModelTraits, dropped: (parameter: string) => void): MessagesTool {
  const { name, parameters, strict } = tool.function;
  const declared: MessagesTool = { name, input_schema: parameters ? objectSchema(parameters) : anyObject };
  if (hasSomeText(tool.function, 'description')) copyMember(tool.function, 'description', declared);
  if (strict) {
    const closed = traits.structuredOutputs && isObject(parameters) ? closedSchema(parameters) : undefined;
    if (closed) {
      declared.input_schema = objectSchema(closed.schema);
      declared.strict = true;
      for (const keyword of closed.loosened) dropped(`tools.${keyword}`);
    } else dropped('tools.strict');
  }
  const { cache_control: mark, function: named } = tool as Tool & { cache_control?: unknown; function: { cache_control?: unknown } };
  return marked(declared, mark ?? named.cache_control);
}

function toolChoice(choice: ToolChoice | undefined, oneAtATime: boolean): MessagesToolChoice | undefined {
  if (choice === 'none') return { type: 'none' };
  const alone = oneAtATime ? { disable_parallel_tool_use: true as const } : {};
  if (choice === 'required') return { type: 'any', ...alone };
  if (typeof choice === 'object') return { type: 'tool', name: choice.function.name, ...alone };
  return choice === 'auto' || oneAtATime ? { type: 'auto', ...alone } : undefined;
}

function usedTools(turns: readonly Turn[]): MessagesTool[] {
  const names = new Set<string>();
  for (const { content } of turns) for (const block of content) if (block.type === 'tool_use') names.add(block.name);
  return [...names].map((name) => ({ name, input_schema: anyObject }));
}

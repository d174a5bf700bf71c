import { copyMember, hasSomeText } from '../../wire/members.js';
import type { Tool } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import type { ChatBody, ChatTool } from './wire.js';

/**
 * Tools, and how free the model is to use them. Cohere can be told to use any tool, not which one: where the client
 * names one, it is the only one that is offered.
 */
export function toolSettings(
  { tools, tool_choice: choice, parallel_tool_calls }: ChatGenerationRequest,
  dropped: (parameter: string) => void,
): Pick<ChatBody, 'tools' | 'tool_choice' | 'strict_tools'> {
  if (!tools?.length) return {};
  if (parallel_tool_calls === false) dropped('parallel_tool_calls');
  const named = typeof choice === 'object' ? choice.function.name : undefined;
  const offered = named === undefined ? tools : tools.filter((tool) => tool.function.name === named);
  const settings: ReturnType<typeof toolSettings> = { tools: offered.map(declaration) };
  if (named !== undefined || choice === 'required') settings.tool_choice = 'REQUIRED';
  else if (choice === 'none') settings.tool_choice = 'NONE';
  // It applies to all tools alike, and not every schema can be kept to.
  const strict = offered.filter((tool) => tool.function.strict).length;
  if (strict === offered.length) settings.strict_tools = true;
  else if (strict > 0) dropped('tools.strict');
  return settings;
}

function declaration({ function: given }: Tool): ChatTool {
  const declared: ChatTool['function'] = { name: given.name, parameters: given.parameters ?? { type: 'object', properties: {} } };
  if (hasSomeText(given, 'description')) copyMember(given, 'description', declared);
  return { type: 'function', function: declared };
}

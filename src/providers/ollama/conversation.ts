import type { Message, Tool, ToolCall } from '../../wire/chat-completion.js';
import { ProviderError } from '../provider-error.js';
import { argumentsObject } from '../protocols/arguments-object.js';
import { isText } from '../protocols/is-text.js';
import { contentOf } from './content.js';
import type { OllamaMessage, OllamaTool, OllamaToolCall } from './wire.js';

/**
 * Converts messages, in their order. Results of tools are told the names of their tools, which the vendor's templates
 * show to models that know no ids.
 * @throws ProviderError invalid_request
 */
export function conversation(messages: readonly Message[]): OllamaMessage[] {
  const names = new Map<string, string>();
  return messages.map((message, position) => {
    const where = `messages[${position}]`;
    const content = contentOf(message, where);
    switch (message.role) {
      case 'system':
      case 'developer':
        return { role: 'system', ...content };
      case 'assistant':
        for (const { id, function: called } of message.tool_calls ?? []) names.set(id, called.name);
        return assistant(message, content, where);
      case 'tool':
        return toolResult(message, content, names);
      default:
        return { role: 'user', ...content };
    }
  });
}

/** The vendor's form of tools has parameters always. */
export function toolOf({ function: { name, description, parameters } }: Tool): OllamaTool {
  const declared = { name, ...(description && { description }) };
  return { type: 'function', function: { ...declared, parameters: { type: 'object', properties: {}, ...parameters } } };
}

function assistant(message: Message, content: Pick<OllamaMessage, 'content' | 'images'>, where: string): OllamaMessage {
  const { refusal, reasoning_content, tool_calls: calls = [] } = message;
  const converted: OllamaMessage = { role: 'assistant', ...content };
  if (refusal) converted.content += refusal;
  if (isText(reasoning_content)) converted.thinking = reasoning_content;
  if (calls.length > 0) converted.tool_calls = calls.map((call, index) => toolCall(call, `${where}.tool_calls[${index}]`));
  return converted;
}

function toolResult(
  { tool_call_id: id, name }: Message,
  content: Pick<OllamaMessage, 'content' | 'images'>,
  names: ReadonlyMap<string, string>,
): OllamaMessage {
  const tool = (id === undefined ? undefined : names.get(id)) ?? name;
  return { role: 'tool', ...content, ...(tool !== undefined && { tool_name: tool }), ...(id !== undefined && { tool_call_id: id }) };
}

function toolCall({ id, function: called }: ToolCall, where: string): OllamaToolCall {
  const args = argumentsObject(called.arguments);
  if (!args) throw new ProviderError('invalid_request', `${where}.function.arguments is not a JSON object of at most 100 levels`);
  return { id, function: { name: called.name, arguments: args } };
}

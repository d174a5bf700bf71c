import { copyMember, copyMembers, hasSomeText, putJoined } from '../../wire/members.js';
import type { Message, Tool, ToolCall } from '../../wire/chat-completion.js';
import { ProviderError } from '../contract/provider-error.js';
import { argumentsObject } from '../translation/arguments-object.js';
import { idKey } from '../protocols/id-key.js';
import { addContent } from './content.js';
import type { OllamaMessage, OllamaTool, OllamaToolCall } from './wire.js';

/**
 * Converts messages, in their order. Results of tools are told the names of their tools, which the vendor's templates
 * show to models that know no ids.
 * @throws ProviderError invalid_request
 */
export function conversation(messages: readonly Message[]): OllamaMessage[] {
  const called: Called = new Map();
  return messages.map((message, position) => {
    const where = `messages[${position}]`;
    const converted: OllamaMessage = { role: message.role === 'developer' ? 'system' : message.role, content: '' };
    addContent(message, where, converted);
    if (message.role === 'assistant') {
      for (const call of message.tool_calls ?? []) called.set(idKey(call, 'id'), call.function);
      addSpoken(message, where, converted);
    }
    if (message.role === 'tool') addResult(message, called, converted);
    return converted;
  });
}

/** The vendor's form of tools has parameters always. */
export function toolOf({ function: given }: Tool): OllamaTool {
  const declared: OllamaTool['function'] = { name: given.name, parameters: { type: 'object', properties: {} } };
  if (hasSomeText(given, 'description')) copyMember(given, 'description', declared);
  if (given.parameters) copyMembers(given.parameters, declared.parameters);
  return { type: 'function', function: declared };
}

/** The functions that were called so far, by the ids of their calls. */
type Called = Map<string, ToolCall['function']>;

function addSpoken(message: Message, where: string, to: OllamaMessage): void {
  const calls = message.tool_calls ?? [];
  if (hasSomeText(message, 'refusal')) {
    putJoined(to, 'content', [
      [to, 'content'],
      [message, 'refusal'],
    ]);
  }
  if (hasSomeText(message, 'reasoning_content')) copyMember(message, 'reasoning_content', to, 'thinking');
  if (calls.length > 0) to.tool_calls = calls.map((call, index) => toolCall(call, `${where}.tool_calls[${index}]`));
}

function addResult(message: Message, called: Called, to: OllamaMessage): void {
  copyMember(called.get(idKey(message, 'tool_call_id')) ?? message, 'name', to, 'tool_name');
  copyMember(message, 'tool_call_id', to);
}

function toolCall(call: ToolCall, where: string): OllamaToolCall {
  const args = argumentsObject(call.function.arguments);
  if (!args) throw new ProviderError('invalid_request', `${where}.function.arguments is not a JSON object of at most 100 levels`);
  const converted: OllamaToolCall = { function: { name: '', arguments: args } };
  copyMember(call, 'id', converted);
  copyMember(call.function, 'name', converted.function);
  return converted;
}

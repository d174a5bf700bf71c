import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolCallPart } from '@ai-sdk/provider';
import type { ContentPart, Message, ToolCall } from '../../wire/chat-completion.js';
import { ProviderError } from '../contract/provider-error.js';
import { argumentsObject } from '../translation/arguments-object.js';
import { filePart } from './file-part.js';
import { carried, reasoningBlocks, signedOf } from './signatures.js';
import type { SupportedUrls } from './wire.js';

type Of<Role extends LanguageModelV4Message['role']> = Extract<LanguageModelV4Message, { role: Role }>;

/**
 * Converts messages to a prompt of the AI SDK. Consecutive tool results become one message, as the AI SDK has them.
 * @throws ProviderError invalid_request
 */
export function promptOf(messages: readonly Message[], urls: SupportedUrls): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  const names = new Map<string, string>();
  for (const [position, message] of messages.entries()) {
    const where = `messages[${position}]`;
    switch (message.role) {
      case 'system':
      case 'developer':
        prompt.push({ role: 'system', content: plainText(message, where) });
        break;
      case 'assistant':
        for (const { id, function: called } of message.tool_calls ?? []) names.set(id, called.name);
        prompt.push(assistant(message, where));
        break;
      case 'tool': {
        const last = prompt.at(-1);
        const result = toolResult(message, names, where);
        if (last?.role === 'tool') last.content.push(result);
        else prompt.push({ role: 'tool', content: [result] });
        break;
      }
      default:
        prompt.push({ role: 'user', content: userContent(message, urls, where) });
    }
  }
  return prompt;
}

function userContent({ content }: Message, urls: SupportedUrls, where: string): Of<'user'>['content'] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (content ?? []).map((part, index) => {
    const text = textOf(part);
    return text === undefined ? filePart(part, urls, `${where}.content[${index}]`) : { type: 'text', text };
  });
}

function assistant(message: Message, where: string): Of<'assistant'> {
  const { refusal, tool_calls: calls = [] } = message;
  const content: Of<'assistant'>['content'] = reasoningBlocks(message).map(({ text, signed }) => ({
    type: 'reasoning',
    text,
    ...(signed && { providerOptions: signed }),
  }));
  const text = plainText(message, where) + (refusal ?? '');
  if (text !== '') content.push({ type: 'text', text });
  content.push(...calls.map(toolCall));
  return { role: 'assistant', content };
}

function toolCall(call: ToolCall): LanguageModelV4ToolCallPart {
  const {
    id,
    function: { name, arguments: text },
  } = call;
  const signed = signedOf(carried(call.extra_content));
  const input = argumentsObject(text);
  if (!input)
    throw new ProviderError(
      'invalid_request',
      `The arguments of tool call '${id.slice(0, 100)}' are not a JSON object of at most 100 levels`,
    );
  return { type: 'tool-call', toolCallId: id, toolName: name, input, ...(signed && { providerOptions: signed }) };
}

function toolResult(message: Message, names: ReadonlyMap<string, string>, where: string): Of<'tool'>['content'][number] {
  const id = message.tool_call_id ?? '';
  const toolName = names.get(id) ?? message.name;
  if (toolName === undefined)
    throw new ProviderError('invalid_request', `${where} is the result of a tool call that no message before it has`);
  return { type: 'tool-result', toolCallId: id, toolName, output: { type: 'text', value: plainText(message, where) } };
}

function plainText({ content }: Message, where: string): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .map((part, index) => {
      const text = textOf(part);
      if (text !== undefined) return text;
      throw new ProviderError(
        'invalid_request',
        `${where}.content[${index}] has the type '${part.type.slice(0, 50)}', which this model does not take there`,
      );
    })
    .join('');
}

function textOf(part: ContentPart): string | undefined {
  if (part.type === 'text') return part.text ?? '';
  return part.type === 'refusal' ? (part.refusal ?? '') : undefined;
}

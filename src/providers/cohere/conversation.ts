import type { ContentPart, Message } from '../../wire/chat-completion.js';
import { knownFacts } from '../model-facts/known-models.js';
import { isText } from '../protocols/is-text.js';
import { ProviderError } from '../provider-error.js';
import { type AssistantTurn, type ChatMessage, type ImageContent, imageDetails, type TextContent } from './wire.js';

/**
 * Converts the messages of a conversation, in order. An assistant's message that says nothing is left out, because
 * Cohere refuses it.
 * @throws ProviderError invalid_request
 */
export function chatMessages(messages: readonly Message[], upstreamModel: string): ChatMessage[] {
  const thinks = knownFacts(upstreamModel, false)?.reasoning === true;
  const converted: ChatMessage[] = [];
  for (const [position, message] of messages.entries()) {
    const where = `messages[${position}]`;
    switch (message.role) {
      case 'system':
      case 'developer':
        converted.push({ role: 'system', content: textContent(message, where) });
        break;
      case 'assistant': {
        const turn = assistantTurn(message, thinks, where);
        if (turn) converted.push(turn);
        break;
      }
      case 'tool':
        converted.push({ role: 'tool', tool_call_id: message.tool_call_id as string, content: textContent(message, where) });
        break;
      default:
        converted.push({ role: 'user', content: userContent(message, where) });
    }
  }
  return converted;
}

/**
 * Text beside tool calls is the plan that the calls follow, and what the model thought before them goes back to it, as
 * Cohere wants both; thoughts of other turns are left out.
 */
function assistantTurn(message: Message, thinks: boolean, where: string): AssistantTurn | undefined {
  const { content } = message;
  const parts = typeof content === 'string' ? [content] : (content ?? []).map((part, index) => textOf(part, `${where}.content[${index}]`));
  const text = [...parts, message.refusal ?? ''].join('');
  const calls = message.tool_calls ?? [];
  if (calls.length === 0) return text === '' ? undefined : { role: 'assistant', content: text };
  const { reasoning_content: thinking } = message;
  return {
    role: 'assistant',
    ...(thinks && isText(thinking) && { content: [{ type: 'thinking', thinking }] }),
    ...(text !== '' && { tool_plan: text }),
    tool_calls: calls.map(({ id, function: called }) => ({
      id,
      type: 'function',
      function: { name: called.name, arguments: called.arguments.trim() === '' ? '{}' : called.arguments },
    })),
  };
}

function userContent({ content }: Message, where: string): string | (TextContent | ImageContent)[] {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part, index) => {
    const place = `${where}.content[${index}]`;
    return part.type === 'image_url' ? imageContent(part, place) : { type: 'text', text: textOf(part, place) };
  });
}

function textContent({ content }: Message, where: string): string | TextContent[] {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part, index) => ({ type: 'text', text: textOf(part, `${where}.content[${index}]`) }));
}

function textOf(part: ContentPart, where: string): string {
  if (part.type === 'text') return part.text ?? '';
  if (part.type === 'refusal') return part.refusal ?? '';
  throw new ProviderError('invalid_request', `${where} has the type '${part.type.slice(0, 50)}', which this model does not take there`);
}

/** The gateway fetches nothing: Cohere is given the address. */
function imageContent({ image_url: image }: ContentPart, where: string): ImageContent {
  const url = image?.url ?? '';
  if (!/^(https?|data):/i.test(url)) throw new ProviderError('invalid_request', `${where}.image_url.url must be http(s) or a data: URL`);
  const detail = imageDetails.find((word) => word === image?.detail);
  return { type: 'image_url', image_url: { url, ...(detail && { detail }) } };
}

import { copyMember, hasSomeText, hasText, hasVisibleText, type Member, putJoined, valueAt } from '../../wire/members.js';
import type { ContentPart, Message, ToolCall } from '../../wire/chat-completion.js';
import { knownFacts } from '../model-facts/known-models.js';
import { dataUrlAt } from '../translation/data-url.js';
import { partsOf } from '../protocols/parts-of.js';
import { ProviderError } from '../contract/provider-error.js';
import {
  type AssistantTurn,
  type CalledTool,
  type ChatMessage,
  type ImageContent,
  imageDetails,
  type TextContent,
  type ThinkingContent,
} from './wire.js';

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
        converted.push(withText({ role: 'system', content: listed(message, where, textContent) }, message));
        break;
      case 'assistant': {
        const turn = assistantTurn(message, thinks, where);
        if (turn) converted.push(turn);
        break;
      }
      case 'tool':
        converted.push(toolResult(message, where));
        break;
      default:
        converted.push(withText({ role: 'user', content: listed(message, where, userContent) }, message));
    }
  }
  return converted;
}

/**
 * Text beside tool calls is the plan that the calls follow, and what the model thought before them goes back to it, as
 * Cohere wants both; thoughts of other turns are left out.
 */
function assistantTurn(message: Message, thinks: boolean, where: string): AssistantTurn | undefined {
  const texts = partsOf(message).map((part, index): Member => [part, textName(part, `${where}.content[${index}]`)]);
  texts.push([message, 'refusal']);
  const turn: AssistantTurn = { role: 'assistant' };
  const calls = message.tool_calls ?? [];
  if (texts.some(([holder, name]) => hasSomeText(holder, name))) putJoined(turn, calls.length > 0 ? 'tool_plan' : 'content', texts);
  else if (calls.length === 0) return undefined;
  if (calls.length === 0) return turn;
  if (thinks && hasSomeText(message, 'reasoning_content')) {
    const thought: ThinkingContent = { type: 'thinking', thinking: '' };
    copyMember(message, 'reasoning_content', thought, 'thinking');
    turn.content = [thought];
  }
  turn.tool_calls = calls.map(calledTool);
  return turn;
}

function calledTool(call: ToolCall): CalledTool {
  const called: CalledTool = { id: '', type: 'function', function: { name: '', arguments: '{}' } };
  copyMember(call, 'id', called);
  copyMember(call.function, 'name', called.function);
  if (hasVisibleText(call.function, 'arguments')) copyMember(call.function, 'arguments', called.function);
  return called;
}

function toolResult(message: Message, where: string): ChatMessage {
  const result: ChatMessage = { role: 'tool', tool_call_id: '', content: listed(message, where, textContent) };
  copyMember(message, 'tool_call_id', result);
  return withText(result, message);
}

/** The parts of a message; none where its content is a text. */
function listed<Part>(message: Message, where: string, convert: (part: ContentPart, where: string) => Part): Part[] {
  const parts = hasText(message, 'content') ? [] : ((message.content ?? []) as readonly ContentPart[]);
  return parts.map((part, index) => convert(part, `${where}.content[${index}]`));
}

/** Gives a turn the text that a message is. */
function withText(turn: ChatMessage, message: Message): ChatMessage {
  if (hasText(message, 'content')) copyMember(message, 'content', turn);
  return turn;
}

function userContent(part: ContentPart, where: string): TextContent | ImageContent {
  return part.type === 'image_url' ? imageContent(part, where) : textContent(part, where);
}

function textContent(part: ContentPart, where: string): TextContent {
  const content: TextContent = { type: 'text', text: '' };
  const name = textName(part, where);
  if (hasText(part, name)) copyMember(part, name, content, 'text');
  return content;
}

/** The name of the member that has the text of a part. */
function textName({ type }: ContentPart, where: string): 'text' | 'refusal' {
  if (type === 'text' || type === 'refusal') return type;
  throw new ProviderError('invalid_request', `${where} has the type '${type.slice(0, 50)}', which this model does not take there`);
}

/** The gateway fetches nothing: Cohere is given the address. */
function imageContent({ image_url: image }: ContentPart, where: string): ImageContent {
  const url = image && dataUrlAt(image, 'url');
  if (!url || !/^(https?|data):/i.test(url.head))
    throw new ProviderError('invalid_request', `${where}.image_url.url must be http(s) or a data: URL`);
  const detail = imageDetails.find((word) => word === valueAt(image, 'detail'));
  const image_url: ImageContent['image_url'] = { url: '', ...(detail && { detail }) };
  copyMember(image, 'url', image_url);
  return { type: 'image_url', image_url };
}

import { ApiError } from '../common/api-error.js';
import { putAnswerFacts } from '../inference/carried/answer-facts.js';
import type { CarriedReader } from '../inference/carried/carried-reader.js';
import { copyMember, hasSomeText, hasText, type Member, putJoined, textBytes, textStart, valueAt } from '../wire/members.js';
import { madeFrom } from '../json/json-source.js';
import type { ContentPart, Message, ToolCall } from '../wire/chat-completion.js';
import { argumentsOf } from '../wire/custom-tool.js';
import { isObject } from '../wire/json-object.js';
import type { ReasoningBlock } from '../wire/reasoning-block.js';
import type { InputCall, InputCallOutput, InputItem, InputMessage, InputPart, InputReasoning } from '../wire/response-input.js';
import type { CreateResponseDto } from './create-response.dto.js';
import { BETWEEN, decrypted } from './encrypted-reasoning.js';
import {
  calledName,
  type CallIds,
  callIdOf,
  callIdsIn,
  type ForeignItem,
  foreignItem,
  isWordless,
  loadedTools,
  reportedAs,
  typeOf,
  withKnownParts,
} from './foreign-items.js';
import { refuseHosted } from './hosted-tools.js';
import { membersOf } from './members-of.js';
import { callablesOf, fullName } from './tools.mapping.js';

/** Characters of an id that an error repeats. */
const MAX_SHOWN = 100;

/** Bytes of the text before the reasoning of an answer, whose place among the text is told by its length. */
const MAX_PLACED = 4 * 1024 * 1024;

/** Bytes of the inputs of the calls of custom tools, which are made into JSON at once. */
const MAX_INPUTS = 4 * 1024 * 1024;

/**
 * The conversation of a request as messages. An answer of the model, which is several items (reasoning, text, calls), is
 * one message of the assistant again. Long texts are not decoded.
 * @throws ApiError 400 unsupported_parameter for items that are named by their ids, and for one at the end whose type
 * nobody knows, 400 invalid_request
 */
export function messagesOf(body: CreateResponseDto, carried: CarriedReader): Message[] {
  const input = valueAt(body, 'input');
  const conversation = new Conversation(carried, Array.isArray(input) ? callIdsIn(input) : undefined);
  if (hasSomeText(body, 'instructions')) conversation.add('system', body, 'instructions');
  if (!Array.isArray(input)) conversation.add('user', body, 'input');
  else {
    const last: unknown = input.at(-1);
    for (const [index, item] of (input as InputItem[]).entries()) {
      const known = withKnownParts(item, (reported) => carried.leaveOut(reported));
      if (known) conversation.item(known, `input[${index}]`, item === last);
    }
  }
  return madeFrom(body, ['instructions', 'input'], conversation.end());
}

class Conversation {
  readonly #messages: Message[] = [];
  /** The assistant's message to which the next items of the same answer belong. */
  #answer: Message | undefined;
  /** What the vendor wants to have back with the next call. */
  #extra: unknown;
  #inputsLeft = MAX_INPUTS;
  #placedLeft = MAX_PLACED;
  /** The texts of the reasoning of each answer, which are joined once: an answer may have thousands. */
  readonly #thoughts = new Map<Message, Member[]>();
  /** What calls of hosted tools in the answer have brought: it comes behind the answer. */
  #results: Message[] = [];
  #measured: { answer?: Message; parts: number; length: number } = { parts: 0, length: 0 };

  constructor(
    private readonly carried: CarriedReader,
    private readonly calls: CallIds | undefined,
  ) {}

  add(role: Message['role'], holder: object, name: string): Message {
    this.#endHosted();
    const message = withContent({ role }, holder, name);
    this.#answer = role === 'assistant' ? message : undefined;
    this.#messages.push(message);
    return message;
  }

  end(): Message[] {
    this.#endHosted();
    for (const [answer, texts] of this.#thoughts) putJoined(answer, 'reasoning_content', texts, BETWEEN);
    return this.#messages;
  }

  /**
   * @param where path of the item
   * @param isLast whether the answer is to it
   */
  item(item: InputItem, where: string, isLast: boolean): void {
    const type = typeOf(item);
    switch (type) {
      case 'message':
        return this.#message(item as InputMessage);
      case 'function_call':
      case 'custom_tool_call':
        return this.#call(item as InputCall, where);
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.#output(item as InputCallOutput);
      case 'reasoning':
        return this.#reasoning(item as InputReasoning, where);
      case 'item_reference':
        throw unknownItem(where, textStart(item, 'id', MAX_SHOWN));
      default: {
        const kind = foreignItem(type);
        if (kind) this.#foreign(item, kind, where);
        else if (isLast) refuseHosted(type, `${where}.type`);
        else this.carried.leaveOut(reportedAs(item));
      }
    }
  }

  /** An item that the vendor of the format reads as it is; here it is what any model reads, or nothing. */
  #foreign(item: InputItem, kind: ForeignItem, where: string): void {
    if (isWordless(item, kind)) return;
    const { call, client, result } = kind;
    const named = callIdOf(item, kind, this.calls);
    const id = named ?? `call_${where.replaceAll(/\D/g, '')}`;
    if (call) this.#pushCall(this.#foreignCall(item, kind, id));
    if (!result || (client && named === undefined)) return;
    const brought: Message = { role: 'tool', content: '', tool_call_id: id };
    if (hasText(item, result)) copyMember(item, result, brought, 'content');
    else brought.content = this.#resultOf(item, kind);
    if (call) this.#results.push(brought);
    else {
      this.#endHosted();
      this.#answer = undefined;
      this.#messages.push(brought);
    }
  }

  #foreignCall(item: InputItem, kind: ForeignItem, id: string): ToolCall {
    const input = kind.call!.input;
    const called = { name: calledName(item, kind)!, arguments: '{}' };
    const value = valueAt(item, input) ?? {};
    if (input === 'arguments' && typeof value === 'string') copyMember(item, input, called);
    else called.arguments = this.carried.words(isObject(value) ? value : { [input]: item[input] }, reportedAs(item)) || '{}';
    return { id, type: 'function', function: called };
  }

  #resultOf(item: InputItem, { loads, result }: ForeignItem): string {
    if (loads)
      return callablesOf(loadedTools([item]))
        .map(({ name }) => name)
        .join('\n');
    const value = item[result!] ?? item['error'] ?? item['status'] ?? 'completed';
    return typeof value === 'string' ? value : this.carried.words(value, reportedAs(item));
  }

  /** The results of calls of hosted tools follow their answer. */
  #endHosted(): void {
    if (this.#results.length === 0) return;
    this.#messages.push(...this.#results);
    this.#results = [];
    this.#answer = undefined;
  }

  #message(item: InputMessage): void {
    const { role } = item;
    // What is said behind calls of hosted tools is said of what they have brought.
    if (this.#results.length > 0 && this.#answer?.tool_calls?.length === this.#results.length) this.#endHosted();
    const answer = this.#answer;
    if (role !== 'assistant' || !answer || (hasContent(answer) && !answer.tool_calls)) return void this.add(role, item, 'content');
    if (!hasContent(answer)) withContent(answer, item, 'content');
    else {
      const parts = asParts(answer);
      for (const part of asParts(withContent({ role }, item, 'content'))) parts.push(part);
      answer.content = parts;
    }
  }

  #call(item: InputCall, where: string): void {
    const call: ToolCall = { id: '', type: 'function', function: { name: fullName(item.name, item.namespace), arguments: '' } };
    copyMember(item, 'call_id', call, 'id');
    if (item.type === 'function_call') copyMember(item, 'arguments', call.function);
    else call.function.arguments = argumentsOf(this.#inputOf(item, where));
    if (this.#extra !== undefined) call.extra_content = this.#extra;
    this.#extra = undefined;
    this.#pushCall(call);
  }

  #pushCall(call: ToolCall): void {
    const answer = (this.#answer ??= this.#begin());
    (answer.tool_calls ??= []).push(call);
  }

  /** @throws ApiError 400 invalid_request */
  #inputOf(item: InputCall, where: string): string {
    this.#inputsLeft -= textBytes(item, 'input');
    if (this.#inputsLeft >= 0) return item.input!;
    throw new ApiError('invalid_request', `${where}.input has more than ${MAX_INPUTS} bytes with those before it`);
  }

  #output(item: InputCallOutput): void {
    const message = this.add('tool', item, 'output');
    copyMember(item, 'call_id', message, 'tool_call_id');
  }

  /** Reasoning comes first in an answer, but for that between calls. */
  #reasoning(item: InputReasoning, where: string): void {
    const texts = [...(item.summary ?? []), ...(item.content ?? [])].map((part): Member => [part, 'text']);
    const encrypted = hasSomeText(item, 'encrypted_content') ? decrypted(item, texts, this.carried) : undefined;
    const open = this.#answer;
    if (encrypted && 'extra_content' in encrypted && encrypted.of === 'answer') {
      if (open) putAnswerFacts(open, encrypted.extra_content);
      return;
    }
    const answer = open && !(hasContent(open) && !open.tool_calls) ? open : (this.#answer = this.#begin());
    this.#think(answer, texts);
    if (!encrypted) return;
    if ('extra_content' in encrypted) this.#extra = encrypted.extra_content;
    else this.#addBlock(answer, encrypted.block, where);
  }

  #think(answer: Message, texts: readonly Member[]): void {
    if (!texts.some((text) => hasSomeText(...text))) return;
    const before = this.#thoughts.get(answer);
    if (!before) this.#thoughts.set(answer, [...texts]);
    else for (const text of texts) before.push(text);
  }

  #addBlock(answer: Message, block: Omit<ReasoningBlock, 'index'>, where: string): void {
    const blocks = (answer.thinking_blocks ??= []) as ReasoningBlock[];
    const after = { content: this.#lengthOf(answer, where), tool_calls: answer.tool_calls?.length ?? 0 };
    blocks.push(Object.assign(block, { index: blocks.length, ...((after.content || after.tool_calls) && { after }) }));
  }

  /**
   * UTF-16 code units of an answer's text. What was measured before, is not again.
   * @throws ApiError 400 invalid_request
   */
  #lengthOf(answer: Message, where: string): number {
    if (this.#measured.answer !== answer) this.#measured = { answer, parts: 0, length: 0 };
    const content = answer.content;
    const measured = this.#measured;
    if (Array.isArray(content)) {
      for (; measured.parts < content.length; measured.parts++) measured.length += this.#unitsOf(content[measured.parts]!, 'text', where);
    } else if (measured.parts++ === 0) measured.length = this.#unitsOf(answer, 'content', where);
    return measured.length;
  }

  #unitsOf(holder: object, name: string, where: string): number {
    this.#placedLeft -= textBytes(holder, name);
    if (this.#placedLeft >= 0) return hasText(holder, name) ? (holder as Record<string, string>)[name]!.length : 0;
    throw new ApiError('invalid_request', `${where}: there are more than ${MAX_PLACED} bytes of text before the reasoning of answers`);
  }

  #begin(): Message {
    const answer: Message = { role: 'assistant', content: null };
    this.#messages.push(answer);
    return answer;
  }
}

function hasContent(message: Message): boolean {
  return hasText(message, 'content') || (valueAt(message, 'content') ?? null) !== null;
}

function asParts(message: Message): ContentPart[] {
  if (Array.isArray(valueAt(message, 'content'))) return message.content as ContentPart[];
  const part: ContentPart = { type: 'text' };
  copyMember(message, 'content', part, 'text');
  return [part];
}

/** Gives a message the content that an item has: the text where it is one text, or else its parts. */
function withContent(message: Message, holder: object, name: string): Message {
  const content = valueAt(holder, name);
  if (!Array.isArray(content)) copyMember(holder, name, message, 'content');
  else {
    const parts = (content as InputPart[]).map(markedPart);
    const [only] = parts;
    if (parts.length === 1 && only!.type === 'text' && Object.keys(only!).length === 2) copyMember(only!, 'text', message, 'content');
    else message.content = parts.length > 0 ? parts : '';
  }
  return message;
}

function markedPart(part: InputPart): ContentPart {
  const { prompt_cache_breakpoint: mark } = part;
  return mark == null ? partOf(part) : Object.assign(partOf(part), { prompt_cache_breakpoint: mark });
}

function partOf(part: InputPart): ContentPart {
  switch (part.type) {
    case 'refusal':
      return textPart('refusal', part, 'refusal');
    case 'input_image':
      return imagePart(part);
    case 'input_file':
      return { type: 'file', file: membersOf(part, ['file_data', 'file_url', 'file_id', 'filename']) };
    case 'input_audio':
      return { type: 'input_audio', input_audio: membersOf(part.input_audio!, ['data', 'format']) };
    default:
      return textPart('text', part, 'text');
  }
}

function textPart(type: 'text' | 'refusal', part: InputPart, name: 'text' | 'refusal'): ContentPart {
  const made: ContentPart = { type };
  copyMember(part, name, made);
  return made;
}

function imagePart(part: InputPart): ContentPart {
  const image_url = { url: '' };
  copyMember(part, 'image_url', image_url, 'url');
  const { detail } = part;
  return { type: 'image_url', image_url: detail ? Object.assign(image_url, { detail }) : image_url };
}

function unknownItem(where: string, id: string): ApiError {
  return new ApiError(
    'unsupported_parameter',
    `${where}: the item '${id}' is not stored here. Send the item itself: clients do with store: false`,
  );
}

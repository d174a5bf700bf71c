import { isObject, type JsonObject } from '../wire/json-object.js';
import { putAnswerFacts } from '../inference/carried/answer-facts.js';
import { type CarriedFacts, isCarried } from '../inference/carried/carried-facts.js';
import type { CarriedReader } from '../inference/carried/carried-reader.js';
import { copyMember, copyMembers, hasSomeText, hasText, putJoined } from '../wire/members.js';
import type {
  BlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  RedactedThinkingBlock,
  SearchResultBlockParam,
  ServerToolResultBlockParam,
  ServerToolUseBlockParam,
  ShownBlockParam,
  TextBlockParam,
  ThinkingBlock,
  ToolReferenceBlockParam,
  ToolResultBlockParam,
  ToolUseBlockParam,
  TurnParam,
} from '../wire/anthropic-message.js';
import type { ContentPart, Message, ToolCall } from '../wire/chat-completion.js';
import type { ReasoningBlock } from '../wire/reasoning-block.js';
import { mark, pausedCalls, reportedAs, type Shape, writtenAs } from './foreign-blocks.js';
import { knownOf } from './known-members.js';
import { lastSigned } from './turn-shape.js';

/** The system prompt as a message of the canonical form; none where it says nothing. */
export function systemMessage(holder: { system?: string | TextBlockParam[] | null }): Message[] {
  if (hasText(holder, 'system')) return hasSomeText(holder, 'system') ? [withText({ role: 'system' }, holder, 'system')] : [];
  const blocks = (holder.system ?? []) as TextBlockParam[];
  return blocks.length > 0 ? [withParts({ role: 'system' }, blocks.map(textPart))] : [];
}

/**
 * The turns of a conversation as messages of the canonical form, where each result of a tool is a message of its own.
 */
export function messagesOf(turns: readonly TurnParam[], carried: CarriedReader): Message[] {
  const messages: Message[] = [];
  const paused = pausedCalls(turns);
  for (const turn of turns) {
    if (hasText(turn, 'content')) messages.push(withText({ role: turn.role }, turn, 'content'));
    else if (turn.role === 'assistant') messages.push(...answerMessages(turn.content as BlockParam[], carried, paused));
    else addTurn(messages, turn.role, turn.content as BlockParam[], carried);
  }
  return messages;
}

function addTurn(messages: Message[], role: 'user' | 'system', blocks: readonly BlockParam[], carried: CarriedReader): void {
  let parts: ContentPart[] = [];
  const flush = (): void => {
    if (parts.length > 0) messages.push(withParts({ role }, parts));
    parts = [];
  };
  for (const block of blocks) {
    if (block.type === 'tool_result') {
      flush();
      messages.push(toolMessage(block, carried));
    } else parts.push(...partsOf(block as ShownBlockParam, carried));
  }
  flush();
}

/**
 * A turn of the assistant, where the result of a tool that its vendor runs is a message of its own, like that of any
 * other. A call without a result, and a result without a call, which no vendor takes, are left out.
 * @param paused calls that are no news: a request of their vendor's own form has them
 */
function answerMessages(blocks: readonly BlockParam[], carried: CarriedReader, paused: ReadonlySet<object>): Message[] {
  const results = new Map(blocks.filter(isForeignResult).map((block) => [block.tool_use_id, block]));
  const calls = new Set<string>();
  const messages: Message[] = [];
  let open: BlockParam[] = [];
  const flush = (): void => {
    if (open.length > 0) messages.push(assistantMessage(open, carried));
    open = [];
  };
  // Calls of the client's own tools have their results in the next turn.
  const ordered =
    results.size > 0 ? [...blocks.filter(({ type }) => type !== 'tool_use'), ...blocks.filter(({ type }) => type === 'tool_use')] : blocks;
  for (const block of ordered) {
    if (isForeignResult(block)) {
      if (!calls.delete(block.tool_use_id)) carried.leaveOut(reportedAs(block));
      else {
        flush();
        messages.push(toolMessage(block, carried));
      }
    } else if (writtenAs(block.type) === 'call') {
      const { id } = block as ServerToolUseBlockParam;
      if (results.has(id)) open.push(block);
      else if (!paused.has(block)) carried.leaveOut(reportedAs(block));
      calls.add(id);
    } else if (isTold(block)) open.push(block);
    else carried.leaveOut(reportedAs(block));
  }
  flush();
  return messages;
}

function isForeignResult(block: BlockParam): block is ServerToolResultBlockParam {
  return writtenAs(block.type) === 'result';
}

function isCall(block: BlockParam): block is ToolUseBlockParam | ServerToolUseBlockParam {
  return block.type === 'tool_use' || writtenAs(block.type) === 'call';
}

/** Whether assistantMessage knows what it says. */
function isTold(block: BlockParam): boolean {
  return block.type === 'compaction' ? hasSomeText(block, 'content') : told.has(block.type);
}

/** Members of a summary that its text has. */
const compactionShape: Shape = { type: 'any', content: 'any', cache_control: mark };

const told: ReadonlySet<string> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);

function toolMessage(block: ToolResultBlockParam | ServerToolResultBlockParam, carried: CarriedReader): Message {
  const message: Message = { role: 'tool', content: '' };
  copyMember(block, 'tool_use_id', message, 'tool_call_id');
  if (hasText(block, 'content')) copyMember(block, 'content', message);
  else if (isForeignResult(block)) message.content = carried.words(block.content, reportedAs(block));
  else if (Array.isArray(block.content)) {
    const parts = block.content.flatMap((part) => partsOf(part, carried));
    if (parts.length > 0) withParts(message, parts);
  }
  if (block.is_error === true) message.is_error = true;
  return marked(message, block);
}

function assistantMessage(blocks: readonly BlockParam[], reader: CarriedReader): Message {
  const message: Message = { role: 'assistant', content: null };
  const texts: ContentPart[] = [];
  const calls: ToolCall[] = [];
  const reasoning: ReasoningBlock[] = [];
  const thoughts: ThinkingBlock[] = [];
  const facts: unknown[] = [];
  const placedBefore = lastSigned(blocks);
  let length = 0;
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'text') {
      // Where the signed blocks stand among the text is told by its length.
      if (index < placedBefore) length += block.text.length;
      texts.push(textPart(block));
    } else if (isCall(block)) calls.push(toolCall(block, facts));
    else if (block.type === 'compaction') {
      texts.push(marked(aboutPart(block, 'content'), block));
      knownOf(block as unknown as JsonObject, compactionShape, (holder, name) => reader.leaveOutMember(holder, name, 'messages.content'));
    } else if (block.type === 'thinking' || block.type === 'redacted_thinking') {
      // Servers that take no signature read the text.
      if (block.type === 'thinking') thoughts.push(block);
      const carried = block.type === 'thinking' && !hasSomeText(block, 'signature') ? undefined : carriedBlock(block, reader);
      if (!carried) continue;
      if ('extra_content' in carried) {
        if (carried.of === 'answer') putAnswerFacts(message, carried.extra_content);
        else facts.push(carried.extra_content);
      } else {
        const after = length > 0 || calls.length > 0 ? { after: { content: length, tool_calls: calls.length } } : {};
        reasoning.push(Object.assign(copyMembers(carried.block, { index: reasoning.length, type: block.type }), after));
      }
    }
  }
  if (texts.length > 0) withParts(message, texts);
  if (calls.length > 0) message.tool_calls = calls;
  if (reasoning.length > 0) message.thinking_blocks = reasoning;
  if (thoughts.length > 0)
    putJoined(
      message,
      'reasoning_content',
      thoughts.map((block) => [block, 'thinking']),
    );
  const last = blocks.at(-1);
  return last?.type === 'tool_use' ? marked(message, last) : message;
}

/**
 * A block that its vendor has signed, or that the gateway has made of what another vendor wants to have back: the block
 * itself, or what belongs to the next tool call.
 * @returns undefined where its proof is left out
 */
function carriedBlock(
  block: ThinkingBlock | RedactedThinkingBlock,
  reader: CarriedReader,
): { readonly block: Omit<ReasoningBlock, 'index'> } | Extract<CarriedFacts, { extra_content: unknown }> | undefined {
  const name = block.type === 'thinking' ? 'signature' : 'data';
  const facts = isCarried(block, name) ? reader.facts(block, name, `${block.type}.${name}`) : 'its own';
  if (!facts) return undefined;
  if (facts !== 'its own' && 'extra_content' in facts) return facts;
  const carried: Omit<ReasoningBlock, 'index'> = { type: block.type, wire: 'anthropic-messages' };
  if (facts === 'its own') copyMember(block, name, carried);
  else Object.assign(carried, facts.block);
  if (block.type === 'thinking') copyMember(block, 'thinking', carried);
  return { block: carried };
}

/** @param facts of the vendor's about this call; they are taken */
function toolCall(block: ToolUseBlockParam | ServerToolUseBlockParam, facts: unknown[]): ToolCall {
  const called = { name: '', arguments: JSON.stringify(block.input) };
  copyMember(block, 'name', called);
  const call: ToolCall = { id: '', type: 'function', function: called };
  copyMember(block, 'id', call);
  if (facts.length > 0) call.extra_content = facts.pop();
  return marked(call, block);
}

function partsOf(block: ShownBlockParam | ToolReferenceBlockParam, carried: CarriedReader): ContentPart[] {
  switch (block.type) {
    case 'text':
      return [textPart(block)];
    case 'image':
      return [imagePart(block)];
    case 'document':
      return documentParts(block);
    case 'search_result':
      return searchResultParts(block);
    case 'tool_reference':
      return [marked(aboutPart(block, 'tool_name'), block)];
    default:
      carried.leaveOut(reportedAs(block));
      return [];
  }
}

function textPart(block: TextBlockParam): ContentPart {
  const part: ContentPart = { type: 'text' };
  copyMember(block, 'text', part);
  return marked(part, block);
}

function imagePart(block: ImageBlockParam): ContentPart {
  const { source } = block;
  const image_url = { url: '' };
  if (source.type === 'url') copyMember(source, 'url', image_url);
  else putData(image_url, 'url', source);
  return marked({ type: 'image_url', image_url }, block);
}

function putData(to: object, as: string, source: { media_type: string; data: string }): void {
  const head = { text: `data:${source.media_type};base64,` };
  putJoined(to, as, [
    [head, 'text'],
    [source, 'data'],
  ]);
}

/** A PDF is a file; any other document is its text, behind what there is to tell about it. */
function documentParts(block: DocumentBlockParam): ContentPart[] {
  const { source } = block;
  const about = ['title', 'context'].filter((name) => hasSomeText(block, name)).map((name) => aboutPart(block, name));
  if (source.type === 'base64' || source.type === 'url') {
    const file = {};
    if (source.type === 'url') copyMember(source, 'url', file, 'file_url');
    else putData(file, 'file_data', source);
    if (hasSomeText(block, 'title')) copyMember(block, 'title', file, 'filename');
    const part = marked<ContentPart>({ type: 'file', file }, block);
    return hasSomeText(block, 'context') ? [aboutPart(block, 'context'), part] : [part];
  }
  const parts = source.type === 'text' ? [aboutPart(source, 'data')] : contentParts(source);
  return markedLast([...about, ...parts], block);
}

function contentParts(source: { content: string | (TextBlockParam | ImageBlockParam)[] }): ContentPart[] {
  if (hasText(source, 'content')) return [aboutPart(source, 'content')];
  return (source.content as (TextBlockParam | ImageBlockParam)[]).map((block) =>
    block.type === 'text' ? textPart(block) : imagePart(block),
  );
}

function searchResultParts(block: SearchResultBlockParam): ContentPart[] {
  return markedLast([aboutPart(block, 'title'), aboutPart(block, 'source'), ...block.content.map(textPart)], block);
}

function aboutPart(holder: object, name: string): ContentPart {
  const part: ContentPart = { type: 'text' };
  copyMember(holder, name, part, 'text');
  return part;
}

function withText(message: Message, holder: object, name: string): Message {
  copyMember(holder, name, message, 'content');
  return message;
}

/** One text without a mark is sent as a text, which every provider takes. */
function withParts(message: Message, parts: ContentPart[]): Message {
  const [only] = parts;
  if (parts.length === 1 && only!.type === 'text' && only!.cache_control === undefined) return withText(message, only!, 'text');
  message.content = parts;
  return message;
}

function marked<T extends object>(to: T, { cache_control }: { cache_control?: unknown }): T {
  if (!isObject(cache_control)) return to;
  const { type, ttl } = cache_control;
  return Object.assign(to, { cache_control: { type, ...(ttl != null && { ttl }) } });
}

function markedLast(parts: ContentPart[], block: { cache_control?: unknown }): ContentPart[] {
  const last = parts.at(-1);
  if (last) marked(last, block);
  return parts;
}

import { createHash } from 'node:crypto';
import { copyMember, copyWith } from '../../wire/members.js';
import type { Message } from '../../wire/chat-completion.js';
import { assistantBlocks, toolUseId } from '../protocols/anthropic-messages/assistant-blocks.js';
import type { RedactedThinkingBlock, ThinkingBlock } from '../../wire/anthropic-message.js';
import type { ToolUseBlock as Called } from '../protocols/anthropic-messages/wire.js';
import { ProviderError } from '../contract/provider-error.js';
import { cachePoints, partBlocks, textBlock } from './content-blocks.js';
import type {
  CachePointBlock,
  ConverseBlock,
  ConverseMessage,
  PartBlock,
  ReasoningBlock,
  SystemBlock,
  TextBlock,
  ToolUseBlock,
} from './wire.js';

/** Characters of a tool call's id at most. */
const MAX_ID = 64;

interface Conversation {
  readonly system: SystemBlock[];
  readonly messages: ConverseMessage[];
}

/**
 * Converts messages to alternating turns, and system prompts, wherever they stand, to one.
 * @param tools whether the model may call tools. The vendor refuses calls and results of earlier turns in a request
 * without tools, so that they are told in words there.
 * @param failures whether the model's format has a word for a tool's result that tells of a failure
 * @throws ProviderError invalid_request
 */
export function conversation(messages: readonly Message[], tools: boolean, failures = false): Conversation {
  const system: SystemBlock[] = [];
  const turns: Turn[] = [];
  const names = new DocumentNames();
  const turn = (role: Turn['role']): Turn => {
    const last = turns.at(-1);
    if (last?.role === role) return last;
    const begun = { role, results: [], content: [] };
    turns.push(begun);
    return begun;
  };
  for (const message of messages) {
    switch (message.role) {
      case 'system':
      case 'developer':
        for (const block of partBlocks(message)) system.push(systemBlock(block));
        break;
      case 'assistant': {
        const blocks = spokenBlocks(message, tools);
        if (blocks.length > 0) addAll(turn('assistant').content, blocks);
        break;
      }
      case 'tool':
        addResult(turn('user'), message, names.distinct(partBlocks(copyWith(message, { cache_control: undefined }))), { tools, failures });
        break;
      default: {
        const blocks = names.distinct(partBlocks(message));
        if (blocks.length > 0) addAll(turn('user').content, blocks);
      }
    }
  }
  // The vendor asks for at least one turn.
  if (turns.length === 0 && system.length > 0) return { system: [], messages: [{ role: 'user', content: system }] };
  return {
    system,
    messages: turns.map(({ role, results, content }) => ({ role, content: [...results, ...aboutDocuments(content), ...content] })),
  };
}

/** A turn as it grows. Results of tools come before all other content of the user's turn. */
interface Turn {
  readonly role: ConverseMessage['role'];
  readonly results: ConverseBlock[];
  readonly content: ConverseBlock[];
}

/** The vendor refuses documents without a text beside them (Bedrock's guide, Converse: documents). */
function aboutDocuments(content: readonly ConverseBlock[]): TextBlock[] {
  const alone = content.some((block) => 'document' in block) && !content.some((block) => 'text' in block);
  return alone ? [{ text: 'The message is what is attached.' }] : [];
}

/** A message may have more blocks than a call may have arguments. */
function addAll(blocks: ConverseBlock[], more: readonly ConverseBlock[]): void {
  for (const block of more) blocks.push(block);
}

function systemBlock(block: PartBlock): SystemBlock {
  if ('text' in block || 'cachePoint' in block) return block;
  throw new ProviderError('invalid_request', 'A system prompt may contain text only');
}

/** What the assistant said, thought and called. */
function spokenBlocks(message: Message, tools: boolean): ConverseBlock[] {
  return assistantBlocks(message).flatMap((block): ConverseBlock[] => {
    switch (block.type) {
      case 'text':
        return [textBlock(block, 'text'), ...cachePoints(block.cache_control)];
      case 'thinking':
      case 'redacted_thinking':
        return [{ reasoningContent: thoughtOf(block) }];
      case 'tool_use': {
        const call = tools ? toolUse(block) : { text: `[Called ${block.name}: ${JSON.stringify(block.input)}]` };
        return [call, ...cachePoints(block.cache_control)];
      }
      default:
        return [];
    }
  });
}

function thoughtOf(block: ThinkingBlock | RedactedThinkingBlock): ReasoningBlock['reasoningContent'] {
  if (block.type === 'thinking') {
    const reasoningText = { text: '', signature: '' };
    copyMember(block, 'thinking', reasoningText, 'text');
    copyMember(block, 'signature', reasoningText);
    return { reasoningText };
  }
  const redacted = { redactedContent: '' };
  copyMember(block, 'data', redacted, 'redactedContent');
  return redacted;
}

function toolUse(block: Called): ToolUseBlock {
  const { input } = block;
  const called = { toolUseId: shortId(block, 'id'), name: '', input };
  copyMember(block, 'name', called);
  return { toolUse: called };
}

function addResult(turn: Turn, message: Message, blocks: PartBlock[], { tools, failures }: Record<'tools' | 'failures', boolean>): void {
  const content = blocks.filter((block): block is Exclude<PartBlock, CachePointBlock> => !('cachePoint' in block));
  const inner = blocks.findLast((block) => 'cachePoint' in block);
  const marked = inner ? [inner] : cachePoints(message['cache_control']);
  const failed = failures && message.is_error === true && { status: 'error' as const };
  // The vendor refuses an error without content.
  if (failed && content.length === 0) content.push({ text: 'The call failed.' });
  if (tools) turn.results.push({ toolResult: { toolUseId: shortId(message, 'tool_call_id'), content, ...failed } }, ...marked);
  else addAll(turn.content, [{ text: '[Result of the call:]' }, ...content, ...marked]);
}

/** The vendor takes ids of 64 letters, digits, underscores and hyphens; a longer one ends with its hash. */
function shortId(holder: object, name: string): string {
  const plain = toolUseId(holder, name);
  if (plain.length <= MAX_ID) return plain;
  return plain.slice(0, MAX_ID - 16) + createHash('sha256').update(plain).digest('hex').slice(0, 16);
}

/** The vendor refuses two documents of one name. */
class DocumentNames {
  readonly #taken = new Set<string>();
  /** The last number behind each name. */
  readonly #numbers = new Map<string, number>();

  distinct(blocks: PartBlock[]): PartBlock[] {
    for (const block of blocks) if ('document' in block) block.document.name = this.#distinct(block.document.name);
    return blocks;
  }

  #distinct(given: string): string {
    let name = given;
    let number = this.#numbers.get(given) ?? 1;
    while (this.#taken.has(name)) name = `${given} ${++number}`;
    this.#numbers.set(given, number);
    this.#taken.add(name);
    return name;
  }
}

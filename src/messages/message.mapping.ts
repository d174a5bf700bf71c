import { AnswerFacts } from '../inference/carried/answer-facts.js';
import type { CarriedTexts } from '../inference/carried/carried-facts.js';
import { exactValue } from '../json/exact-numbers.js';
import type { CompletionEnvelope } from '../inference/chunks/completion-envelope.js';
import type {
  AnthropicMessage,
  MessageBlock,
  MessageEnd,
  RedactedThinkingBlock,
  ServerBlock,
  StopReason,
  TextBlock,
  ThinkingBlock,
  ToolUseBlock,
} from '../wire/anthropic-message.js';
import type { Delta, FinishReason, ToolCallDelta } from '../wire/chat-completion.js';
import type { GenerationChoice, GenerationChunk } from '../wire/generation.js';
import { isObject, type JsonObject } from '../wire/json-object.js';
import type { ReasoningBlock } from '../wire/reasoning-block.js';
import { usageOf } from '../wire/usage.js';
import { messageUsage } from './message-usage.js';

/** @param whole all chunks of the generation, merged by `accumulate` */
export function messageOf(
  { id, model }: Pick<CompletionEnvelope, 'id' | 'model'>,
  { choices, usage }: GenerationChunk,
  carried: CarriedTexts,
): AnthropicMessage {
  const [choice] = choices;
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: blocksOf(choice?.delta ?? {}, carried),
    ...messageEnd(choice),
    diagnostics: null,
    usage: messageUsage(usage ?? usageOf(0, 0)),
  };
}

const reasons: Readonly<Record<FinishReason, StopReason>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

export function messageEnd({ finish_reason, stop_sequence, paused }: Partial<GenerationChoice> = {}): MessageEnd {
  const reason = paused ? 'pause_turn' : reasons[finish_reason ?? 'stop'];
  const atSequence = stop_sequence !== undefined && reason === 'end_turn';
  return {
    stop_reason: atSequence ? 'stop_sequence' : reason,
    stop_sequence: atSequence ? stop_sequence : null,
    stop_details: null,
    container: null,
  };
}

/** The blocks of an answer in the order in which they came, as far as the provider has told it. */
function blocksOf(delta: Delta, carried: CarriedTexts): MessageBlock[] {
  const { content, refusal, reasoning_content, tool_calls, thinking_blocks, hosted_items = [] } = delta;
  const text = (content ?? '') + (refusal ?? '');
  const calls = (tool_calls ?? []).map((call) => callBlocks(call, carried));
  const signed = thinking_blocks ?? [];
  const blocks: MessageBlock[] = [];
  let [said, called] = [0, 0];
  const upTo = (length: number, count: number, citations: TextBlock['citations'] = null): void => {
    if (text.length > said && length > said) blocks.push({ type: 'text', text: text.slice(said, length), citations });
    said = Math.max(said, length);
    for (const own of calls.slice(called, count)) blocks.push(...own);
    called = Math.max(called, count);
  };
  if (reasoning_content && !signed.some(({ type, thinking }) => type === 'thinking' && thinking))
    blocks.push({ type: 'thinking', thinking: reasoning_content, signature: '' });
  const items = new Map(hosted_items.filter(({ step }) => step === 'added').map(({ index, item }) => [index, item]));
  const ended = hosted_items.filter(({ step }) => step === 'done' || step === 'part');
  for (const block of [...signed, ...ended].sort((one, other) => one.index - other.index)) {
    const item = 'step' in block ? items.get(block.index) : undefined;
    const cited = item?.type === 'text' ? (item as JsonObject & Partial<TextBlock>) : undefined;
    upTo(block.after?.content ?? 0, block.after?.tool_calls ?? 0, cited?.citations);
    if (!('step' in block)) blocks.push(signedBlock(block, carried));
    else if (item && !cited) blocks.push(item as ServerBlock);
  }
  upTo(Infinity, calls.length);
  const facts = new AnswerFacts();
  facts.add(delta);
  if (facts.all !== undefined) blocks.push(factsBlock(facts.all, carried, 'answer'));
  return blocks;
}

/** A block of reasoning as a client keeps it and sends it back, also where another vendor gave it. */
export function signedBlock(block: ReasoningBlock, carried: CarriedTexts): ThinkingBlock | RedactedThinkingBlock {
  const { type, thinking = '', signature, data, wire } = block;
  const ours = wire === undefined || wire === 'anthropic-messages';
  if (ours && type === 'redacted_thinking') return { type, data: data ?? '' };
  if (ours && data === undefined) return { type: 'thinking', thinking, signature: signature ?? '' };
  const facts = carried.write({ block: { type, wire, signature, data } });
  return type === 'redacted_thinking' ? { type, data: facts } : { type, thinking, signature: facts };
}

/** A call, behind a block with what its vendor wants to have back. */
function callBlocks(call: ToolCallDelta, carried: CarriedTexts): MessageBlock[] {
  const { function: called, extra_content } = call;
  const block = toolUse(call, inputOf(called?.arguments));
  return extra_content === undefined ? [block] : [factsBlock(extra_content, carried, 'call'), block];
}

export function toolUse({ id, function: called }: ToolCallDelta, input: Record<string, unknown>): ToolUseBlock {
  return { type: 'tool_use', id: id ?? '', name: called?.name ?? '', input, caller: { type: 'direct' } };
}

export function factsBlock(extra_content: unknown, carried: CarriedTexts, of: 'call' | 'answer'): RedactedThinkingBlock {
  return { type: 'redacted_thinking', data: carried.write({ extra_content, of }) };
}

/**
 * What cannot be read, because the model has written something else or the answer was cut off, is no input that somebody
 * could take for the whole: it is shown as Anthropic wraps it (docs.anthropic.com, Fine-grained tool streaming).
 */
function inputOf(text: string | undefined): Record<string, unknown> {
  if (!text) return {};
  try {
    const input = exactValue(text);
    if (isObject(input)) return input;
  } catch {
    // It is shown below.
  }
  return { INVALID_JSON: text };
}

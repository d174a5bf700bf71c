import { ApiError } from '../common/api-error.js';
import { AnswerFacts } from '../inference/carried/answer-facts.js';
import type { CarriedTexts } from '../inference/carried/carried-facts.js';
import type { CompletionEnvelope } from '../inference/chunks/completion-envelope.js';
import type { StreamEvents } from '../inference/chunks/stream-events.js';
import type { AnthropicMessage, MessageBlock, MessageEnd, ServerBlock, TextBlock } from '../wire/anthropic-message.js';
import { asByteText, type ByteText, byteText, concatBytes } from '../wire/byte-text.js';
import type { Delta, ToolCallDelta } from '../wire/chat-completion.js';
import type { GenerationChoice, GenerationChunk, TextRun } from '../wire/generation.js';
import type { HostedItemDelta } from '../wire/hosted-tool.js';
import { isJson } from '../wire/json-object.js';
import type { ReasoningBlock } from '../wire/reasoning-block.js';
import { EventRun, type StreamEvent } from '../wire/stream-event.js';
import type { Usage } from '../wire/usage.js';
import { factsBlock, messageEnd, signedBlock, toolUse } from './message.mapping.js';
import { firstUsage, messageUsage } from './message-usage.js';

type Emit = (event: StreamEvent) => void;

/** Texts that grow delta by delta: the type of the delta and its member. */
const deltas = {
  text: ['text_delta', 'text'],
  thinking: ['thinking_delta', 'thinking'],
  tool_use: ['input_json_delta', 'partial_json'],
} as const;

type Kind = keyof typeof deltas;

interface OpenBlock {
  readonly kind: Kind;
  /** The index of the call among those of the answer. */
  readonly call?: number;
  /** What stands before and behind the literal of each delta. */
  readonly head: ByteText;
  readonly tail: ByteText;
}

const noEnd: MessageEnd = { stop_reason: null, stop_sequence: null, stop_details: null, container: null };
const PING = asByteText('ping\ndata: {"type":"ping"}');
const MESSAGE_STOP = asByteText('message_stop\ndata: {"type":"message_stop"}');

/** Characters of calls that wait until the call before them has ended. */
const MAX_WAITING = 4 * 1024 * 1024;

/**
 * The events of one streamed message: `message_start`, a `ping`, for each block `content_block_start`, its deltas and
 * `content_block_stop`, then `message_delta` with the reason of the end and the usage, and `message_stop`. Blocks follow
 * each other. The text of deltas is passed on in the provider's own JSON text where the chunk has it.
 */
export class MessageEvents implements StreamEvents {
  #begun = false;
  #blocks = 0;
  #open: OpenBlock | undefined;
  /** Calls that have begun. */
  #calls = 0;
  /** What the open call has of its arguments. */
  #written = '';
  /** Calls that have begun before the open one was complete, with all that has come of them: blocks follow each other. */
  readonly #waiting = new Map<number, ToolCallDelta>();
  #waitingLength = 0;
  /** Whether thinking of the answer was streamed that no signature has come for. */
  #unsigned = false;
  readonly #facts = new AnswerFacts();
  #end: GenerationChoice | undefined;

  constructor(
    private readonly envelope: Pick<CompletionEnvelope, 'id' | 'model'>,
    private readonly carried: CarriedTexts,
  ) {}

  next(chunk: GenerationChunk, emit: Emit): void {
    const [choice] = chunk.choices;
    if (!choice) {
      if (chunk.usage) this.#finish(chunk.usage, emit);
      // The provider is alive and says nothing.
      else if (this.#begun) emit(PING);
      return;
    }
    if (!this.#begun) this.#begin(chunk, emit);
    if (!chunk.run || !this.#emitRun(choice, chunk.run, emit)) this.#delta(choice.delta ?? {}, emit);
    // The usage comes once more by itself at the end.
    if (choice.finish_reason) this.#end = choice;
  }

  #begin(chunk: GenerationChunk, emit: Emit): void {
    this.#begun = true;
    const { id, model } = this.envelope;
    const more = { ...noEnd, diagnostics: null, usage: firstUsage(chunk) };
    const message: AnthropicMessage = { id, type: 'message', role: 'assistant', model, content: [], ...more };
    emit(event('message_start', { message }));
    emit(PING);
  }

  /** @returns whether the run belongs to the open block, or to one that begins with it */
  #emitRun({ delta = {}, finish_reason }: GenerationChoice, { literals }: TextRun, emit: Emit): boolean {
    if (finish_reason) return false;
    const [name, ...others] = Object.keys(delta);
    if (others.length > 0) return false;
    const block = this.#blockOf(name, delta, emit);
    if (!block) return false;
    if (block.kind === 'tool_use') this.#written += delta.tool_calls![0]!.function?.arguments ?? '';
    const { head, tail } = block;
    emit(literals.length === 1 ? concatBytes(head, literals[0]!, tail) : new EventRun(head, literals, tail));
    return true;
  }

  #blockOf(name: string | undefined, { tool_calls }: Delta, emit: Emit): OpenBlock | undefined {
    if (name === 'content') return this.#growing('text', emit);
    if (name === 'reasoning_content') return this.#growing('thinking', emit);
    const call = name === 'tool_calls' ? tool_calls![0]! : undefined;
    return call && this.#open?.call === call.index ? this.#open : undefined;
  }

  #delta(delta: Delta, emit: Emit): void {
    const { reasoning_content, thinking_blocks, hosted_items, content, refusal, tool_calls } = delta;
    this.#facts.add(delta);
    for (const step of hosted_items ?? []) this.#host(step, emit);
    if (reasoning_content) this.#grow(this.#growing('thinking', emit), reasoning_content, emit);
    for (const block of thinking_blocks ?? []) this.#signed(block, emit);
    if (content) this.#grow(this.#growing('text', emit), content, emit);
    if (refusal) this.#grow(this.#growing('text', emit), refusal, emit);
    for (const call of tool_calls ?? []) this.#call(call, emit);
  }

  /** The block of this kind that is open, or else a new one. */
  #growing(kind: 'text' | 'thinking', emit: Emit): OpenBlock {
    if (this.#open?.kind === kind) return this.#open;
    if (kind === 'thinking') this.#unsigned = true;
    const block: MessageBlock =
      kind === 'text' ? { type: 'text', text: '', citations: null } : { type: 'thinking', thinking: '', signature: '' };
    return this.#start(kind, block, emit);
  }

  /** A block that the vendor tells as it is: one of its own tools, or of text, which grows by itself; or the end of one. */
  #host({ step, item }: HostedItemDelta, emit: Emit): void {
    if (step === 'delta') emit(event('content_block_delta', { index: this.#blocks - 1, delta: item }));
    else if (item) this.#start(item.type === 'text' ? 'text' : 'tool_use', item as TextBlock | ServerBlock, emit);
    else this.#close(emit);
  }

  /** A block has ended whose text has been streamed, or was not to be seen. */
  #signed(block: ReasoningBlock, emit: Emit): void {
    const whole = signedBlock(block, this.carried);
    if (whole.type === 'redacted_thinking') return this.#whole(whole, emit);
    if (this.#open?.kind !== 'thinking' && !(this.#unsigned && block.thinking)) {
      const open = this.#start('thinking', { type: 'thinking', thinking: '', signature: '' }, emit);
      if (whole.thinking) this.#grow(open, whole.thinking, emit);
    }
    if (this.#open?.kind !== 'thinking') return;
    const delta = { type: 'signature_delta', signature: whole.signature };
    emit(event('content_block_delta', { index: this.#blocks - 1, delta }));
    this.#unsigned = false;
    this.#close(emit);
  }

  #call(call: ToolCallDelta, emit: Emit): void {
    const { index, function: called } = call;
    const begins = index >= this.#calls;
    if (this.#waiting.has(index) || (begins && this.#isWithinCall())) {
      this.#calls = Math.max(this.#calls, index + 1);
      return this.#wait(call);
    }
    if (begins) {
      this.#calls = index + 1;
      this.#beginCall(call, emit);
    }
    if (!called?.arguments) return;
    // A block that has ended cannot go on.
    if (this.#open?.call !== index) throw new ApiError('upstream_error', 'The provider went on with a tool call behind the next one.');
    this.#written += called.arguments;
    this.#grow(this.#open, called.arguments, emit);
  }

  /** Whether a call is open that is not complete. One behind which others wait ends with something else than a call. */
  #isWithinCall(): boolean {
    return this.#open?.kind === 'tool_use' && (this.#waiting.size > 0 || !isJson(this.#written));
  }

  /** @throws ApiError 502 upstream_error */
  #wait(call: ToolCallDelta): void {
    const { index, function: called } = call;
    const before = this.#waiting.get(index);
    const text = called?.arguments ?? '';
    this.#waitingLength += text.length;
    if (this.#waitingLength > MAX_WAITING) throw new ApiError('upstream_error', 'The provider mixed tool calls that are too long.');
    const all = (before?.function?.arguments ?? '') + text;
    this.#waiting.set(index, before ? { ...before, function: { ...before.function, arguments: all } } : call);
  }

  #flush(emit: Emit): void {
    const calls = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#waitingLength = 0;
    for (const call of calls) {
      const open = this.#beginCall(call, emit);
      if (call.function?.arguments) this.#grow(open, call.function.arguments, emit);
    }
  }

  #beginCall(call: ToolCallDelta, emit: Emit): OpenBlock {
    const { index, extra_content } = call;
    if (extra_content !== undefined) this.#whole(factsBlock(extra_content, this.carried, 'call'), emit);
    return this.#start('tool_use', toolUse(call, {}), emit, index);
  }

  /** A block that does not grow. */
  #whole(block: MessageBlock, emit: Emit): void {
    this.#close(emit);
    emit(event('content_block_start', { index: this.#blocks, content_block: block }));
    emit(event('content_block_stop', { index: this.#blocks++ }));
  }

  #start(kind: Kind, content_block: MessageBlock, emit: Emit, call?: number): OpenBlock {
    this.#close(emit);
    const index = this.#blocks++;
    emit(event('content_block_start', { index, content_block }));
    const [type, member] = deltas[kind];
    const head = `content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${member}":"`;
    return (this.#open = { kind, call, head: asByteText(head), tail: asByteText('"}}') });
  }

  #grow({ head, tail }: OpenBlock, text: string, emit: Emit): void {
    emit(concatBytes(head, byteText(JSON.stringify(text).slice(1, -1)), tail));
  }

  #close(emit: Emit): void {
    if (!this.#open) return;
    this.#open = undefined;
    this.#written = '';
    emit(event('content_block_stop', { index: this.#blocks - 1 }));
    if (this.#waiting.size === 0) return;
    this.#flush(emit);
    this.#close(emit);
  }

  #finish(usage: Usage, emit: Emit): void {
    this.#close(emit);
    const facts = this.#facts.all;
    if (facts !== undefined) this.#whole(factsBlock(facts, this.carried, 'answer'), emit);
    emit(event('message_delta', { delta: messageEnd(this.#end), usage: messageUsage(usage) }));
    emit(MESSAGE_STOP);
  }
}

function event(type: string, members: object): ByteText {
  return concatBytes(asByteText(`${type}\ndata: `), byteText(JSON.stringify({ type, ...members })));
}

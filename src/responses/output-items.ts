import type { ChatLogprobs, Delta, TokenLogprob, ToolCallDelta } from '../wire/chat-completion.js';
import type { CustomToolCallDelta } from '../wire/chat-completion.js';
import type { GenerationChoice } from '../wire/generation.js';
import type { HostedItemDelta } from '../wire/hosted-tool.js';
import type { ReasoningBlock } from '../wire/reasoning-block.js';
import type {
  CustomToolCallItem,
  FunctionCallItem,
  HostedItem,
  OutputItem,
  OutputMessage,
  OutputRefusal,
  OutputText,
  ReasoningItem,
} from '../wire/response.js';
import { encryptedBlock, encryptedExtra } from './encrypted-reasoning.js';
import { idPrefixOf } from './hosted-tools.js';
import { growingInput, GrowingText, type OutputSteps } from './growing-text.js';
import type { OutputOptions } from './output-options.js';
import { citationOf, isJson, logprobOf } from './output-text.js';

const nobody: OutputSteps = { step: () => undefined, delta: () => undefined };

type CallItem = FunctionCallItem | CustomToolCallItem;

interface OpenCall {
  readonly item: CallItem;
  readonly text: GrowingText;
  /** Its arguments as the model wrote them; those of a custom tool are the JSON around its input. */
  written: string;
}

/**
 * Makes the items of an answer from the deltas of its one choice, in the order in which they come. An answer that is not
 * streamed is the case of one delta, whose steps nobody is told of.
 */
export class OutputItems {
  readonly items: OutputItem[] = [];
  #message: OutputMessage | undefined;
  /** The part at the end of the message. */
  #part: GrowingText | undefined;
  #reasoning: ReasoningItem | undefined;
  #thought: GrowingText | undefined;
  /** Of the next message. */
  #phase: OutputMessage['phase'];
  /** By their index. */
  readonly #hosted = new Map<number, HostedItem>();
  /** What the vendor wants to have back with the answer. */
  #extra: unknown;
  /** Calls that have not ended, by their index among the calls of the choice. */
  readonly #calls = new Map<number, OpenCall>();

  constructor(
    private readonly options: OutputOptions,
    private readonly steps: OutputSteps = nobody,
  ) {}

  /**
   * The open text to which deltas of this one kind add, where they do nothing else. A caller that adds some tells of
   * that itself.
   */
  growing(kind: string, { tool_calls }: Delta): GrowingText | undefined {
    switch (kind) {
      case 'content':
        return this.#message?.content.at(-1)?.type === 'output_text' ? this.#part : undefined;
      case 'reasoning_content':
        return this.#reasoning && this.#thought;
      case 'tool_calls': {
        const call = this.#calls.get(tool_calls![0]!.index);
        return call?.item.type === 'function_call' ? call.text : undefined;
      }
      default:
        return undefined;
    }
  }

  add({ delta, logprobs, finish_reason }: GenerationChoice): void {
    if (delta) this.#add(delta, this.options.logprobs ? (logprobs as ChatLogprobs | null | undefined) : undefined);
    if (!finish_reason) return;
    for (const { index, custom } of this.options.custom?.end(0) ?? []) this.#appendInput(this.#calls.get(index), custom.input);
  }

  /** Ends what is under way. An answer without anything has a message without text. */
  end(status: 'completed' | 'incomplete'): void {
    if (this.items.length === 0 && status === 'completed') this.#text('', undefined);
    this.#endReasoning(status);
    this.#endMessage(status);
    this.#endCalls(status);
    if (this.#extra !== undefined && this.options.encrypted) this.#seal(encryptedExtra(this.#extra, 'answer'));
  }

  /** Marks what has not ended, without a step: the response has failed. */
  abandon(): void {
    for (const item of this.items) if (item.status === 'in_progress') item.status = 'incomplete';
  }

  #add(delta: Delta, logprobs: ChatLogprobs | null | undefined): void {
    const { refusal, reasoning_content, thinking_blocks, hosted_items, annotations, extra_content } = delta;
    const blocks = thinking_blocks ?? [];
    // A block that is whole has its text itself.
    if (reasoning_content && !blocks.some(({ thinking }) => thinking)) this.#reason(reasoning_content);
    const { text, calls } = this.#placed(
      delta,
      hosted_items ? [...blocks, ...hosted_items].sort((one, other) => one.index - other.index) : blocks,
    );
    if (text) this.#text(text, logprobs?.content);
    if (Array.isArray(annotations)) for (const annotation of annotations as unknown[]) this.#annotate(annotation);
    if (refusal) this.#refuse(refusal);
    for (const call of calls) this.#call(call);
    if (extra_content !== undefined) this.#extra = extra_content;
  }

  /**
   * Adds blocks of reasoning and items of hosted tools at their places: those of an answer that is not streamed tell
   * what comes before them.
   * @returns what is left of the delta's text and calls
   */
  #placed(
    { content, tool_calls }: Delta,
    blocks: readonly (ReasoningBlock | HostedItemDelta)[],
  ): { text: string; calls: readonly ToolCallDelta[] } {
    let text = content ?? '';
    let calls = tool_calls ?? [];
    let [before, called] = [0, 0];
    for (const block of blocks) {
      const { after = { content: 0, tool_calls: 0 } } = block;
      if (text && after.content > before) {
        this.#text(text.slice(0, after.content - before), undefined);
        text = text.slice(after.content - before);
        before = after.content;
      }
      for (const call of calls.slice(0, Math.max(0, after.tool_calls - called))) this.#call(call);
      calls = calls.slice(Math.max(0, after.tool_calls - called));
      called = Math.max(called, after.tool_calls);
      if ('step' in block) this.#host(block);
      else this.#think(block);
    }
    return { text, calls };
  }

  #begin<Item extends OutputItem>(item: Item): Item {
    this.items.push(item);
    this.steps.step('response.output_item.added', { output_index: this.items.length - 1, item });
    return item;
  }

  #end(item: OutputItem, status: 'completed' | 'incomplete'): void {
    item.status = status;
    this.steps.step('response.output_item.done', { output_index: this.items.indexOf(item), item });
  }

  #id(prefix: string): string {
    return `${prefix}_${this.options.requestId}_${this.items.length}`;
  }

  #placeOf(message: OutputMessage): { item_id: string; output_index: number; content_index: number } {
    return { item_id: message.id, output_index: this.items.indexOf(message), content_index: message.content.length - 1 };
  }

  /** A message with a phase is one of its own; what else is told so are items of hosted tools. */
  #host({ index, step, item }: HostedItemDelta): void {
    const open = this.#hosted.get(index);
    if (open) {
      const place = { output_index: this.items.indexOf(open), item_id: open.id };
      if (item) Object.assign(open, item);
      if (step === 'done') this.steps.step('response.output_item.done', { output_index: place.output_index, item: open });
      else this.steps.step(step, place);
    } else if (item) {
      this.#endReasoning('completed');
      this.#endMessage('completed');
      this.#endCompleteCalls();
      if (item.type === 'message') this.#phase = item['phase'] as OutputMessage['phase'];
      else this.#hosted.set(index, this.#begin({ ...item, id: this.#id(idPrefixOf(item.type)) } as HostedItem));
    }
  }

  /** A block ends the item that has its text. */
  #think(block: ReasoningBlock): void {
    if (block.thinking && !this.#reasoning) this.#reason(block.thinking);
    const encrypted = encryptedBlock(block);
    if (encrypted !== undefined) this.#seal(encrypted);
  }

  /** Ends the reasoning that is under way with what a later request needs to go on with it. */
  #seal(encrypted: string): void {
    if (!this.#reasoning && !this.options.encrypted) return;
    const item = (this.#reasoning ??= this.#beginReasoning());
    if (this.options.encrypted) item.encrypted_content = encrypted;
    this.#endReasoning('completed');
  }

  #beginReasoning(): ReasoningItem {
    this.#endMessage('completed');
    this.#endCompleteCalls();
    return this.#begin<ReasoningItem>({ id: this.#id('rs'), type: 'reasoning', status: 'in_progress', summary: [] });
  }

  #reason(delta: string): void {
    const item = (this.#reasoning ??= this.#beginReasoning());
    this.#grow((this.#thought ??= this.#beginThought(item)), delta);
  }

  #beginThought(item: ReasoningItem): GrowingText {
    const place = { item_id: item.id, output_index: this.items.indexOf(item) };
    if (this.options.summary) {
      const part = { type: 'summary_text' as const, text: '' };
      item.summary.push(part);
      this.steps.step('response.reasoning_summary_part.added', { ...place, summary_index: 0, part });
      return new GrowingText('response.reasoning_summary_text.delta', { ...place, summary_index: 0 }, (delta) => (part.text += delta));
    }
    const part = { type: 'reasoning_text' as const, text: '' };
    item.content = [part];
    this.steps.step('response.content_part.added', { ...place, content_index: 0, part });
    return new GrowingText('response.reasoning_text.delta', { ...place, content_index: 0 }, (delta) => (part.text += delta));
  }

  #grow(text: GrowingText, delta: string): void {
    text.add(delta);
    this.steps.delta(text, delta);
  }

  #endReasoning(status: 'completed' | 'incomplete'): void {
    const item = this.#reasoning;
    if (!item) return;
    this.#reasoning = this.#thought = undefined;
    const place = { item_id: item.id, output_index: this.items.indexOf(item) };
    for (const part of item.summary) {
      this.steps.step('response.reasoning_summary_text.done', { ...place, summary_index: 0, text: part.text });
      this.steps.step('response.reasoning_summary_part.done', { ...place, summary_index: 0, part });
    }
    for (const part of item.content ?? []) {
      this.steps.step('response.reasoning_text.done', { ...place, content_index: 0, text: part.text });
      this.steps.step('response.content_part.done', { ...place, content_index: 0, part });
    }
    this.#end(item, status);
  }

  #text(delta: string, tokens: readonly TokenLogprob[] | null | undefined): void {
    this.#openPart('output_text');
    const part = this.#part!;
    if (!tokens?.length) {
      if (delta) this.#grow(part, delta);
      return;
    }
    part.add(delta);
    const logprobs = tokens.map((token) => logprobOf(token));
    (this.#message!.content.at(-1) as OutputText).logprobs.push(...logprobs);
    if (delta) this.steps.step(part.type, { ...part.place, delta, logprobs });
  }

  #refuse(delta: string): void {
    this.#openPart('refusal');
    this.#grow(this.#part!, delta);
  }

  #annotate(annotation: unknown): void {
    const cited = citationOf(annotation);
    const part = this.#message?.content.at(-1);
    if (!cited || part?.type !== 'output_text') return;
    part.annotations.push(cited);
    const members = { annotation_index: part.annotations.length - 1, annotation: cited };
    this.steps.step('response.output_text.annotation.added', { ...this.#placeOf(this.#message!), ...members });
  }

  /** Has a part of this type at the end of the message; a new one where the end is another. */
  #openPart(type: 'output_text' | 'refusal'): void {
    const message = this.#openMessage();
    const open = message.content.at(-1);
    if (open?.type === type) return;
    if (open) this.#endPart(message);
    const part: OutputText | OutputRefusal = type === 'refusal' ? { type, refusal: '' } : { type, text: '', annotations: [], logprobs: [] };
    message.content.push(part);
    const place = this.#placeOf(message);
    this.steps.step('response.content_part.added', { ...place, part });
    this.#part =
      part.type === 'refusal'
        ? new GrowingText('response.refusal.delta', place, (delta) => (part.refusal += delta))
        : new GrowingText('response.output_text.delta', { ...place, logprobs: [] }, (delta) => (part.text += delta));
  }

  #openMessage(): OutputMessage {
    if (this.#message) return this.#message;
    this.#endReasoning('completed');
    this.#endCompleteCalls();
    const message: OutputMessage = { id: this.#id('msg'), type: 'message', status: 'in_progress', role: 'assistant', content: [] };
    if (this.#phase) message.phase = this.#phase;
    this.#phase = undefined;
    return (this.#message = this.#begin(message));
  }

  #endPart(message: OutputMessage): void {
    const part = message.content.at(-1)!;
    const place = this.#placeOf(message);
    if (part.type === 'output_text') this.steps.step('response.output_text.done', { ...place, text: part.text, logprobs: part.logprobs });
    else this.steps.step('response.refusal.done', { ...place, refusal: part.refusal });
    this.steps.step('response.content_part.done', { ...place, part });
  }

  #endMessage(status: 'completed' | 'incomplete'): void {
    const message = this.#message;
    if (!message) return;
    this.#endPart(message);
    this.#message = undefined;
    this.#end(message, status);
  }

  #call(delta: ToolCallDelta): void {
    const custom = this.options.custom?.read(0, delta);
    const call = this.#calls.get(delta.index) ?? this.#beginCall(delta, custom);
    const text = delta.function?.arguments ?? '';
    if (call.item.type === 'custom_tool_call') {
      call.written += text;
      this.#appendInput(call, custom?.custom.input ?? '');
    } else if (text) this.#grow(call.text, text);
  }

  #appendInput(call: OpenCall | undefined, text: string): void {
    if (call?.item.type === 'custom_tool_call' && text) this.#grow(call.text, text);
  }

  #beginCall({ index, id, function: called, extra_content }: ToolCallDelta, custom: CustomToolCallDelta | undefined): OpenCall {
    if (extra_content !== undefined && this.options.encrypted) this.#seal(encryptedExtra(extra_content, 'call'));
    this.#endReasoning('completed');
    this.#endMessage('completed');
    this.#endCompleteCalls();
    const call = { status: 'in_progress', call_id: id || this.#id('call'), ...this.#named(called?.name ?? '') } as const;
    const item = this.#begin<CallItem>(
      custom
        ? { id: this.#id('ctc'), type: 'custom_tool_call', ...call, input: '' }
        : { id: this.#id('fc'), type: 'function_call', ...call, arguments: '' },
    );
    const begun: OpenCall = { item, text: growingInput(item, this.#placeOfCall(item), (text) => (begun.written += text)), written: '' };
    this.#calls.set(index, begun);
    return begun;
  }

  #named(name: string): { readonly name: string; readonly namespace?: string } {
    return this.options.names.get(name) ?? { name };
  }

  #placeOfCall(item: CallItem): { item_id: string; output_index: number } {
    return { item_id: item.id, output_index: this.items.indexOf(item) };
  }

  /** Providers that mix the deltas of several calls end them with the answer. */
  #endCompleteCalls(): void {
    for (const [index, { item, written }] of this.#calls) if (isJson(written)) this.#endCall(index, item, 'completed');
  }

  #endCalls(status: 'completed' | 'incomplete'): void {
    for (const [index, { item }] of this.#calls) this.#endCall(index, item, status);
  }

  #endCall(index: number, item: CallItem, status: 'completed' | 'incomplete'): void {
    this.#calls.delete(index);
    const place = this.#placeOfCall(item);
    if (item.type === 'custom_tool_call') this.steps.step('response.custom_tool_call_input.done', { ...place, input: item.input });
    else this.steps.step('response.function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments });
    this.#end(item, status);
  }
}

import type { ChatLogprobs, Delta, TokenLogprob, ToolCallDelta } from '../wire/chat-completion.js';
import type { CustomToolCallDelta } from '../wire/custom-tool.js';
import type { GenerationChoice } from '../wire/generation.js';
import { isObject } from '../wire/json-object.js';
import type { ReasoningBlock } from '../wire/reasoning-block.js';
import type {
  CustomToolCallItem,
  FunctionCallItem,
  OutputItem,
  OutputMessage,
  OutputRefusal,
  OutputText,
  ReasoningItem,
  ResponseLogprob,
  UrlCitation,
} from '../wire/response.js';
import type { CustomCalls } from '../inference/chunks/custom-calls.js';
import { encryptedBlock, encryptedExtra } from './encrypted-reasoning.js';

/** Is told of each step of the output, with the members of its event beside type and number. */
export type OnStep = (type: string, members: Readonly<Record<string, unknown>>) => void;

export interface OutputOptions {
  /** Ends the ids of the items. */
  readonly requestId: string;
  /** Where reasoning is shown as the summary that was asked for, and not as its text. */
  readonly summary: boolean;
  /** Whether reasoning items have what a later request needs to go on with them. */
  readonly encrypted: boolean;
  readonly logprobs: boolean;
  /** The names of tools of namespaces, by their one name. */
  readonly names: ReadonlyMap<string, { readonly name: string; readonly namespace: string }>;
  /** Translates calls of the functions that stand for custom tools. */
  readonly custom: CustomCalls | undefined;
}

type CallItem = FunctionCallItem | CustomToolCallItem;

interface OpenCall {
  readonly item: CallItem;
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
  #reasoning: ReasoningItem | undefined;
  /** What the vendor wants to have back with the answer. */
  #extra: unknown;
  /** Calls that have not ended, by their index among the calls of the choice. */
  readonly #calls = new Map<number, OpenCall>();

  constructor(
    private readonly options: OutputOptions,
    private readonly onStep: OnStep = () => undefined,
  ) {}

  /** The part to which text is being added; a caller that adds some tells of that step itself. */
  get openText(): OutputText | undefined {
    const part = this.#message?.content.at(-1);
    return part?.type === 'output_text' ? part : undefined;
  }

  /** Where `openText` is. */
  get textPlace(): { readonly item_id: string; readonly output_index: number; readonly content_index: number } {
    return this.#placeOf(this.#message!);
  }

  add({ delta, logprobs, finish_reason }: GenerationChoice): void {
    if (delta) this.#add(delta, this.options.logprobs ? (logprobs as ChatLogprobs | null | undefined) : undefined);
    if (!finish_reason) return;
    for (const { index, custom } of this.options.custom?.end(0) ?? []) this.#appendInput(this.#calls.get(index)?.item, custom.input);
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
    const { refusal, reasoning_content, thinking_blocks, annotations, extra_content } = delta;
    const blocks = thinking_blocks ?? [];
    // A block that is whole has its text itself.
    if (reasoning_content && !blocks.some(({ thinking }) => thinking)) this.#reason(reasoning_content);
    const { text, calls } = this.#blocks(delta, blocks);
    if (text) this.#text(text, logprobs?.content);
    if (Array.isArray(annotations)) for (const annotation of annotations as unknown[]) this.#annotate(annotation);
    if (refusal) this.#refuse(refusal);
    for (const call of calls) this.#call(call);
    if (extra_content !== undefined) this.#extra = extra_content;
  }

  /**
   * Adds blocks of reasoning at their places: those of an answer that is not streamed tell what comes before them.
   * @returns what is left of the delta's text and calls
   */
  #blocks({ content, tool_calls }: Delta, blocks: readonly ReasoningBlock[]): { text: string; calls: readonly ToolCallDelta[] } {
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
      this.#think(block);
    }
    return { text, calls };
  }

  #begin<Item extends OutputItem>(item: Item): Item {
    this.items.push(item);
    this.onStep('response.output_item.added', { output_index: this.items.length - 1, item });
    return item;
  }

  #end(item: OutputItem, status: 'completed' | 'incomplete'): void {
    item.status = status;
    this.onStep('response.output_item.done', { output_index: this.items.indexOf(item), item });
  }

  #id(prefix: string): string {
    return `${prefix}_${this.options.requestId}_${this.items.length}`;
  }

  #placeOf(message: OutputMessage): { item_id: string; output_index: number; content_index: number } {
    return { item_id: message.id, output_index: this.items.indexOf(message), content_index: message.content.length - 1 };
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
    const place = { item_id: item.id, output_index: this.items.indexOf(item) };
    if (this.options.summary) {
      if (item.summary.length === 0) {
        item.summary.push({ type: 'summary_text', text: '' });
        this.onStep('response.reasoning_summary_part.added', { ...place, summary_index: 0, part: item.summary[0] });
      }
      item.summary[0]!.text += delta;
      this.onStep('response.reasoning_summary_text.delta', { ...place, summary_index: 0, delta });
    } else {
      if (!item.content) {
        item.content = [{ type: 'reasoning_text', text: '' }];
        this.onStep('response.content_part.added', { ...place, content_index: 0, part: item.content[0] });
      }
      item.content[0]!.text += delta;
      this.onStep('response.reasoning_text.delta', { ...place, content_index: 0, delta });
    }
  }

  #endReasoning(status: 'completed' | 'incomplete'): void {
    const item = this.#reasoning;
    if (!item) return;
    this.#reasoning = undefined;
    const place = { item_id: item.id, output_index: this.items.indexOf(item) };
    for (const part of item.summary) {
      this.onStep('response.reasoning_summary_text.done', { ...place, summary_index: 0, text: part.text });
      this.onStep('response.reasoning_summary_part.done', { ...place, summary_index: 0, part });
    }
    for (const part of item.content ?? []) {
      this.onStep('response.reasoning_text.done', { ...place, content_index: 0, text: part.text });
      this.onStep('response.content_part.done', { ...place, content_index: 0, part });
    }
    this.#end(item, status);
  }

  #text(delta: string, tokens: readonly TokenLogprob[] | null | undefined): void {
    const part = this.#part('output_text', () => ({ type: 'output_text', text: '', annotations: [], logprobs: [] }));
    part.text += delta;
    const logprobs = tokens?.map((token) => logprobOf(token)) ?? [];
    part.logprobs.push(...logprobs);
    if (delta) this.onStep('response.output_text.delta', { ...this.#placeOf(this.#message!), delta, logprobs });
  }

  #refuse(delta: string): void {
    const part = this.#part('refusal', () => ({ type: 'refusal', refusal: '' }));
    part.refusal += delta;
    this.onStep('response.refusal.delta', { ...this.#placeOf(this.#message!), delta });
  }

  #annotate(annotation: unknown): void {
    const cited = citationOf(annotation);
    const part = this.#message?.content.at(-1);
    if (!cited || part?.type !== 'output_text') return;
    part.annotations.push(cited);
    const members = { annotation_index: part.annotations.length - 1, annotation: cited };
    this.onStep('response.output_text.annotation.added', { ...this.#placeOf(this.#message!), ...members });
  }

  /** The part of this type at the end of the message; a new one where the end is another. */
  #part<Type extends 'output_text' | 'refusal'>(
    type: Type,
    make: () => Extract<OutputText | OutputRefusal, { type: Type }>,
  ): Extract<OutputText | OutputRefusal, { type: Type }> {
    const message = this.#openMessage();
    const open = message.content.at(-1);
    if (open?.type === type) return open as Extract<OutputText | OutputRefusal, { type: Type }>;
    if (open) this.#endPart(message);
    const part = make();
    message.content.push(part);
    this.onStep('response.content_part.added', { ...this.#placeOf(message), part });
    return part;
  }

  #openMessage(): OutputMessage {
    if (this.#message) return this.#message;
    this.#endReasoning('completed');
    this.#endCompleteCalls();
    this.#message = this.#begin({ id: this.#id('msg'), type: 'message', status: 'in_progress', role: 'assistant', content: [] });
    return this.#message;
  }

  #endPart(message: OutputMessage): void {
    const part = message.content.at(-1)!;
    const place = this.#placeOf(message);
    if (part.type === 'output_text') this.onStep('response.output_text.done', { ...place, text: part.text, logprobs: part.logprobs });
    else this.onStep('response.refusal.done', { ...place, refusal: part.refusal });
    this.onStep('response.content_part.done', { ...place, part });
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
    const { item } = call;
    const text = delta.function?.arguments ?? '';
    call.written += text;
    if (item.type === 'custom_tool_call') this.#appendInput(item, custom?.custom.input ?? '');
    else if (text) {
      item.arguments += text;
      this.onStep('response.function_call_arguments.delta', { ...this.#placeOfCall(item), delta: text });
    }
  }

  #appendInput(item: CallItem | undefined, text: string): void {
    if (item?.type !== 'custom_tool_call' || !text) return;
    item.input += text;
    this.onStep('response.custom_tool_call_input.delta', { ...this.#placeOfCall(item), delta: text });
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
    const begun = { item, written: '' };
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
    if (item.type === 'custom_tool_call') this.onStep('response.custom_tool_call_input.done', { ...place, input: item.input });
    else this.onStep('response.function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments });
    this.#end(item, status);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function logprobOf({ token, logprob, bytes, top_logprobs }: TokenLogprob): ResponseLogprob {
  const top = top_logprobs.map((one) => ({ token: one.token, logprob: one.logprob, bytes: one.bytes ?? [] }));
  return { token, logprob, bytes: bytes ?? [], top_logprobs: top };
}

/** A source as chat completions name it. */
function citationOf(annotation: unknown): UrlCitation | undefined {
  const cited = isObject(annotation) && annotation['type'] === 'url_citation' ? annotation['url_citation'] : undefined;
  if (!isObject(cited) || typeof cited['url'] !== 'string') return undefined;
  const { url, title, start_index, end_index } = cited;
  return {
    type: 'url_citation',
    start_index: Number.isSafeInteger(start_index) ? (start_index as number) : 0,
    end_index: Number.isSafeInteger(end_index) ? (end_index as number) : 0,
    title: typeof title === 'string' ? title : '',
    url,
  };
}

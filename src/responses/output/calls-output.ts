import type { CustomToolCallDelta, ToolCallDelta } from '../../wire/chat-completion.js';
import { isJson } from '../../wire/json-object.js';
import type { CustomToolCallItem, FunctionCallItem, HostedItem } from '../../wire/response.js';
import { TOOL_SEARCH } from '../foreign-items.js';
import { GrowingText } from './growing-text.js';
import type { OutputList } from './output-list.js';
import type { OutputOptions } from './output-options.js';

type CallItem = FunctionCallItem | CustomToolCallItem | SearchItem;

/** A search that the client makes; no event tells of its arguments. */
interface SearchItem extends HostedItem {
  type: 'tool_search_call';
  arguments: unknown;
}

interface OpenCall {
  readonly item: CallItem;
  /** Absent where no event tells of what is added. */
  readonly text?: GrowingText;
  /** What the model wrote of a custom tool or a search: the JSON around its input. */
  written: string;
  /** Another call has begun before it was complete: its deltas may still come, until the answer ends. */
  mixed: boolean;
}

/** The items of the calls that are under way. */
export class CallsOutput {
  /** By their index among the calls of the choice. */
  readonly #open = new Map<number, OpenCall>();

  constructor(
    private readonly list: OutputList,
    private readonly options: Pick<OutputOptions, 'names' | 'custom' | 'searches'>,
  ) {}

  isOpen({ index }: ToolCallDelta): boolean {
    return this.#open.has(index);
  }

  /** The arguments of a function to which the delta of a call adds. */
  growing({ index }: ToolCallDelta): GrowingText | undefined {
    const call = this.#open.get(index);
    return call?.item.type === 'function_call' ? call.text : undefined;
  }

  /** The first delta of a call begins its item. */
  add(delta: ToolCallDelta): void {
    const custom = this.options.custom?.read(0, delta);
    const call = this.#open.get(delta.index) ?? this.#begin(delta, custom);
    const text = delta.function?.arguments ?? '';
    if (call.item.type === 'function_call') this.#grow(call, text);
    else {
      call.written += text;
      this.#appendInput(call, custom?.custom.input ?? '');
    }
  }

  /** No delta comes any more: what is left of the inputs of custom tools. */
  finish(): void {
    for (const { index, custom } of this.options.custom?.end(0) ?? []) this.#appendInput(this.#open.get(index), custom.input);
  }

  /** Something else begins. A call that is not complete then ends with the answer. */
  endComplete(): void {
    for (const [index, call] of this.#open) {
      if (call.mixed) continue;
      if (isJson(call.item.type === 'function_call' ? call.item.arguments : call.written)) this.#end(index, call, 'completed');
      else call.mixed = true;
    }
  }

  end(status: 'completed' | 'incomplete'): void {
    for (const [index, call] of this.#open) this.#end(index, call, status);
  }

  #begin({ index, id, function: called }: ToolCallDelta, custom: CustomToolCallDelta | undefined): OpenCall {
    const name = called?.name ?? '';
    const call = { status: 'in_progress', call_id: id || this.list.nextId('call'), ...(this.options.names.get(name) ?? { name }) } as const;
    const item = this.list.begin<CallItem>(this.#itemOf(call, custom !== undefined));
    const begun: OpenCall = { item, text: this.#inputOf(item), written: '', mixed: false };
    this.#open.set(index, begun);
    return begun;
  }

  #itemOf(call: Pick<FunctionCallItem, 'status' | 'call_id' | 'name'>, isCustom: boolean): CallItem {
    if (isCustom) return { id: this.list.nextId('ctc'), type: 'custom_tool_call', ...call, input: '' };
    if (!this.options.searches || call.name !== TOOL_SEARCH)
      return { id: this.list.nextId('fc'), type: 'function_call', ...call, arguments: '' };
    const { status, call_id } = call;
    return { id: this.list.nextId('tsc'), type: 'tool_search_call', status, call_id, execution: 'client', arguments: {} };
  }

  #inputOf(item: CallItem): GrowingText | undefined {
    if (item.type === 'tool_search_call') return undefined;
    const place = this.list.placeOf(item);
    if (item.type === 'custom_tool_call')
      return new GrowingText('response.custom_tool_call_input.delta', place, (delta) => (item.input += delta));
    return new GrowingText('response.function_call_arguments.delta', place, (delta) => (item.arguments += delta));
  }

  #appendInput(call: OpenCall | undefined, text: string): void {
    if (call?.item.type === 'custom_tool_call') this.#grow(call, text);
  }

  #grow(call: OpenCall, text: string): void {
    if (call.text && text) this.list.grow(call.text, text);
  }

  #end(index: number, { item, written }: OpenCall, status: 'completed' | 'incomplete'): void {
    this.#open.delete(index);
    const place = this.list.placeOf(item);
    if (item.type === 'custom_tool_call') this.list.step('response.custom_tool_call_input.done', { ...place, input: item.input });
    else if (item.type === 'tool_search_call') item.arguments = isJson(written) ? JSON.parse(written) : written;
    else this.list.step('response.function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments });
    this.list.end(item, status);
  }
}

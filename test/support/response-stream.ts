import type { Responses } from 'openai/resources/responses/responses';
import { blocksOf } from './event-stream.js';

type Event = Responses.ResponseStreamEvent;
type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** The events of a stream. @throws Error for anything but `event:` and `data:` lines between blank lines */
export function responseEventsOf(text: string): Event[] {
  return blocksOf(text).map((block) => {
    const [, name, data] = /^event: ([\w.]+)\ndata: (\{[^\n]*\})$/.exec(block) ?? [];
    if (data === undefined) throw new Error(`not an event: ${JSON.stringify(block)}`);
    const event = JSON.parse(data) as Event;
    if (event.type !== name) throw new Error(`the event ${name} has the type ${event.type}`);
    return event;
  });
}

type OfPart = { output_index: number; item_id: string } & ({ content_index: number } | { summary_index: number });

interface OpenItem {
  readonly item: Responses.ResponseOutputItem;
  /** The parts by their kind, of which one is open at a time. */
  readonly parts: { readonly kind: 'content' | 'summary'; text: string; step: 'open' | 'text-done' | 'done' }[];
  /** Arguments or input. */
  input: string;
  inputDone: boolean;
}

/**
 * Follows the events of one response by the rules of the official types: each item is added, filled and done, each text
 * has its twin with the whole, the numbers count, and what the last event has is what was streamed.
 */
export class ResponseStreamMachine {
  #number = 0;
  readonly #items = new Map<number, OpenItem>();
  readonly #done: Responses.ResponseOutputItem[] = [];
  #added = 0;
  #end: Responses.Response | undefined;

  /** @returns the response of the last event */
  static run(text: string): Responses.Response {
    const machine = new ResponseStreamMachine();
    for (const event of responseEventsOf(text)) machine.see(event);
    if (!machine.#end) throw new Error('the stream has no last event');
    return machine.#end;
  }

  see(event: Event): void {
    if (this.#end) throw new Error(`${event.type} comes behind the end`);
    expect([event.type, event.sequence_number]).toEqual([event.type, this.#number++]);
    switch (event.type) {
      case 'response.created':
      case 'response.in_progress':
        expect(this.#number).toBe(event.type === 'response.created' ? 1 : 2);
        expect(event.response).toMatchObject({ status: 'in_progress', output: [], usage: null, error: null });
        return;
      case 'response.output_item.added':
        return this.#add(event);
      case 'response.output_item.done':
        return this.#finish(event);
      case 'response.content_part.added':
      case 'response.reasoning_summary_part.added':
        return this.#addPart(event);
      case 'response.output_text.delta':
      case 'response.refusal.delta':
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        expect(event.delta).not.toBe('');
        this.#part(event).text += event.delta;
        return;
      case 'response.output_text.done':
      case 'response.reasoning_text.done':
      case 'response.reasoning_summary_text.done':
        return this.#endText(event, event.text);
      case 'response.refusal.done':
        return this.#endText(event, event.refusal);
      case 'response.content_part.done':
      case 'response.reasoning_summary_part.done':
        return this.#endPart(event);
      case 'response.output_text.annotation.added':
        this.#part(event);
        return;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        expect(this.#call(event).inputDone).toBe(false);
        this.#call(event).input += event.delta;
        return;
      case 'response.function_call_arguments.done':
        return this.#endInput(event, event.arguments);
      case 'response.custom_tool_call_input.done':
        return this.#endInput(event, event.input);
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.#close(event);
      default: {
        const [, hosted] = /^response\.(\w+_call)\.\w+$/.exec(event.type) ?? [];
        if (!hosted) throw new Error(`no event of ours: ${event.type}`);
        expect(this.#item(event as { output_index: number; item_id: string }).item.type).toBe(hosted);
      }
    }
  }

  #add({ output_index, item }: Of<'response.output_item.added'>): void {
    expect(this.#number).toBeGreaterThan(2);
    expect(output_index).toBe(this.#added++);
    expect(item.id).toMatch(/^(msg|rs|fc|ctc|tsc|tso|ws|ig|ci|mcp)_/);
    if (!isHosted(item)) expect(item).toMatchObject({ status: 'in_progress' });
    this.#items.set(output_index, { item, parts: [], input: '', inputDone: false });
  }

  #item({ output_index, item_id }: { output_index: number; item_id: string }): OpenItem {
    const open = this.#items.get(output_index);
    expect(open?.item.id).toBe(item_id);
    return open!;
  }

  #addPart(event: Of<'response.content_part.added'> | Of<'response.reasoning_summary_part.added'>): void {
    const { item, parts } = this.#item(event);
    const kind = 'summary_index' in event ? 'summary' : 'content';
    expect(item.type).toBe(event.part.type === 'output_text' || event.part.type === 'refusal' ? 'message' : 'reasoning');
    expect('summary_index' in event ? event.summary_index : event.content_index).toBe(parts.length);
    expect(parts.every(({ step }) => step === 'done')).toBe(true);
    expect('refusal' in event.part ? event.part.refusal : event.part.text).toBe('');
    parts.push({ kind, text: '', step: 'open' });
  }

  #part(event: OfPart): OpenItem['parts'][number] {
    const part = this.#item(event).parts['summary_index' in event ? event.summary_index : event.content_index]!;
    expect(part).toMatchObject({ step: 'open', kind: 'summary_index' in event ? 'summary' : 'content' });
    return part;
  }

  #endText(event: OfPart, text: string): void {
    const part = this.#part(event);
    expect(text).toBe(part.text);
    part.step = 'text-done';
  }

  #endPart(event: Of<'response.content_part.done'> | Of<'response.reasoning_summary_part.done'>): void {
    const part = this.#item(event).parts['summary_index' in event ? event.summary_index : event.content_index]!;
    expect(part.step).toBe('text-done');
    expect('refusal' in event.part ? event.part.refusal : event.part.text).toBe(part.text);
    part.step = 'done';
  }

  #call(event: { output_index: number; item_id: string }): OpenItem {
    const open = this.#item(event);
    expect(open.item.type).toMatch(/^(function|custom_tool)_call$/);
    return open;
  }

  #endInput(event: { output_index: number; item_id: string }, input: string): void {
    const open = this.#call(event);
    expect(input).toBe(open.input);
    open.inputDone = true;
  }

  #finish({ output_index, item }: Of<'response.output_item.done'>): void {
    const open = this.#item({ output_index, item_id: item.id! });
    expect(open.parts.every(({ step }) => step === 'done')).toBe(true);
    if (!isHosted(item)) expect('status' in item && item.status).toMatch(/^(completed|incomplete)$/);
    expect(textsOf(item)).toEqual(
      item.type === 'function_call' || item.type === 'custom_tool_call' ? [open.input] : open.parts.map(({ text }) => text),
    );
    expect(open.inputDone).toBe(item.type === 'function_call' || item.type === 'custom_tool_call');
    this.#items.delete(output_index);
    this.#done[output_index] = item;
  }

  #close({ type, response }: Of<'response.completed'> | Of<'response.incomplete'> | Of<'response.failed'>): void {
    expect(`response.${response.status}`).toBe(type);
    this.#end = response;
    if (type === 'response.failed') return expect(response).toMatchObject({ error: { code: expect.any(String) as unknown }, usage: null });
    expect(this.#items.size).toBe(0);
    expect(response.output).toEqual(this.#done);
    expect(response.error).toBeNull();
    expect(response.incomplete_details === null).toBe(type === 'response.completed');
    expect(response.usage).toMatchObject({ total_tokens: expect.any(Number) as unknown });
  }
}

/** The status of an item that the vendor runs is the vendor's own word. */
function isHosted({ type }: Responses.ResponseOutputItem): boolean {
  return !['message', 'reasoning', 'function_call', 'custom_tool_call'].includes(type);
}

function textsOf(item: Responses.ResponseOutputItem): string[] {
  switch (item.type) {
    case 'message':
      return item.content.map((part) => (part.type === 'refusal' ? part.refusal : part.text));
    case 'reasoning':
      return [...item.summary, ...(item.content ?? [])].map(({ text }) => text);
    case 'function_call':
      return [item.arguments];
    case 'custom_tool_call':
      return [item.input];
    case 'web_search_call':
    case 'image_generation_call':
    case 'code_interpreter_call':
    case 'mcp_call':
    case 'tool_search_call':
    case 'tool_search_output':
      return [];
    default:
      throw new Error(`no item of ours: ${item.type}`);
  }
}

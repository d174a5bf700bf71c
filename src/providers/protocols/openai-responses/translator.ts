import type { Delta, FinishReason } from '../../../wire/chat-completion.js';
import { INPUT } from '../../../wire/custom-tool.js';
import type { GenerationChoice, GenerationChunk } from '../../../wire/generation.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import type { AnswerPosition, HostedItemDelta, SaidLengths } from '../../../wire/hosted-tool.js';
import type { Usage } from '../../../wire/usage.js';
import { requireWithin } from '../../translation/answer-limits.js';
import { ProviderError } from '../../contract/provider-error.js';
import { chatLogprobsFrom } from '../chat-completions/logprobs.js';
import { callId } from '../call-id.js';
import { isText } from '../is-text.js';
import { failureOf } from './error.js';
import { HostedCount, isHosted, withoutIds } from './hosted-items.js';
import { annotationsOf, argumentsOf, literalOf, type Part, partsIn } from './parts.js';
import { usageFrom } from './usage.js';
import type { Response, ResponseEvent, ResponseItem } from './wire.js';

/** Alternatives of a token, as many as may be asked for. */
const MAX_ALTERNATIVES = 20;

/** An empty chunk that says that the provider is alive. */
const alive: GenerationChunk = { choices: [] };

type OpenItem =
  | PlacedItem
  /** `told`: whether some of its input has come. */
  | { readonly kind: 'function' | 'custom'; readonly call: number; told: boolean };

/** An item that the answer has as one of its own. Where it begins is told with its first output, or its end. */
interface PlacedItem {
  readonly kind: 'message' | 'reasoning' | 'hosted';
  readonly item: JsonObject & { type: string };
  /** Set when its beginning has been told. */
  index?: number;
  /** That of its text or summary which was told last. */
  part?: string;
}

/**
 * Translates one response to the wire format: the events of a stream one by one, or all of its items. Items and events
 * of unknown kinds bring nothing. Finish reason and usage are held back until the end. The vendor's ids go no further,
 * but for those of calls, by which results name their calls.
 */
export class ResponsesTranslator {
  readonly #open = new Map<unknown, OpenItem>();
  /** The place of the item that began last. */
  #latest: unknown;
  #begun = false;
  #items = 0;
  #calls = 0;
  #placed = 0;
  readonly #said: SaidLengths = { content: 0, reasoning_content: 0, refusal: 0, annotations: 0 };
  readonly #hosted: HostedCount | undefined;
  #end: { readonly reason: FinishReason; readonly usage: Usage | undefined } | undefined;

  /** @param hosts whether the request has hosted tools, whose calls are counted */
  constructor(
    private readonly secrets: readonly string[],
    hosts: boolean,
  ) {
    this.#hosted = hosts ? new HostedCount() : undefined;
  }

  /** True once the vendor has said that nothing more comes. */
  get ended(): boolean {
    return this.#end !== undefined;
  }

  /**
   * @returns undefined for an event that brings no output
   * @throws ProviderError
   */
  event(event: ResponseEvent & JsonObject): GenerationChunk | undefined {
    // Some servers leave the place out of the events of a text.
    const { type, output_index: index = this.#latest, delta, item } = event;
    const open = this.#open.get(index);
    switch (type) {
      case 'response.output_text.delta':
        return this.#chunk(this.#within(open, textOf(delta, event.logprobs), partOf(event)));
      case 'response.refusal.delta':
        return this.#chunk(this.#within(open, isText(delta) ? { refusal: delta } : undefined, partOf(event)));
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#chunk(this.#reason(open, delta, partOf(event)));
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#chunk(this.#input(open, delta));
      case 'response.output_text.annotation.added':
        return this.#chunk(annotationsOf([event.annotation]));
      case 'response.output_item.added':
        return this.#chunk(isObject(item) ? this.#start(index, item) : undefined);
      case 'response.output_item.done':
        return this.#chunk(isObject(item) ? this.#stop(index, item) : undefined);
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        this.#finish(event.response ?? {});
        return undefined;
      case 'error':
        throw failureOf(event, this.secrets);
      default:
        if (!type && event['error'] != null) throw failureOf(event, this.secrets);
        return this.#chunk(this.#step(open, type)) ?? (this.#begun ? alive : undefined);
    }
  }

  /** The stream has ended. @throws ProviderError bad_response where the response has not */
  *end(): Generator<GenerationChunk, void> {
    if (!this.#end) throw new ProviderError('bad_response', 'The provider ended its stream in the middle of an answer');
    if (!this.#begun) yield this.#chunk({})!;
    const { usage } = this.#end;
    yield { choices: [{ index: 0, delta: {}, finish_reason: this.#end.reason }], ...(usage && { usage }) };
  }

  /** Translates a response that is not streamed, delta by delta. @throws ProviderError */
  *whole(response: Response & JsonObject): Generator<GenerationChunk, void> {
    const { output } = response;
    if (!Array.isArray(output)) throw new ProviderError('bad_response', 'The provider answered without output');
    if (response.status === 'queued' || response.status === 'in_progress')
      throw new ProviderError('bad_response', 'The provider answered before its response had ended');
    for (const [index, item] of (output as unknown[]).entries()) {
      if (!isObject(item)) continue;
      for (const part of this.#wholeItem(index, item)) {
        const chunk = this.#chunk(part);
        if (chunk) yield chunk;
      }
    }
    this.#finish(response);
    yield* this.end();
  }

  *#wholeItem(index: number, item: ResponseItem & JsonObject): Generator<Part | undefined, void> {
    yield this.#start(index, item);
    const open = this.#open.get(index);
    if (open?.kind === 'message') {
      for (const [at, part] of partsIn(item.content).entries()) {
        yield this.#within(open, textOf(part.text, part.logprobs), `${at}`);
        yield this.#within(open, isText(part.refusal) ? { refusal: part.refusal } : undefined, `${at}`);
        yield annotationsOf(Array.isArray(part.annotations) ? part.annotations : []);
      }
    } else if (open?.kind === 'reasoning') {
      for (const [at, { text }] of [...partsIn(item.summary), ...partsIn(item.content)].entries()) yield this.#reason(open, text, `${at}`);
    }
    yield this.#stop(index, item);
  }

  #start(index: unknown, item: ResponseItem): Part | undefined {
    requireWithin(++this.#items, 'items');
    this.#latest = index;
    switch (item.type) {
      case 'message':
        this.#place(index, 'message', { type: 'message', ...(isText(item.phase) && { phase: item.phase }) });
        return undefined;
      case 'reasoning':
        this.#place(index, 'reasoning', { type: 'reasoning' });
        return undefined;
      case 'function_call':
        return this.#startCall(index, item, 'function');
      case 'custom_tool_call':
        return this.#startCall(index, item, 'custom');
      default:
        return isHosted(item) ? this.#within(this.#place(index, 'hosted', withoutIds(item)), {}) : undefined;
    }
  }

  #place(index: unknown, kind: PlacedItem['kind'], item: PlacedItem['item']): PlacedItem {
    const open: PlacedItem = { kind, item };
    this.#open.set(index, open);
    return open;
  }

  /**
   * Output of an item, behind what of the item has not been told.
   * @param part that of the output
   * @param end of the item
   */
  #within(open: OpenItem | undefined, said: Part | undefined, part?: string, end?: HostedItemDelta['item']): Part | undefined {
    if (!said || !open || !('item' in open)) return said;
    const steps: Pick<HostedItemDelta, 'step' | 'item'>[] = [];
    if (open.index === undefined) {
      open.index = this.#placed++;
      steps.push({ step: 'added', item: open.item });
    } else if (part !== undefined && open.part !== undefined && part !== open.part) steps.push({ step: 'part' });
    open.part = part ?? open.part;
    if (end) steps.push({ step: 'done', item: end });
    if (steps.length === 0) return said;
    const after = this.#position();
    return { ...said, hosted_items: steps.map((step) => ({ index: open.index!, ...step, ...(after && { after }) })) };
  }

  /** What the vendor is doing for a hosted tool. */
  #step(open: OpenItem | undefined, step: unknown): Part | undefined {
    if (open?.kind !== 'hosted' || typeof step !== 'string' || !steps.test(step)) return undefined;
    return { hosted_items: [{ index: open.index!, step }] };
  }

  /** A call of a custom tool is one of the function that stands for it, whose arguments are an object with its input. */
  #startCall(index: unknown, { call_id, name }: ResponseItem, kind: 'function' | 'custom'): Part {
    if (!isText(name)) throw new ProviderError('bad_response', 'The provider called a tool without a name');
    const call = this.#calls++;
    requireWithin(this.#calls, 'tool calls');
    this.#open.set(index, { kind, call, told: false });
    const begun = kind === 'custom' ? `{"${INPUT}":"` : '';
    return { tool_calls: [{ index: call, id: callId(call_id), type: 'function', function: { name, arguments: begun } }] };
  }

  #stop(index: unknown, item: ResponseItem): Part | undefined {
    const open = this.#open.get(index);
    this.#open.delete(index);
    switch (open?.kind) {
      case 'message':
        return open.index === undefined ? this.#within(open, {}) : undefined;
      case 'reasoning': {
        const { encrypted_content } = item;
        return this.#within(open, {}, undefined, { type: 'reasoning', ...(isText(encrypted_content) && { encrypted_content }) });
      }
      case 'function':
        return open.told ? undefined : argumentsOf(open.call, isText(item.arguments) ? item.arguments : '{}');
      case 'custom': {
        const rest = open.told || !isText(item.input) ? '' : literalOf(item.input);
        return argumentsOf(open.call, `${rest}"}`);
      }
      case 'hosted': {
        if (!isHosted(item)) return undefined;
        this.#hosted?.see(item);
        return this.#within(open, {}, undefined, withoutIds(item));
      }
      default:
        return undefined;
    }
  }

  #reason(open: OpenItem | undefined, text: unknown, part: string): Part | undefined {
    return open?.kind === 'reasoning' && isText(text) ? this.#within(open, { reasoning_content: text }, part) : undefined;
  }

  #input(open: OpenItem | undefined, text: unknown): Part | undefined {
    if ((open?.kind !== 'function' && open?.kind !== 'custom') || !isText(text)) return undefined;
    open.told = true;
    return argumentsOf(open.call, open.kind === 'custom' ? literalOf(text) : text);
  }

  #position(): AnswerPosition | undefined {
    const counts = Object.entries({ ...this.#said, tool_calls: this.#calls }).filter(([, count]) => count > 0);
    return counts.length > 0 ? Object.fromEntries(counts) : undefined;
  }

  /** The first chunk has the role. */
  #chunk(part: Part | undefined): GenerationChunk | undefined {
    if (!part) return undefined;
    const { logprobs, ...said } = part;
    for (const name of Object.keys(this.#said) as (keyof SaidLengths)[])
      this.#said[name] += (said[name] as string | undefined)?.length ?? 0;
    const delta: Delta = this.#begun ? said : { role: 'assistant', ...said };
    this.#begun = true;
    const choice: GenerationChoice = { index: 0, delta, finish_reason: null };
    if (logprobs) choice.logprobs = logprobs;
    const calls = this.#hosted?.news;
    return { choices: [choice], ...(calls && { usageSoFar: { server_tool_use: calls } }) };
  }

  #usage(response: Response): Usage | undefined {
    const usage = usageFrom(response);
    return usage && this.#hosted ? { ...usage, server_tool_use: this.#hosted.all } : usage;
  }

  /** @throws ProviderError where the response has failed */
  #finish(response: Response): void {
    const { status, error, incomplete_details: incomplete } = response;
    if (status === 'failed' || status === 'cancelled') throw failureOf(error, this.secrets);
    const cause = isObject(incomplete) ? incomplete['reason'] : undefined;
    if (status === 'incomplete' || cause !== undefined) {
      if (cause !== 'max_output_tokens' && cause !== 'content_filter')
        throw new ProviderError('bad_response', 'The provider broke its answer off');
      this.#end = { reason: cause === 'content_filter' ? cause : 'length', usage: this.#usage(response) };
    } else this.#end = { reason: this.#calls > 0 ? 'tool_calls' : 'stop', usage: this.#usage(response) };
  }
}

/** Events about a call of a hosted tool. */
const steps = /^response\.[a-z_]+\.(in_progress|searching|interpreting|generating|completed|failed)$/;

function partOf({ summary_index, content_index }: ResponseEvent): string {
  return `${String(summary_index)} ${String(content_index)}`;
}

function textOf(text: unknown, tokens: unknown): Part | undefined {
  if (!isText(text)) return undefined;
  const logprobs = Array.isArray(tokens) && tokens.length > 0 ? chatLogprobsFrom({ content: tokens }, MAX_ALTERNATIVES) : undefined;
  return logprobs ? { content: text, logprobs } : { content: text };
}

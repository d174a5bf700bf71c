import type { Delta, FinishReason, ToolCallDelta } from '../../wire/chat-completion.js';
import type { GenerationChunk } from '../../wire/generation.js';
import type { HostedItemDelta } from '../../wire/hosted-tool.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import type { Usage } from '../../wire/usage.js';
import { callId } from '../protocols/call-id.js';
import { isText } from '../protocols/is-text.js';
import { namedError } from '../protocols/upstream-error.js';
import { requireWithin } from '../translation/answer-limits.js';
import { ProviderError } from '../contract/provider-error.js';
import { vendorError } from '../protocols/vendor-error.js';
import { citationDelta } from './citations.js';
import { kindOfSentence } from './error.js';
import { failureOf, finishReasonFrom } from './finish-reason.js';
import { usageFrom } from './usage.js';
import type { AnswerEnd, ChatEvent, ChatResponse, Citation, ResponseCall, ResponseContent } from './wire.js';

/**
 * Translates one answer of Cohere to the wire format: the events of a stream one by one, or a whole answer. A tool plan
 * is the text beside the calls that it announces. Finish reason and usage are held back until the end: only there is it
 * certain that the answer is complete.
 */
export class ChatTranslator {
  /** Calls whose arguments may still come, by Cohere's index. */
  readonly #open = new Map<number, { readonly index: number; empty: boolean }>();
  /** UTF-16 code units of the text before each block of content. */
  readonly #offsets: number[] = [];
  #length = 0;
  #parts = 0;
  /** Whether the next text begins another part. */
  #begins = false;
  #calls = 0;
  #citations = 0;
  #begun = false;
  #ended = false;
  #finishReason: string | undefined;
  #usage: Usage | undefined;

  constructor(private readonly secrets: readonly string[]) {}

  /** True once Cohere has said that nothing more comes. */
  get ended(): boolean {
    return this.#ended;
  }

  /**
   * @returns undefined for an event that brings no output
   * @throws ProviderError
   */
  event({ type, index, delta }: ChatEvent): GenerationChunk | undefined {
    const { message } = delta ?? {};
    switch (type) {
      case 'content-delta':
        return this.#chunk(this.#content(message?.content));
      case 'tool-call-delta':
        return this.#chunk(this.#arguments(index ?? 0, message?.tool_calls?.function?.arguments));
      case 'content-start':
        this.#beginBlock(index ?? this.#offsets.length);
        return this.#chunk(this.#content(message?.content));
      case 'tool-plan-delta':
        return this.#chunk(this.#text(message?.tool_plan));
      case 'tool-call-start':
        return this.#chunk({ tool_calls: [this.#call(index ?? 0, message?.tool_calls)] });
      case 'tool-call-end':
        return this.#chunk(this.#endCall(index ?? 0));
      case 'citation-start':
        return this.#chunk(this.#cite(message?.citations));
      case 'message-start':
        if (this.#begun) throw new ProviderError('bad_response', 'The provider began a second answer within the first');
        return undefined;
      case 'message-end':
        this.#end(delta ?? {});
        this.#ended = true;
        return undefined;
      default:
        return undefined;
    }
  }

  /** Is told of a delta that was passed on without its event. */
  said({ content }: Delta): void {
    if (content) this.#length += content.length;
  }

  /**
   * The stream has ended.
   * @throws ProviderError bad_response where the answer has not
   */
  end(): GenerationChunk[] {
    if (!this.#ended) throw new ProviderError('bad_response', 'The provider ended its stream in the middle of an answer');
    const finish_reason = this.#finish();
    const chunks = [...this.#open.keys()].map((index) => this.#chunk(this.#endCall(index))).filter((chunk) => chunk !== undefined);
    if (!this.#begun) chunks.push(this.#chunk({})!);
    chunks.push({ choices: [{ index: 0, delta: {}, finish_reason }], ...(this.#usage && { usage: this.#usage }) });
    return chunks;
  }

  /** Translates an answer that is not streamed. @throws ProviderError */
  whole(body: JsonObject): GenerationChunk {
    const { message }: ChatResponse = body;
    if (!isObject(message)) throw new ProviderError('bad_response', 'The provider answered without a message');
    this.#end(body);
    let text = isText(message.tool_plan) ? message.tool_plan : '';
    let thinking = '';
    const parts: HostedItemDelta[] = [];
    this.#length = text.length;
    for (const [index, block] of objects(message.content).entries()) {
      this.#beginBlock(index);
      const { content = '', reasoning_content = '', hosted_items = [] } = this.#content(block) ?? {};
      text += content ?? '';
      thinking += reasoning_content;
      parts.push(...hosted_items);
    }
    const delta: Delta = { role: 'assistant', content: text === '' ? null : text };
    if (thinking !== '') delta.reasoning_content = thinking;
    if (parts.length > 0) delta.hosted_items = parts;
    const calls = objects(message.tool_calls).map((call, index) => this.#call(index, call, '{}'));
    if (calls.length > 0) delta.tool_calls = calls;
    for (const citation of objects(message.citations)) {
      const { citations, annotations } = this.#cite(citation) ?? {};
      ((delta['citations'] ??= []) as unknown[]).push(...((citations ?? []) as unknown[]));
      if (annotations) ((delta['annotations'] ??= []) as unknown[]).push(...(annotations as unknown[]));
    }
    const chunk: GenerationChunk = { choices: [{ index: 0, delta, finish_reason: this.#finish() }] };
    if (this.#usage) chunk.usage = this.#usage;
    return chunk;
  }

  #beginBlock(index: number): void {
    if (!Number.isInteger(index) || index < 0) throw new ProviderError('bad_response', 'The provider began a block without a place');
    requireWithin(index + 1, 'blocks');
    this.#offsets[index] = this.#length;
    this.#begins = this.#length > 0;
  }

  #content(content: ResponseContent | null | undefined): Delta | undefined {
    const thinking = content?.thinking;
    return isText(thinking) ? { reasoning_content: thinking } : this.#text(content?.text);
  }

  #text(text: unknown): Delta | undefined {
    if (!isText(text)) return undefined;
    const after = { content: this.#length, tool_calls: this.#calls };
    const part = this.#begins && { hosted_items: [{ index: this.#parts++, step: 'part', after }] };
    this.#begins = false;
    this.#length += text.length;
    return { ...part, content: text };
  }

  /** @param absent the arguments where Cohere has none */
  #call(upstreamIndex: number, call: ResponseCall | null | undefined, absent = ''): ToolCallDelta {
    const { name, arguments: told } = call?.function ?? {};
    if (!isText(name)) throw new ProviderError('bad_response', 'The provider called a tool without a name');
    const index = this.#calls++;
    requireWithin(this.#calls, 'tool calls');
    const given = isText(told) ? told : absent;
    this.#open.set(upstreamIndex, { index, empty: given === '' });
    return { index, id: callId(call?.id), type: 'function', function: { name, arguments: given } };
  }

  #arguments(upstreamIndex: number, text: unknown): Delta | undefined {
    const call = this.#open.get(upstreamIndex);
    if (!call || !isText(text)) return undefined;
    call.empty = false;
    return { tool_calls: [{ index: call.index, function: { arguments: text } }] };
  }

  #endCall(upstreamIndex: number): Delta | undefined {
    const delta = this.#open.get(upstreamIndex)?.empty ? this.#arguments(upstreamIndex, '{}') : undefined;
    this.#open.delete(upstreamIndex);
    return delta;
  }

  #cite(citation: Citation | null | undefined): Delta | undefined {
    if (!isObject(citation)) return undefined;
    requireWithin(++this.#citations, 'citations');
    const block = (citation as Citation).content_index;
    return citationDelta(citation, typeof block === 'number' ? (this.#offsets[block] ?? 0) : 0);
  }

  /** The first chunk has the role. Nothing is passed on before the first output. */
  #chunk(delta: Delta | undefined): GenerationChunk | undefined {
    if (!delta) return undefined;
    if (this.#begun) return { choices: [{ index: 0, delta, finish_reason: null }] };
    this.#begun = true;
    return { choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }] };
  }

  #end({ finish_reason: word, error, error_type, usage }: AnswerEnd): void {
    if (isText(word)) this.#finishReason = word;
    const kind = failureOf(this.#finishReason ?? '');
    if (kind) {
      const message = `The provider ended its answer with ${this.#finishReason}`;
      const said = vendorError({ error, error_type }) ?? vendorError({ message, error_type })!;
      throw namedError(kindOfSentence(said) ?? kind, said.message, {}, this.secrets);
    }
    this.#usage = usageFrom(usage);
  }

  #finish(): FinishReason {
    if (!this.#finishReason) throw new ProviderError('bad_response', 'The provider did not say why its answer ended');
    return finishReasonFrom(this.#finishReason, this.#calls > 0);
  }
}

function objects<Item extends object>(value: readonly Item[] | null | undefined): readonly Item[] {
  return Array.isArray(value) ? value.filter((item): boolean => isObject(item)) : [];
}

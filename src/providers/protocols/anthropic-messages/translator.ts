import { appendDelta } from '../../../wire/accumulate.js';
import type { Delta } from '../../../wire/chat-completion.js';
import type { GenerationChoice, GenerationChunk } from '../../../wire/generation.js';
import type { HostedTool } from '../../../wire/hosted-tool.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import type { Usage } from '../../../wire/usage.js';
import { requireWithin } from '../../translation/answer-limits.js';
import { withoutAccountIds } from '../../contract/extra-parameters.js';
import { callOfTool } from '../../contract/hosted-callers.js';
import { ProviderError } from '../../contract/provider-error.js';
import { callId } from '../call-id.js';
import { isText } from '../is-text.js';
import { joinUsages } from '../join-usages.js';
import type { RedactedThinkingBlock, ThinkingBlock } from '../../../wire/anthropic-message.js';
import type { ResponseBlock, MessageEvent } from './wire.js';
import { JSON_TOOL } from './output-format.js';
import type { SignedBlock } from '../../translation/signed-thinking.js';
import { finishReasonFrom } from './finish-reason.js';
import { usageFrom } from './usage.js';

/**
 * An empty chunk that says that the provider is alive. The vendor pings while the model thinks without showing its
 * thoughts, which can take minutes.
 */
const alive: GenerationChunk = { choices: [] };

type OpenBlock =
  | { readonly kind: 'thinking'; text: string; signature: string; readonly after: SignedBlock['after'] }
  | { readonly kind: 'call'; readonly call: number; empty: boolean }
  | { readonly kind: 'json'; empty: boolean }
  | { readonly kind: 'hosted'; readonly index: number };

/**
 * Translates one response of the vendor to the wire format: the events of a stream one by one, or a whole message.
 * Blocks and events of unknown kinds bring nothing, unless the request has tools of the vendor's: then its blocks of text
 * and those of such tools are told as they come. Finish reason and usage are held back until the end: only there is
 * it certain that the response is complete.
 */
export class MessagesTranslator {
  #told: JsonObject = {};
  readonly #open = new Map<number, OpenBlock>();
  #begun = false;
  #ended = false;
  #stopReason: string | undefined;
  #stopSequence: string | undefined;
  #blocks = 0;
  #calls = 0;
  #placed = 0;
  /** Those of the vendor's own tools; the vendor leaves out some of its usage. */
  readonly #made = { web_search_requests: 0, hosted_calls: 0 };
  #toldCalls = -1;
  /** UTF-16 code units. */
  #contentLength = 0;
  /** The index of the block whose text was told last. */
  #textBlock: number | undefined;

  /**
   * @param jsonTool whether the input of JSON_TOOL is the content of the response
   * @param tools those of the request that the vendor runs or has declared
   */
  constructor(
    private readonly jsonTool: boolean,
    private readonly tools?: readonly HostedTool[],
  ) {}

  /** True once the vendor has said that nothing more comes. */
  get ended(): boolean {
    return this.#ended;
  }

  /**
   * @returns undefined for an event that brings no output
   * @throws ProviderError bad_response
   */
  event(event: MessageEvent): GenerationChunk | undefined {
    const { index = 0 } = event;
    switch (event.type) {
      case 'content_block_delta':
        return this.#chunk(this.#delta(index, event));
      case 'content_block_start':
        return this.#chunk(this.#start(index, event.content_block ?? {}));
      case 'content_block_stop':
        return this.#chunk(this.#stop(index));
      case 'message_start':
        if (this.#blocks > 0) throw new ProviderError('bad_response', 'The provider began a second answer within the first');
        this.#count(event.message?.usage);
        return undefined;
      case 'message_delta':
        this.#count(event.usage);
        this.#keepStopReason(event.delta?.stop_reason, event.delta?.stop_sequence);
        return this.#soFar();
      case 'message_stop':
        this.#ended = true;
        return undefined;
      case 'ping':
        return alive;
      default:
        return undefined;
    }
  }

  /**
   * The stream has ended.
   * @throws ProviderError bad_response where the response has not
   */
  *end(): Generator<GenerationChunk, void> {
    if (!this.#ended) throw new ProviderError('bad_response', 'The provider ended its stream in the middle of an answer');
    for (const index of this.#open.keys()) {
      const chunk = this.#chunk(this.#stop(index));
      if (chunk) yield chunk;
    }
    const finish_reason = this.#finish();
    if (!this.#begun) yield this.#begin({});
    yield this.#withUsage({ choices: [this.#named({ index: 0, delta: {}, finish_reason })] });
  }

  /** Translates a response that is not streamed. @throws ProviderError bad_response */
  whole(message: JsonObject): GenerationChunk {
    const { content } = message;
    if (!Array.isArray(content)) throw new ProviderError('bad_response', 'The provider answered without content');
    this.#count(message['usage']);
    this.#keepStopReason(message['stop_reason'], message['stop_sequence']);
    const delta: Delta = { role: 'assistant', content: null };
    for (const [index, block] of content.entries()) {
      if (!isObject(block)) continue;
      for (const part of [this.#start(index, block), this.#stop(index)]) if (part) appendDelta(delta, part);
    }
    return this.#withUsage({ choices: [this.#named({ index: 0, delta, finish_reason: this.#finish() })] });
  }

  #count(usage: unknown): void {
    if (isObject(usage)) this.#told = joinUsages(this.#told, usage, 'last');
  }

  get #usage(): Usage | undefined {
    return usageFrom(this.#told, this.tools && this.#made);
  }

  #soFar(): GenerationChunk | undefined {
    const usageSoFar = this.#usage;
    return usageSoFar && { choices: [], usageSoFar };
  }

  #withUsage(chunk: GenerationChunk): GenerationChunk {
    const usage = this.#usage;
    return usage ? { ...chunk, usage } : chunk;
  }

  #delta(index: number, { delta }: MessageEvent): Delta | undefined {
    switch (delta?.type) {
      case 'text_delta':
        return this.#content(index, delta.text);
      case 'thinking_delta':
        return this.#think(this.#open.get(index), delta.thinking);
      case 'input_json_delta':
        return this.#input(index, this.#open.get(index), delta.partial_json) ?? this.#grow(this.#open.get(index), delta);
      case 'citations_delta':
        return this.#grow(this.#open.get(index), delta);
      case 'signature_delta': {
        const block = this.#open.get(index);
        if (block?.kind === 'thinking' && isText(delta.signature)) block.signature += delta.signature;
        return undefined;
      }
      default:
        return undefined;
    }
  }

  #start(index: number, block: ResponseBlock): Delta | undefined {
    requireWithin(++this.#blocks, 'blocks');
    switch (block.type) {
      case 'text': {
        this.#textBlock = undefined;
        const begun = this.#host(index, { citations: null, ...block, text: '' });
        return begun ? { ...begun, ...this.#content(index, block.text) } : this.#content(index, block.text);
      }
      case 'thinking': {
        const signature = isText(block.signature) ? block.signature : '';
        const open: OpenBlock = { kind: 'thinking', text: '', signature, after: this.#position() };
        this.#open.set(index, open);
        return this.#think(open, block.thinking);
      }
      case 'redacted_thinking':
        return isText(block.data) ? this.#carry({ type: 'redacted_thinking', data: block.data }, this.#position()) : undefined;
      case 'tool_use':
        return this.#startCall(index, block);
      default:
        return this.#host(index, block);
    }
  }

  /** A block as the vendor says it. */
  #host(index: number, block: ResponseBlock): Delta | undefined {
    const { type, name, content } = block;
    if (!this.tools || !isText(type)) return undefined;
    if (type === 'web_search_tool_result' && Array.isArray(content)) this.#made.web_search_requests++;
    if (type === 'server_tool_use' && isText(name) && name.endsWith('code_execution') && this.#executes) this.#made.hosted_calls++;
    const open: OpenBlock = { kind: 'hosted', index: this.#placed++ };
    this.#open.set(index, open);
    const item = withoutAccountIds(block) as JsonObject & { type: string };
    return { hosted_items: [{ index: open.index, step: 'added', item }] };
  }

  /** A search may execute code to choose among what it finds, which costs nothing. */
  get #executes(): boolean {
    return this.tools?.some(({ type }) => callOfTool(type) === 'hosted_call') === true;
  }

  #grow(block: OpenBlock | undefined, delta: MessageEvent['delta']): Delta | undefined {
    if (block?.kind !== 'hosted') return undefined;
    return { hosted_items: [{ index: block.index, step: 'delta', item: withoutAccountIds(delta) as JsonObject & { type: string } }] };
  }

  /** Tells also that none was made yet: a client that leaves then pays for none. */
  #counted(chunk: GenerationChunk): GenerationChunk {
    const calls = this.#made.web_search_requests + this.#made.hosted_calls;
    if (!this.tools || calls === this.#toldCalls) return chunk;
    this.#toldCalls = calls;
    return { ...chunk, usageSoFar: { server_tool_use: { ...this.#made } } };
  }

  #startCall(index: number, { id, name, input }: ResponseBlock): Delta | undefined {
    if (!isText(name)) throw new ProviderError('bad_response', 'The provider called a tool without a name');
    const whole = isObject(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : '';
    if (this.jsonTool && name === JSON_TOOL) {
      this.#open.set(index, { kind: 'json', empty: whole === '' });
      return this.#content(index, whole);
    }
    const call = this.#calls++;
    requireWithin(this.#calls, 'tool calls');
    this.#open.set(index, { kind: 'call', call, empty: whole === '' });
    return { tool_calls: [{ index: call, id: callId(id), type: 'function', function: { name, arguments: whole } }] };
  }

  #stop(index: number): Delta | undefined {
    const block = this.#open.get(index);
    this.#open.delete(index);
    if (block?.kind === 'thinking') {
      const { text: thinking, signature, after } = block;
      return signature ? this.#carry({ type: 'thinking', thinking, signature }, after) : undefined;
    }
    if (block?.kind === 'hosted') {
      const after = this.#position();
      return { hosted_items: [{ index: block.index, step: 'done', ...(after && { after }) }] };
    }
    return block?.empty ? this.#input(index, block, '{}') : undefined;
  }

  /** @param index of its block; a block behind other output begins another part */
  #content(index: number, text: unknown): Delta | undefined {
    if (!isText(text)) return undefined;
    const after = this.tools || index === this.#textBlock ? undefined : this.#position();
    const part = after && { hosted_items: [{ index: this.#placed++, step: 'part', after }] };
    this.#textBlock = index;
    this.#contentLength += text.length;
    return { ...part, content: text };
  }

  #think(block: OpenBlock | undefined, text: unknown): Delta | undefined {
    if (block?.kind !== 'thinking' || !isText(text)) return undefined;
    block.text += text;
    return { reasoning_content: text };
  }

  #input(index: number, block: OpenBlock | undefined, text: unknown): Delta | undefined {
    if ((block?.kind !== 'call' && block?.kind !== 'json') || !isText(text)) return undefined;
    block.empty = false;
    return block.kind === 'json' ? this.#content(index, text) : { tool_calls: [{ index: block.call, function: { arguments: text } }] };
  }

  #carry(block: ThinkingBlock | RedactedThinkingBlock, after: SignedBlock['after']): Delta {
    const carried: SignedBlock = { index: this.#placed++, ...block, ...(after && { after }) };
    return { thinking_blocks: [carried] };
  }

  #position(): SignedBlock['after'] {
    if (this.#contentLength === 0 && this.#calls === 0) return undefined;
    return { content: this.#contentLength, tool_calls: this.#calls };
  }

  #chunk(delta: Delta | undefined): GenerationChunk | undefined {
    if (!delta) return undefined;
    return this.#counted(this.#begun ? { choices: [{ index: 0, delta, finish_reason: null }] } : this.#begin(delta));
  }

  /**
   * Makes the first chunk. Nothing is passed on before the first output, so that after an error until then another
   * provider can still answer.
   */
  #begin(delta: Delta): GenerationChunk {
    this.#begun = true;
    const chunk: GenerationChunk = { choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }] };
    // What was generated is told at the end.
    const prompt = usageFrom({ ...this.#told, output_tokens: 0 });
    if (!prompt) return chunk;
    chunk.promptTokens = prompt.prompt_tokens;
    if (prompt.prompt_tokens_details) chunk.promptDetails = prompt.prompt_tokens_details;
    if (prompt.service_tier !== undefined) chunk.serviceTier = prompt.service_tier;
    return chunk;
  }

  #keepStopReason(word: unknown, sequence: unknown): void {
    if (isText(word)) this.#stopReason = word;
    if (isText(sequence)) this.#stopSequence = sequence;
  }

  #named(choice: GenerationChoice): GenerationChoice {
    if (this.#stopSequence !== undefined) choice.stop_sequence = this.#stopSequence;
    if (this.#stopReason === 'pause_turn') choice.paused = true;
    return choice;
  }

  #finish(): ReturnType<typeof finishReasonFrom> {
    if (!this.#stopReason) throw new ProviderError('bad_response', 'The provider did not say why its answer ended');
    return finishReasonFrom(this.#stopReason, this.#calls > 0);
  }
}

import type { GenerationChunk } from '../../wire/generation.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import { MessagesTranslator } from '../protocols/anthropic-messages/translator.js';
import type { MessageEvent, ResponseBlock as MessageBlock } from '../protocols/anthropic-messages/wire.js';
import { eventObject } from '../protocols/event-object.js';
import { isText } from '../protocols/is-text.js';
import type { ResponseDecoder } from '../protocols/response-decoder.js';
import type { UpstreamFailure } from '../protocols/upstream-error.js';
import { ProviderError } from '../contract/provider-error.js';
import { converseError } from './error.js';
import { usageFrom } from './usage.js';
import type { ConverseEvent, ResponseBlock } from './wire.js';
import { ownOf } from '../../wire/own-members.js';

/** Stop reasons of Converse that Anthropic's Messages does not have, or for which it has another word. */
const stopWords: Readonly<Record<string, string>> = { guardrail_intervened: 'refusal', content_filtered: 'refusal' };

/** Ends of a response that are none: `stop` would make half an answer look complete. */
const broken: ReadonlySet<unknown> = new Set(['malformed_model_output', 'malformed_tool_use']);

/**
 * Decodes one response of Converse. Its blocks, their order and their signatures are those of Anthropic's Messages in
 * other words, so that they are told to that protocol's translator; usage and the words for the end are Converse's own.
 */
export class ConverseDecoder implements ResponseDecoder {
  readonly #translator: MessagesTranslator;
  /** The index of the block of reasoning that goes on. */
  #reasoning: number | undefined;
  /** The last event of a stream. */
  #metadata: ConverseEvent | undefined;

  /** @param jsonTool whether the input of JSON_TOOL is the content of the response */
  constructor(jsonTool: boolean) {
    this.#translator = new MessagesTranslator(jsonTool);
  }

  get ended(): boolean {
    return this.#metadata !== undefined;
  }

  refused(failure: UpstreamFailure): ProviderError {
    return converseError(failure);
  }

  whole(body: JsonObject): GenerationChunk {
    const { output, stopReason, usage, serviceTier } = body;
    const message = isObject(output) ? output['message'] : undefined;
    const content = isObject(message) ? message['content'] : undefined;
    const blocks = Array.isArray(content) ? content.filter(isObject).map(messageBlock) : content;
    return counted(this.#translator.whole({ content: blocks, stop_reason: stopWord(stopReason) }), { usage, serviceTier });
  }

  event(name: string, data: string): GenerationChunk | undefined {
    const event: ConverseEvent = eventObject(data);
    const { contentBlockIndex: index = 0 } = event;
    switch (name) {
      case 'contentBlockDelta':
        return this.#delta(index, event.delta ?? {});
      case 'contentBlockStart': {
        const { toolUseId: id, name: tool } = event.start?.toolUse ?? {};
        return event.start?.toolUse ? this.#start(index, { type: 'tool_use', id, name: tool }) : undefined;
      }
      case 'contentBlockStop':
        return this.#told({ type: 'content_block_stop', index });
      case 'messageStart':
        return this.#told({ type: 'message_start' });
      case 'messageStop':
        this.#told({ type: 'message_delta', delta: { stop_reason: stopWord(event.stopReason) } });
        return this.#told({ type: 'message_stop' });
      case 'metadata':
        this.#metadata = event;
        return undefined;
      default:
        return undefined;
    }
  }

  /** Events are frames and no text, so that there are no templates of them. */
  run(_bytes: unknown, position: number): number {
    return position;
  }

  /** An answer whose metadata do not come is complete, and the gateway counts it. */
  end(): readonly GenerationChunk[] {
    const chunks = [...this.#translator.end()];
    counted(chunks.at(-1)!, this.#metadata ?? {});
    return chunks;
  }

  #delta(index: number, { text, toolUse, reasoningContent }: NonNullable<ConverseEvent['delta']>): GenerationChunk | undefined {
    if (text !== undefined) return this.#told({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
    if (toolUse)
      return this.#told({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: toolUse.input } });
    if (!reasoningContent) return undefined;
    const { text: thinking, signature, redactedContent: data } = reasoningContent;
    if (data !== undefined) return this.#start(index, { type: 'redacted_thinking', data });
    if (this.#reasoning !== index) {
      this.#reasoning = index;
      this.#start(index, { type: 'thinking' });
    }
    const delta = signature === undefined ? { type: 'thinking_delta', thinking } : { type: 'signature_delta', signature };
    return this.#told({ type: 'content_block_delta', index, delta });
  }

  #start(index: number, block: MessageBlock): GenerationChunk | undefined {
    return this.#told({ type: 'content_block_start', index, content_block: block });
  }

  #told(event: MessageEvent): GenerationChunk | undefined {
    return this.#translator.event(event);
  }
}

/** A block of a whole answer in the words of Anthropic's Messages. */
function messageBlock({ text, toolUse, reasoningContent, citationsContent }: ResponseBlock): MessageBlock {
  if (text !== undefined) return { type: 'text', text };
  if (toolUse) return { type: 'tool_use', id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input };
  if (reasoningContent) {
    const { reasoningText, redactedContent: data } = reasoningContent;
    if (!reasoningText) return { type: 'redacted_thinking', data };
    return { type: 'thinking', thinking: reasoningText.text, signature: reasoningText.signature };
  }
  const cited = citationsContent?.content;
  const texts = Array.isArray(cited) ? cited.filter(isObject).map((part) => part['text']) : [];
  return { type: 'text', text: texts.filter(isText).join('') };
}

/** @throws ProviderError bad_response for an end that is no response */
function stopWord(reason: unknown): unknown {
  if (broken.has(reason)) throw new ProviderError('bad_response', `The model broke its answer off: ${String(reason)}`);
  return ownOf(stopWords, reason) ?? reason;
}

/** Sets the usage, which is Converse's own. */
function counted(chunk: GenerationChunk, { usage: told, serviceTier }: Pick<ConverseEvent, 'usage' | 'serviceTier'>): GenerationChunk {
  const usage = usageFrom(told);
  if (!usage) return chunk;
  if (isObject(serviceTier) && isText(serviceTier['type'])) usage.service_tier = serviceTier['type'];
  chunk.usage = usage;
  return chunk;
}

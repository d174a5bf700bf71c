import type { ByteText } from '../../../wire/byte-text.js';
import type { GenerationChunk } from '../../../wire/generation.js';
import type { HostedTool } from '../../../wire/hosted-tool.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import type { ProviderError } from '../../contract/provider-error.js';
import type { ChunkObserver } from '../../contract/pushed-chunks.js';
import type { ResponseDecoder } from '../response-decoder.js';
import { eventObject } from '../event-object.js';
import { EventTemplates } from '../event-templates.js';
import type { UpstreamFailure } from '../upstream-error.js';
import { type TextEvent, textEventOf } from './text-event.js';
import { MessagesTranslator } from './translator.js';
import { messagesError, inBandMessagesError } from './error.js';

/** Decodes one response of Anthropic's Messages. */
export class MessagesDecoder implements ResponseDecoder {
  readonly #translator: MessagesTranslator;
  readonly #templates = new EventTemplates<TextEvent>();
  /** Index of the block of the last event: the text of another one begins a part of the answer. */
  #block: unknown;

  /**
   * @param jsonTool whether the input of JSON_TOOL is the content of the response
   * @param tools those of the request that the vendor runs or has declared
   */
  constructor(
    jsonTool: boolean,
    private readonly secrets: readonly string[],
    tools?: readonly HostedTool[],
  ) {
    this.#translator = new MessagesTranslator(jsonTool, tools);
  }

  get ended(): boolean {
    return this.#translator.ended;
  }

  refused(failure: UpstreamFailure): ProviderError {
    return messagesError(failure);
  }

  whole(body: JsonObject): GenerationChunk {
    if (isError(body)) throw inBandMessagesError(JSON.stringify(body), this.secrets);
    return this.#translator.whole(body);
  }

  event(name: string, data: string): GenerationChunk | undefined {
    const event = eventObject(data);
    if (isError(event)) throw inBandMessagesError(data, this.secrets);
    // Another block may begin under an index that was used before.
    if (event['type'] === 'content_block_start') this.#templates.clear();
    this.#block = event['index'];
    const chunk = this.#translator.event(event);
    const textEvent = chunk && textEventOf(event, chunk);
    if (textEvent) this.#templates.learn(name, data, event, textEvent);
    return chunk;
  }

  run(bytes: ByteText, position: number, observer: Pick<ChunkObserver, 'next'>): number {
    const found = this.#templates.run(bytes, position);
    if (!found || found.known.event.index !== this.#block) return position;
    const { event, field, ends } = found.known;
    const { text, literals, end } = found.run;
    const delta = this.#translator.event({ ...event, delta: { ...event.delta, [field]: text } })?.choices[0]?.delta;
    // The block has ended, so that the event has no meaning.
    if (!delta) return position;
    observer.next({ choices: [{ index: 0, delta, logprobs: null, finish_reason: null }], run: { ...ends, literals } });
    return end;
  }

  end(): readonly GenerationChunk[] {
    return [...this.#translator.end()];
  }
}

/** Whether the object is an error. Compatible servers may leave out its type. */
function isError({ type, error }: JsonObject): boolean {
  return type === 'error' || isObject(error);
}

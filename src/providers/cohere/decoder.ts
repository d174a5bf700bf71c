import type { ByteText } from '../../wire/byte-text.js';
import type { GenerationChunk } from '../../wire/generation.js';
import type { JsonObject } from '../../wire/json-object.js';
import type { ProviderError } from '../contract/provider-error.js';
import { eventObject } from '../protocols/event-object.js';
import { EventTemplates } from '../protocols/event-templates.js';
import { isText } from '../protocols/is-text.js';
import type { ResponseDecoder } from '../protocols/response-decoder.js';
import type { UpstreamFailure } from '../protocols/upstream-error.js';
import { vendorError } from '../protocols/vendor-error.js';
import type { ChunkObserver } from '../contract/pushed-chunks.js';
import { chatError, inBandChatError } from './error.js';
import { type TextEvent, textEventOf } from './text-event.js';
import { ChatTranslator } from './translator.js';

/** Decodes one response of Cohere's Chat API. */
export class ChatDecoder implements ResponseDecoder {
  readonly #translator: ChatTranslator;
  readonly #templates = new EventTemplates<TextEvent>();

  constructor(private readonly secrets: readonly string[]) {
    this.#translator = new ChatTranslator(secrets);
  }

  get ended(): boolean {
    return this.#translator.ended;
  }

  refused(failure: UpstreamFailure): ProviderError {
    return chatError(failure);
  }

  whole(body: JsonObject): GenerationChunk {
    this.#requireNoError(body);
    return this.#translator.whole(body);
  }

  event(name: string, data: string): GenerationChunk | undefined {
    const event = eventObject(data);
    if (!isText(event['type']) || event['type'] === 'error') this.#requireNoError(event);
    const { type } = event;
    // Another text may begin under an index that was used before, and what follows an end has no meaning.
    if (type === 'content-start' || type === 'tool-call-start' || type === 'tool-call-end') this.#templates.clear();
    const chunk = this.#translator.event(event);
    const textEvent = chunk && textEventOf(event, chunk);
    if (textEvent) this.#templates.learn(name, data, event, textEvent);
    return chunk;
  }

  run(bytes: ByteText, position: number, observer: Pick<ChunkObserver, 'next'>): number {
    const found = this.#templates.run(bytes, position);
    if (!found) return position;
    const { ends, deltaOf } = found.known;
    const { text, literals, end } = found.run;
    const delta = deltaOf(text);
    this.#translator.said(delta);
    observer.next({ choices: [{ index: 0, delta, logprobs: null, finish_reason: null }], run: { ...ends, literals } });
    return end;
  }

  end(): readonly GenerationChunk[] {
    return this.#translator.end();
  }

  /** An answer has a message that is an object; an error has a text. */
  #requireNoError(body: JsonObject): void {
    const error = vendorError(body);
    if (error) throw inBandChatError(error, this.secrets);
  }
}

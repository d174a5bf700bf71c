import type { ByteText } from '../../../wire/byte-text.js';
import type { GenerationChunk, GenerationRequest } from '../../../wire/generation.js';
import type { JsonObject } from '../../../wire/json-object.js';
import type { ProviderError } from '../../contract/provider-error.js';
import type { ChunkObserver } from '../../contract/pushed-chunks.js';
import { eventObject } from '../event-object.js';
import { EventTemplates, type KnownRun } from '../event-templates.js';
import type { Word } from '../join-usages.js';
import { parsedJson } from '../../translation/parsed-json.js';
import type { ResponseDecoder } from '../response-decoder.js';
import { inBandError, type UpstreamFailure, upstreamError } from '../upstream-error.js';
import { vendorError } from '../vendor-error.js';
import { type TextEvent, textEventOf } from './text-event.js';
import { ChatCompletionsTranslator } from './translator.js';

/**
 * Decodes one response in OpenAI's format: the events of a stream by template where one fits, otherwise by parsing and
 * translating.
 */
export class ChatCompletionsDecoder implements ResponseDecoder {
  readonly #translator: ChatCompletionsTranslator;
  #templates: EventTemplates<TextEvent> | undefined;
  /**
   * The last event that was parsed. A template is learned from it when the next event comes, so that no text of the
   * stream waits for the learning.
   */
  #lesson: { readonly data: string; readonly event: JsonObject; readonly chunk: GenerationChunk } | undefined;
  /** Set by `[DONE]`. */
  #marked = false;

  /** @param edit changes a response, or an event of a stream, before it is read; no event is then read by template */
  constructor(
    request: GenerationRequest,
    private readonly secrets: readonly string[],
    private readonly edit?: (response: JsonObject) => JsonObject,
    word?: Word,
  ) {
    this.#translator = new ChatCompletionsTranslator(request, secrets, word);
  }

  get ended(): boolean {
    return this.#marked;
  }

  refused(failure: UpstreamFailure): ProviderError {
    return upstreamError(failure);
  }

  whole(body: JsonObject): GenerationChunk {
    return this.#translator.whole(this.edit ? this.edit(body) : body);
  }

  event(name: string, data: string): GenerationChunk | undefined {
    if (data.startsWith('[DONE]')) {
      this.#marked = true;
      return undefined;
    }
    if (name === 'error') throw inBandError(vendorError(parsedJson(data)) ?? { message: data, words: [] }, this.secrets);
    this.#learn();
    const templates = (this.#templates ??= new EventTemplates());
    const found = templates.one(data);
    if (found) return this.#chunkOf(found);
    const event = eventObject(data);
    if (this.edit) return this.#translator.event(this.edit(event));
    const chunk = this.#translator.event(event);
    if (chunk && !chunk.ended && !templates.futile) this.#lesson = { data, event, chunk };
    return chunk;
  }

  run(bytes: ByteText, position: number, observer: Pick<ChunkObserver, 'next'>): number {
    this.#learn();
    const found = this.#templates?.run(bytes, position);
    if (!found) return position;
    observer.next(this.#chunkOf(found));
    return found.run.end;
  }

  end(): readonly GenerationChunk[] {
    return this.#translator.end(this.#marked);
  }

  #chunkOf({ known: { choiceWith, ends }, run: { literals, text } }: KnownRun<TextEvent>): GenerationChunk {
    const chunk: GenerationChunk = { choices: [choiceWith(text)], run: { ...ends, literals } };
    this.#translator.passed(chunk);
    return chunk;
  }

  #learn(): void {
    if (!this.#lesson) return;
    const { data, event, chunk } = this.#lesson;
    this.#lesson = undefined;
    const textEvent = textEventOf(event, chunk);
    if (textEvent) this.#templates?.learn('', data, event, textEvent);
  }
}

import type { ByteText } from '../../../wire/byte-text.js';
import type { ChatGenerationRequest, GenerationChunk } from '../../../wire/generation.js';
import type { JsonObject } from '../../../wire/json-object.js';
import type { ProviderError } from '../../contract/provider-error.js';
import type { ChunkObserver } from '../../contract/pushed-chunks.js';
import type { ResponseDecoder } from '../response-decoder.js';
import { eventObject } from '../event-object.js';
import type { TemplateRun } from '../event-template.js';
import { EventTemplates } from '../event-templates.js';
import type { UpstreamFailure } from '../upstream-error.js';
import { GenerateContentTranslator } from './translator.js';
import { generateContentError } from './error.js';
import type { GenerateContentResponse } from './wire.js';
import { type TextEvent, textEventOf } from './text-event.js';

/** Decodes one response of `generateContent` or `streamGenerateContent`. */
export class GenerateContentDecoder implements ResponseDecoder {
  /** Google does not mark the end of a stream. */
  readonly ended = false;
  readonly #translator: GenerateContentTranslator;
  readonly #templates = new EventTemplates<TextEvent>();

  constructor(request: ChatGenerationRequest, requestId: string, secrets: readonly string[]) {
    this.#translator = new GenerateContentTranslator(request, requestId, secrets);
  }

  get settled(): boolean {
    return this.#translator.settled;
  }

  refused(failure: UpstreamFailure): ProviderError {
    return generateContentError(failure);
  }

  whole(body: JsonObject): GenerationChunk {
    return this.#translator.whole(body);
  }

  event(name: string, data: string): GenerationChunk | undefined {
    const event: GenerateContentResponse = eventObject(data);
    const chunk = this.#translator.event(event);
    const textEvent = chunk && textEventOf(event, chunk);
    if (textEvent) this.#templates.learn(name, data, event as JsonObject, textEvent);
    return chunk;
  }

  run(bytes: ByteText, position: number, observer: Pick<ChunkObserver, 'next'>): number {
    const found = this.#templates.run(bytes, position);
    if (!found) return position;
    observer.next(this.#joined(found.known, found.run));
    return found.run.end;
  }

  end(): readonly GenerationChunk[] {
    return this.#translator.end();
  }

  /**
   * The translator is given one event in the place of the run. Each event counts from the beginning of the response, so
   * that the counts of the last one are right for all.
   */
  #joined({ event, counted, index, ends }: TextEvent, { text, counts, literals }: TemplateRun): GenerationChunk {
    const [candidate] = event.candidates!;
    const [part] = candidate!.content!.parts!;
    const joined: GenerateContentResponse = { candidates: [{ ...candidate, content: { parts: [{ ...part, text }] } }] };
    if (event.usageMetadata) {
      joined.usageMetadata = { ...event.usageMetadata };
      for (const [slot, name] of counted.entries()) joined.usageMetadata[name] = counts[slot]!;
    }
    const chunk = this.#translator.event(joined)!;
    chunk.choices = [{ index, delta: chunk.choices[0]!.delta!, logprobs: null, finish_reason: null }];
    chunk.run = { ...ends, literals };
    return chunk;
  }
}

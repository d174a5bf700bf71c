import type { ByteText } from '../../../wire/byte-text.js';
import type { ChatGenerationRequest, GenerationChunk } from '../../../wire/generation.js';
import type { ProviderError } from '../../provider-error.js';
import type { ChunkObserver } from '../../pushed-chunks.js';
import type { ResponseDecoder } from '../response-decoder.js';
import { eventObject } from '../event-object.js';
import type { TemplateRun } from '../event-template.js';
import { EventTemplates } from '../event-templates.js';
import type { JsonObject } from '../../../wire/json-object.js';
import type { UpstreamFailure } from '../upstream-error.js';
import { GenerateContentTranslator } from './translator.js';
import { generateContentError } from './error.js';
import type { GenerateContentResponse } from './wire.js';
import { holesOf, type TextEvent, textEventOf } from './text-event.js';

/** One answer of `generateContent` or `streamGenerateContent`. */
export class GenerateContentDecoder implements ResponseDecoder {
  /** Google marks no end. */
  readonly ended = false;
  readonly #translator: GenerateContentTranslator;
  readonly #templates = new EventTemplates<TextEvent>();

  constructor(request: ChatGenerationRequest, requestId: string, secrets: readonly string[]) {
    this.#translator = new GenerateContentTranslator(request, requestId, secrets);
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
    const piece = chunk && textEventOf(event, chunk);
    if (piece) this.#templates.learn(name, data, event as JsonObject, holesOf(event), piece);
    return chunk;
  }

  run(bytes: ByteText, position: number, sink: Pick<ChunkObserver, 'next'>): number {
    const found = this.#templates.run(bytes, position);
    if (!found) return position;
    sink.next(this.#joined(found.known, found.run));
    return found.run.end;
  }

  end(): readonly GenerationChunk[] {
    return this.#translator.end();
  }

  /** The events of a run are to the translator as one: Google counts from the beginning in each. */
  #joined({ event, counted, index, ends }: TextEvent, { text, counts, literals }: TemplateRun): GenerationChunk {
    const [candidate] = event.candidates!;
    const [part] = candidate!.content!.parts!;
    const joined: GenerateContentResponse = { candidates: [{ ...candidate, content: { parts: [{ ...part, text }] } }] };
    if (event.usageMetadata) {
      joined.usageMetadata = { ...event.usageMetadata };
      for (const [slot, name] of counted.entries()) joined.usageMetadata[name] = counts[slot]!;
    }
    const { choices, tokens } = this.#translator.event(joined)!;
    const chunk: GenerationChunk = {
      choices: [{ index, delta: choices[0]!.delta!, logprobs: null, finish_reason: null }],
      run: { ...ends, literals },
    };
    if (tokens !== undefined) chunk.tokens = tokens;
    return chunk;
  }
}

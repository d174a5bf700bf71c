import type { ByteText } from '../../../wire/byte-text.js';
import type { ChatGenerationRequest, GenerationChunk } from '../../../wire/generation.js';
import type { ProviderError } from '../../provider-error.js';
import type { ChunkSink } from '../../pushed-answer.js';
import type { AnswerFormat } from '../answer-format.js';
import { eventObject } from '../event-object.js';
import type { TemplateRun } from '../event-template.js';
import { EventTemplates } from '../event-templates.js';
import type { JsonObject } from '../../../wire/json-object.js';
import type { UpstreamFailure } from '../upstream-error.js';
import { AnswerTranslator } from './answer-translator.js';
import { generateContentError } from './generate-content-error.js';
import type { GenerateContentResponse } from './generate-content-wire.js';
import { holesOf, type Piece, pieceOf } from './text-piece.js';

/** One answer of `generateContent` or `streamGenerateContent`. */
export class GeminiAnswer implements AnswerFormat {
  /** Google marks no end. */
  readonly ended = false;
  readonly #translator: AnswerTranslator;
  readonly #templates = new EventTemplates<Piece>();

  constructor(request: ChatGenerationRequest, requestId: string, secrets: readonly string[]) {
    this.#translator = new AnswerTranslator(request, requestId, secrets);
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
    const piece = chunk && pieceOf(event, chunk);
    if (piece) this.#templates.learn(name, data, event as JsonObject, holesOf(event), piece);
    return chunk;
  }

  run(bytes: ByteText, position: number, sink: Pick<ChunkSink, 'next'>): number {
    const found = this.#templates.run(bytes, position);
    if (!found) return position;
    sink.next(this.#joined(found.known, found.run));
    return found.run.end;
  }

  end(): readonly GenerationChunk[] {
    return this.#translator.end();
  }

  /** The events of a run are to the translator as one: Google counts from the beginning in each. */
  #joined({ event, counted, index, ends }: Piece, { text, counts, literals }: TemplateRun): GenerationChunk {
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

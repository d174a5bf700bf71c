import type { ByteText } from '../../wire/byte-text.js';
import type { GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import type { JsonObject } from '../../wire/json-object.js';
import type { ProviderError } from '../contract/provider-error.js';
import { eventObject } from '../protocols/event-object.js';
import type { ResponseDecoder } from '../protocols/response-decoder.js';
import type { UpstreamFailure } from '../protocols/upstream-error.js';
import { ollamaError } from './error.js';
import { OllamaTranslator } from './translator.js';

/** Decodes one response of `api/chat` or `api/generate`. */
export class OllamaDecoder implements ResponseDecoder {
  readonly #translator: OllamaTranslator;

  constructor(request: GenerationRequest, requestId: string, secrets: readonly string[]) {
    this.#translator = new OllamaTranslator(request, requestId, secrets);
  }

  get ended(): boolean {
    return this.#translator.ended;
  }

  refused(failure: UpstreamFailure): ProviderError {
    return ollamaError(failure);
  }

  whole(body: JsonObject): GenerationChunk {
    return this.#translator.whole(body);
  }

  event(_name: string, data: string): GenerationChunk {
    return this.#translator.event(eventObject(data));
  }

  /** Each line has a time of its own before its text, so that no two lines follow one template. */
  run(_bytes: ByteText, position: number): number {
    return position;
  }

  end(): readonly GenerationChunk[] {
    return this.#translator.end();
  }
}

import type { ByteText } from '../../../wire/byte-text.js';
import type { GenerationChunk, GenerationRequest } from '../../../wire/generation.js';
import type { ProviderError } from '../../provider-error.js';
import type { ChunkObserver } from '../../pushed-chunks.js';
import type { ResponseDecoder } from '../response-decoder.js';
import type { JsonObject } from '../../../wire/json-object.js';
import { inBandError, type UpstreamFailure, upstreamError } from '../upstream-error.js';
import { vendorError } from '../vendor-error.js';
import { ChatCompletionsTranslator } from './translator.js';
import { StreamRepair } from './stream-repair.js';

/** One answer in OpenAI's wire format. */
export class ChatCompletionsDecoder implements ResponseDecoder {
  readonly #repair: ChatCompletionsTranslator;
  #stream: StreamRepair | undefined;
  /** With `[DONE]`. */
  #marked = false;

  /** @param edit changes an answer, or an event of a stream, before it is read */
  constructor(
    request: GenerationRequest,
    private readonly secrets: readonly string[],
    private readonly edit: ((answer: JsonObject) => JsonObject) | undefined,
  ) {
    this.#repair = new ChatCompletionsTranslator(request, secrets);
  }

  get ended(): boolean {
    return this.#marked;
  }

  refused(failure: UpstreamFailure): ProviderError {
    return upstreamError(failure);
  }

  whole(body: JsonObject): GenerationChunk {
    return this.#repair.whole(this.edit ? this.edit(body) : body);
  }

  event(name: string, data: string): GenerationChunk | undefined {
    if (data.startsWith('[DONE]')) {
      this.#marked = true;
      return undefined;
    }
    if (name === 'error') throw inBandError(vendorError(parsed(data)) ?? { message: data, words: [] }, this.secrets);
    return (this.#stream ??= new StreamRepair(this.#repair, this.edit)).read(data);
  }

  run(bytes: ByteText, position: number, sink: Pick<ChunkObserver, 'next'>): number {
    return this.#stream ? this.#stream.run(bytes, position, sink) : position;
  }

  end(): readonly GenerationChunk[] {
    return this.#repair.end(this.#marked);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

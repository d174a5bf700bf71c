import type { ByteText } from '../../wire/byte-text.js';
import type { GenerationChunk } from '../../wire/generation.js';
import type { JsonObject } from '../../wire/json-object.js';
import type { ProviderError } from '../provider-error.js';
import type { ChunkObserver } from '../pushed-chunks.js';
import type { UpstreamFailure } from './upstream-error.js';

/** What one wire format makes of one answer. A ProviderError that it throws is the answer's error. */
export interface ResponseDecoder {
  /** True once a stream has said that nothing more comes. */
  readonly ended: boolean;

  /** An answer whose status is not 2xx. */
  refused(failure: UpstreamFailure): ProviderError;

  /** An answer that is not streamed. */
  whole(body: JsonObject): GenerationChunk;

  /**
   * One event of a stream.
   * @param name empty where the stream names none
   * @param data not empty
   * @returns undefined where it brings no output
   */
  event(name: string, data: string): GenerationChunk | undefined;

  /**
   * Looks at bytes that begin with an event, and may give `observer` what it and others behind it come to.
   * @param bytes whole lines of valid UTF-8
   * @returns the position behind what was taken
   */
  run(bytes: ByteText, position: number, observer: Pick<ChunkObserver, 'next'>): number;

  /** The stream is over. */
  end(): readonly GenerationChunk[];
}

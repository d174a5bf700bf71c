import type { ByteText } from '../../wire/byte-text.js';
import type { GenerationChunk } from '../../wire/generation.js';
import type { JsonObject } from '../../wire/json-object.js';
import type { ProviderError } from '../contract/provider-error.js';
import type { ChunkObserver } from '../contract/pushed-chunks.js';
import type { UpstreamHead } from '../transport/upstream-receiver.js';
import type { UpstreamFailure } from './upstream-error.js';

/** Decodes one response of one protocol. A ProviderError that it throws is the error of the response. */
export interface ResponseDecoder {
  /** True once the stream has said that nothing more comes. */
  readonly ended: boolean;

  /**
   * True once nothing more is to be expected of a stream whose end the vendor does not mark: it ends where its
   * connection closes, or nothing comes for a moment. Absent: never.
   */
  readonly settled?: boolean;

  /** The error of a response whose status is not 2xx. */
  refused(failure: UpstreamFailure): ProviderError;

  /** Decodes a response that is not streamed. */
  whole(body: JsonObject, headers: UpstreamHead['headers']): GenerationChunk;

  /**
   * Decodes one event of a stream.
   * @param name empty where the stream names none
   * @param data not empty
   * @returns undefined where the event brings no output
   */
  event(name: string, data: string): GenerationChunk | undefined;

  /**
   * Is shown bytes that begin with an event, and may give `observer` the chunks of that event and of others after it.
   * @param bytes whole lines of valid UTF-8
   * @returns the position after the last event that was decoded
   */
  run(bytes: ByteText, position: number, observer: Pick<ChunkObserver, 'next'>): number;

  /** The stream has ended. */
  end(): readonly GenerationChunk[];
}

import { crc32 } from 'node:zlib';
import type { EventStreamCodec } from '@smithy/eventstream-codec';
import { GatheredBytes } from '../../common/collections/gathered-bytes.js';
import { isText } from '../protocols/is-text.js';
import type { FrameParser } from '../protocols/stream-framing.js';
import { ProviderError } from '../contract/provider-error.js';
import { type EventSink, MAX_EVENT_BYTES } from '../transport/event-stream-parser.js';

/** The content type of a stream in AWS's framing. */
export const EVENT_FRAMES = 'application/vnd.amazon.eventstream';

/** Bytes at the beginning of a frame: its length, the length of its headers, and the checksum of both. */
const PRELUDE = 12;

/** Bytes of a frame without headers and payload. */
const EMPTY_FRAME = 16;

type Codec = Pick<EventStreamCodec, 'decode'>;

export function eventStreamCodec(codec: typeof EventStreamCodec): Codec {
  return new codec(
    (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()),
    (text) => Buffer.from(text),
  );
}

/** Reads a stream in AWS's binary framing however its bytes are cut. AWS's own codec reads each frame. */
export class EventFrames implements FrameParser {
  #rest = new GatheredBytes();
  /** Bytes that the next frame needs, as far as they are known. */
  #needed = PRELUDE;

  /** @param failed makes the error of an exception in the stream: of its name, and of its payload, which may be JSON */
  constructor(
    private readonly codec: Codec,
    private readonly failed: (name: string, payload: string) => ProviderError,
  ) {}

  get waiting(): number {
    return this.#rest.length;
  }

  /** @throws ProviderError limit_exceeded for a frame of more than MAX_EVENT_BYTES; bad_response for a damaged one */
  feed(bytes: Buffer, sink: EventSink): void {
    if (this.#rest.length + bytes.length < this.#needed) return this.#rest.add(bytes);
    let left = bytes;
    if (this.#rest.length > 0) {
      this.#rest.add(bytes);
      left = Buffer.concat(this.#rest.end());
      this.#rest = new GatheredBytes();
    }
    for (;;) {
      this.#needed = left.length < PRELUDE ? PRELUDE : frameLength(left);
      if (left.length < this.#needed) break;
      this.#frame(left.subarray(0, this.#needed), sink);
      left = left.subarray(this.#needed);
    }
    if (left.length > 0) this.#rest.add(left);
  }

  finish(): void {
    if (this.waiting > 0) throw new ProviderError('bad_response', 'The provider ended its stream in the middle of a frame');
  }

  #frame(frame: Buffer, sink: EventSink): void {
    const { headers, body } = this.#decoded(frame);
    const word = (name: string): string => {
      const value = headers[name]?.value;
      return isText(value) ? value : '';
    };
    const payload = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
    switch (word(':message-type')) {
      case 'event':
        return sink.event(word(':event-type'), payload);
      case 'exception':
        throw this.failed(word(':exception-type'), payload);
      case 'error':
        throw this.failed(word(':error-code'), word(':error-message'));
      default:
        throw new ProviderError('bad_response', 'A frame of the provider’s stream is neither an event nor an error');
    }
  }

  #decoded(frame: Buffer): ReturnType<Codec['decode']> {
    try {
      return this.codec.decode(frame);
    } catch (cause) {
      throw new ProviderError('bad_response', 'A frame of the provider’s stream is damaged', { cause });
    }
  }
}

/** The length of the frame that begins here, once its prelude has proved to be one. */
function frameLength(bytes: Buffer): number {
  const length = bytes.readUInt32BE(0);
  if (length < EMPTY_FRAME || crc32(bytes.subarray(0, PRELUDE - 4)) !== bytes.readUInt32BE(PRELUDE - 4))
    throw new ProviderError('bad_response', 'The provider’s stream is not in AWS’s framing, or damaged');
  if (length > MAX_EVENT_BYTES) throw new ProviderError('limit_exceeded', `An event of the answer has more than ${MAX_EVENT_BYTES} bytes.`);
  return length;
}

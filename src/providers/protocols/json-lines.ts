import { GatheredBytes } from '../../common/collections/gathered-bytes.js';
import { ProviderError } from '../contract/provider-error.js';
import type { EventSink } from '../transport/event-stream-parser.js';
import type { FrameParser, StreamFraming } from './stream-framing.js';

/** Bytes of one line at most. */
const MAX_LINE_BYTES = 10 * 1024 * 1024;

const LF = 10;

/**
 * Reads a stream of JSON texts, one in each line (`application/x-ndjson`), however its bytes are cut. Lines are events
 * without a name; empty lines are left out. A read is decoded up to its last line end, which is never inside a
 * character.
 */
class LineParser implements FrameParser {
  #rest: GatheredBytes | undefined;

  get waiting(): number {
    return this.#rest?.length ?? 0;
  }

  feed(bytes: Buffer, sink: EventSink): void {
    const end = bytes.lastIndexOf(LF) + 1;
    if (end === 0) return this.#keep(bytes);
    let lines = end === bytes.length ? bytes : bytes.subarray(0, end);
    if (this.#rest) {
      this.#checkSize(this.#rest.length + bytes.indexOf(LF));
      lines = Buffer.concat([...this.#rest.end(), lines]);
      this.#rest = undefined;
    }
    if (end < bytes.length) this.#keep(bytes.subarray(end));
    this.#read(lines.toString(), sink);
  }

  /** The last line may lack its line end. */
  finish(sink: EventSink): void {
    const rest = Buffer.concat(this.#rest?.end() ?? []);
    this.#rest = undefined;
    this.#read(`${rest.toString()}\n`, sink);
  }

  #keep(bytes: Buffer): void {
    this.#rest ??= new GatheredBytes();
    this.#checkSize(this.#rest.length + bytes.length);
    this.#rest.add(bytes);
  }

  #checkSize(bytes: number): void {
    if (bytes > MAX_LINE_BYTES) throw new ProviderError('limit_exceeded', `A line of the answer has more than ${MAX_LINE_BYTES} bytes.`);
  }

  /** @param lines each ends with LF or CRLF */
  #read(lines: string, sink: EventSink): void {
    let from = 0;
    for (let end = lines.indexOf('\n'); end >= 0; end = lines.indexOf('\n', from)) {
      const line = lines.slice(from, end).trim();
      from = end + 1;
      if (line !== '') sink.event('', line);
    }
  }
}

export const jsonLines: StreamFraming = { contentType: 'application/x-ndjson', parser: () => new LineParser() };

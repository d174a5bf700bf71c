import { isAscii, isUtf8 } from 'node:buffer';
import { GatheredBytes } from '../../common/collections/gathered-bytes.js';
import { asByteText, type ByteText } from '../../wire/byte-text.js';
import { ProviderError } from '../contract/provider-error.js';

/** One event of a `text/event-stream`; `event` is empty where the stream names none. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** Takes the events of a stream in their order. */
export interface EventSink {
  event(event: string, data: string): void;
  /**
   * Is shown bytes that begin with an event, and may take that event and others after it itself.
   * @param bytes whole lines of valid UTF-8
   * @returns the position after the last event that was taken
   */
  run?(bytes: ByteText, position: number): number;
}

/** Bytes of one event at most. */
export const MAX_EVENT_BYTES = 10 * 1024 * 1024;

/** Lines of the data of one event at most. */
const MAX_EVENT_LINES = 100_000;

const LF = 10;
const CR = 13;
const MARK = '\ufeff';
const BYTE_MARK = '\xef\xbb\xbf';

class Events implements EventSink {
  readonly all: ServerSentEvent[] = [];

  event(event: string, data: string): void {
    this.all.push({ event, data });
  }
}

/**
 * Reads a `text/event-stream` (HTML standard, 9.2.6) however its bytes are cut: LF, CR and CRLF, comments, a byte order
 * mark, several data lines and characters whose bytes are split between reads. A read is parsed up to its last line
 * end, which is never inside a character. It is decoded as a whole, or event by event where the sink takes bytes.
 */
export class EventStreamParser {
  #rest: GatheredBytes | undefined;
  #begun = false;
  #endedWithCr = false;
  #data: string | undefined;
  /** Number of lines that `data` is made of. */
  #lines = 0;
  #event = '';

  /** Bytes of events that are not complete. */
  get waiting(): number {
    return (this.#rest?.length ?? 0) + (this.#data?.length ?? 0);
  }

  /** @throws ProviderError limit_exceeded when an event exceeds MAX_EVENT_BYTES. */
  push(bytes: Buffer): readonly ServerSentEvent[] {
    const events = new Events();
    this.feed(bytes, events);
    return events.all;
  }

  /** The stream has ended. An event whose blank line is missing counts as an event. */
  end(): readonly ServerSentEvent[] {
    const events = new Events();
    this.finish(events);
    return events.all;
  }

  /** Does what `push` does, but gives the events to `sink`. */
  feed(bytes: Buffer, sink: EventSink): void {
    const { length } = bytes;
    const end = bytes[length - 1] === LF ? length : Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
    if (end === 0) {
      this.#keep(bytes);
      return;
    }
    let lines = end === length ? bytes : bytes.subarray(0, end);
    if (this.#rest) {
      this.#checkSize(this.#rest.length + lines.length);
      lines = Buffer.concat([...this.#rest.end(), lines]);
      this.#rest = undefined;
    }
    if (end < length) this.#keep(bytes.subarray(end));
    const ascii = isAscii(lines);
    if (sink.run && (ascii || isUtf8(lines))) this.#read(lines.toString('latin1'), sink, ascii ? undefined : lines, sink);
    else this.#read(lines.toString(), sink);
  }

  /** Does what `end` does, but gives the events to `sink`. */
  finish(sink: EventSink): void {
    const text = Buffer.concat(this.#rest?.end() ?? []).toString();
    this.#rest = undefined;
    this.#read(`${text}\n\n`, sink);
  }

  #keep(bytes: Buffer): void {
    this.#rest ??= new GatheredBytes();
    this.#rest.add(bytes);
    this.#checkSize(this.#rest.length);
  }

  /** @param rest bytes of lines that have not been read */
  #checkSize(rest: number): void {
    if (rest + (this.#data?.length ?? 0) > MAX_EVENT_BYTES) throw tooLarge(`${MAX_EVENT_BYTES} bytes`);
  }

  /**
   * @param lines each ends with LF, CR or CRLF
   * @param bytes the bytes that the characters of `lines` stand for, where the characters are not the text itself
   * @param takes is shown `lines` at the beginning of each event
   */
  #read(lines: string, sink: EventSink, bytes?: Buffer, takes?: EventSink): void {
    const { length } = lines;
    let position = 0;
    // The previous read ended between the CR and the LF of one line end.
    if (this.#endedWithCr && lines.charCodeAt(0) === LF) position = 1;
    this.#endedWithCr = lines.charCodeAt(length - 1) === CR;
    if (!this.#begun) {
      this.#begun = true;
      const mark = bytes ? BYTE_MARK : MARK;
      if (lines.startsWith(mark)) position = mark.length;
    }
    let lf = -1;
    let cr = -1;
    while (position < length) {
      if (takes && this.#data === undefined && this.#event === '') {
        position = takes.run!(asByteText(lines), position);
        if (position >= length) return;
      }
      if (lf < position) lf = indexOrEnd(lines, '\n', position);
      if (cr < position) cr = indexOrEnd(lines, '\r', position);
      const end = Math.min(lf, cr);
      if (end !== position) this.#line(lines, bytes, position, end);
      else if (this.#data !== undefined) {
        const event = this.#event;
        const data = this.#data;
        this.#data = undefined;
        this.#event = '';
        sink.event(event, data);
      } else this.#event = '';
      position = end + 1 === lf ? lf + 1 : end + 1;
    }
  }

  #line(text: string, bytes: Buffer | undefined, start: number, end: number): void {
    if (text.startsWith('data:', start)) {
      const from = text.charCodeAt(start + 5) === 32 ? start + 6 : start + 5;
      const value = bytes ? bytes.toString('utf8', from, end) : text.slice(from, end);
      this.#addLine(value);
      return;
    }
    const line = bytes ? bytes.toString('utf8', start, end) : text.slice(start, end);
    if (line === 'data') this.#addLine('');
    else if (line.startsWith('event:')) this.#event = line.slice(line.charCodeAt(6) === 32 ? 7 : 6);
  }

  #addLine(value: string): void {
    if (this.#data === undefined) {
      this.#data = value;
      this.#lines = 1;
      return;
    }
    this.#data += `\n${value}`;
    this.#checkSize(0);
    if (++this.#lines > MAX_EVENT_LINES) throw tooLarge(`${MAX_EVENT_LINES} lines`);
  }
}

function tooLarge(limit: string): ProviderError {
  return new ProviderError('limit_exceeded', `An event of the answer has more than ${limit}.`);
}

/** @returns the length of the text where the character is not found */
function indexOrEnd(text: string, character: string, position: number): number {
  const index = text.indexOf(character, position);
  return index < 0 ? text.length : index;
}

import { ProviderError } from '../provider-error.js';

/** One event of a `text/event-stream`; `event` is empty where the stream names none. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** Who takes the events of a stream, in their order. */
export interface EventSink {
  event(event: string, data: string): void;
  /**
   * Looks at text that begins with an event, and may take it and others behind it by itself.
   * @param text whole lines, ended by LF
   * @returns the position behind what was taken
   */
  run?(text: string, position: number): number;
}

/** Bytes of one event at most. */
export const MAX_EVENT_BYTES = 10 * 1024 * 1024;

const LF = 10;
const CR = 13;

class Events implements EventSink {
  readonly all: ServerSentEvent[] = [];

  event(event: string, data: string): void {
    this.all.push({ event, data });
  }
}

/**
 * Reads a `text/event-stream` (HTML standard, 9.2.6) from any cutting of its bytes: LF, CR and CRLF, comments, a byte order mark, several
 * data lines, multi-byte characters split between reads. Text is decoded once a read and up to its last line end, which no character spans.
 */
export class EventStreamParser {
  #rest: Buffer[] = [];
  #restBytes = 0;
  #begun = false;
  #endedWithCr = false;
  #data: string | undefined;
  #event = '';

  /** @throws ProviderError bad_response when an event exceeds MAX_EVENT_BYTES. */
  push(bytes: Buffer): readonly ServerSentEvent[] {
    const events = new Events();
    this.feed(bytes, events);
    return events.all;
  }

  /** The stream ended: what a provider leaves without its blank line is an event too. */
  end(): readonly ServerSentEvent[] {
    const events = new Events();
    this.finish(events);
    return events.all;
  }

  /** As `push`, without a list. */
  feed(bytes: Buffer, sink: EventSink): void {
    const { length } = bytes;
    const end = bytes[length - 1] === LF ? length : Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
    if (end === 0) {
      this.#keep(bytes);
      return;
    }
    let text: string;
    if (this.#restBytes === 0) text = bytes.toString('utf8', 0, end);
    else {
      this.#keep(bytes.subarray(0, end));
      text = Buffer.concat(this.#rest, this.#restBytes).toString();
      this.#rest = [];
      this.#restBytes = 0;
    }
    if (end < length) this.#keep(bytes.subarray(end));
    this.#read(text, sink);
  }

  /** As `end`, without a list. */
  finish(sink: EventSink): void {
    const text = Buffer.concat(this.#rest, this.#restBytes).toString();
    this.#rest = [];
    this.#restBytes = 0;
    this.#read(`${text}\n\n`, sink);
  }

  #keep(bytes: Buffer): void {
    this.#rest.push(bytes);
    this.#restBytes += bytes.length;
    this.#checkSize();
  }

  #checkSize(): void {
    if (this.#restBytes + (this.#data?.length ?? 0) > MAX_EVENT_BYTES) {
      throw new ProviderError('bad_response', `An event of the provider's stream exceeds ${MAX_EVENT_BYTES} bytes`);
    }
  }

  #read(text: string, sink: EventSink): void {
    let position = 0;
    if (!this.#begun) {
      this.#begun = true;
      if (text.charCodeAt(0) === 0xfeff) position = 1;
    }
    // The read before ended between the CR and the LF of one line end.
    if (this.#endedWithCr && text.charCodeAt(0) === LF) position = 1;
    this.#endedWithCr = text.charCodeAt(text.length - 1) === CR;
    const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    while (position < lines.length) {
      if (sink.run && this.#data === undefined && this.#event === '') {
        position = sink.run(lines, position);
        if (position >= lines.length) return;
      }
      const end = lines.indexOf('\n', position);
      if (end !== position) this.#line(lines, position, end);
      else if (this.#data !== undefined) {
        const event = this.#event;
        const data = this.#data;
        this.#data = undefined;
        this.#event = '';
        sink.event(event, data);
      } else this.#event = '';
      position = end + 1;
    }
  }

  #line(text: string, start: number, end: number): void {
    if (text.startsWith('data:', start)) {
      const value = text.slice(text.charCodeAt(start + 5) === 32 ? start + 6 : start + 5, end);
      if (this.#data === undefined) this.#data = value;
      else {
        this.#data += `\n${value}`;
        this.#checkSize();
      }
      return;
    }
    const line = text.slice(start, end);
    if (line === 'data') this.#data = this.#data === undefined ? '' : `${this.#data}\n`;
    else if (line.startsWith('event:')) this.#event = line.slice(line.charCodeAt(6) === 32 ? 7 : 6);
  }
}

import type { EventSink } from '../transport/event-stream-parser.js';

/** Reads the frames of one stream. What it throws is the error of the response. */
export interface FrameParser {
  /** Bytes of frames that are not complete. */
  readonly waiting: number;
  /** Gives the events of the frames that these bytes complete to `sink`. */
  feed(bytes: Buffer, sink: EventSink): void;
  /** The stream has ended. */
  finish(sink: EventSink): void;
}

/** The framing of a vendor's streams that are no server-sent events. */
export interface StreamFraming {
  /** Lower case, without parameters. */
  readonly contentType: string;
  parser(): FrameParser;
}

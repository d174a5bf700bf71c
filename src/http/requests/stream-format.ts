import { asByteText, type ByteText, byteText } from '../../wire/byte-text.js';
import type { ErrorBody } from '../../wire/error.js';

/**
 * How the events of one stream are framed, and how it ends. Its operation gives it to the context of the request as soon
 * as it knows that it answers with a stream; absent: as chat completions.
 */
export interface StreamFormat {
  /** What is written before each payload; the payload and a blank line follow. */
  readonly prefix: ByteText;
  /** What is written after silence; absent: a comment. */
  readonly heartbeat?: ByteText;
  /** The last event of a stream that is complete, framed; the empty text where the last payload says so itself. */
  readonly done: ByteText;
  /** The last event of a stream that fails after its head, also as the first, framed. It must not look complete. */
  failed(error: ErrorBody): ByteText;
}

/** `data: {json}`, and at the end `data: [DONE]` (specification, Endpoints), or the error envelope without it. */
export const dataEvents: StreamFormat = {
  prefix: asByteText('data: '),
  done: asByteText('data: [DONE]\n\n'),
  failed: (error) => asByteText(`data: ${byteText(JSON.stringify(error))}\n\n`),
};

import type { StreamFormat } from '../http/requests/stream-format.js';
import { asByteText, byteText } from '../wire/byte-text.js';
import { messagesError } from './messages-error.js';

/** Each event has its name; the last one says itself that it is, and a stream that fails ends with an event `error`. */
export function messageStream(requestId: string): StreamFormat {
  return {
    prefix: asByteText('event: '),
    heartbeat: asByteText('event: ping\ndata: {"type":"ping"}\n\n'),
    done: asByteText(''),
    failed: ({ error: { code, message } }) =>
      asByteText(`event: error\ndata: ${byteText(JSON.stringify(messagesError(code, message, requestId)))}\n\n`),
  };
}

import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { newRequestId } from '../../common/request-id.js';
import { errorBody, type ErrorCode, errorCodes } from '../../wire/error.js';

/** Answers what Node gives to listeners of its own instead of the request handler: other expectations, and CONNECT. */
export function refuseUnsupportedRequests(server: Server): void {
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const [head, body] = errorResponse('expectation_failed', 'The only expectation that is met is 100-continue.');
    response.writeHead(errorCodes.expectation_failed.status, head).end(body);
  });
  server.on('connect', (_request, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    socket.end(responseText('method_not_allowed', 'This is not a proxy: CONNECT is not supported.'));
  });
}

interface ClientError extends Error {
  code?: string;
  /** The parser's description, for example "Invalid header value char"; it never contains the client's bytes. */
  reason?: string;
}

/** Answers what is not valid HTTP, or too large or too slow to be read. */
export function onClientError(error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  socket.end(responseText(...explain(error)), () => socket.destroy());
}

function explain({ code, reason }: ClientError): [ErrorCode, string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return ['request_header_too_large', 'The request line and headers are larger than 16 KiB.'];
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return ['request_too_large', 'The chunk extensions of the request body are too large.'];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['request_timeout', 'The request did not arrive in time.'];
    case 'HPE_PAUSED_H2_UPGRADE':
      return ['invalid_request', 'HTTP/2 is not spoken here. Use HTTP/1.1.'];
    default:
      return ['invalid_request', `The request is not valid HTTP/1.1${reason ? `: ${reason}` : ''}.`];
  }
}

/**
 * Whether bytes written now would end up in the response to another request. Node keeps the response that owns the
 * socket in `_httpMessage`, and its default handler checks the same.
 */
function isAnswering(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  const current = socket._httpMessage;
  return current != null && (current.headersSent || current.req.complete);
}

function errorResponse(code: ErrorCode, message: string): [head: Record<string, string>, body: string] {
  const body = JSON.stringify(errorBody(code, message));
  return [
    {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': newRequestId(),
      connection: 'close',
    },
    body,
  ];
}

function responseText(code: ErrorCode, message: string): string {
  const [head, body] = errorResponse(code, message);
  const { status } = errorCodes[code];
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

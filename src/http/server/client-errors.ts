import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { newRequestId } from '../../common/requests/request-id.js';
import { errorBody, type ErrorCode, errorCodes } from '../../wire/error.js';
import { lingerOnClose } from './discard-body.js';
import { framingError } from './framing-error.js';

const REFUSED = Symbol('a request on this connection was refused');

const WAITING = Symbol('number of requests that wait for the answers to earlier ones on this connection');

/**
 * Requests that wait on one connection. Node reads all of them that one read of the socket brings, 1,700 of the
 * shortest, in one turn of the event loop.
 */
const MAX_WAITING = 100;

type Connection = Socket & { [REFUSED]?: true; [WAITING]?: number };

/**
 * Hands on to `handler` only requests that can be read in one way, and of pipelined ones so many at a time.
 * @param limit bytes of a refused request that are dropped before its connection is closed
 */
export function refuseAmbiguousRequests(handler: RequestListener, limit: number): RequestListener {
  return (request, response) => {
    // Where a request was refused, what follows on the connection may be its body.
    if ((request.socket as Connection)[REFUSED]) return;
    // Node gives a response its socket when those before it have been written.
    if (response.socket === null && !mayWait(request.socket, response)) {
      lingerOnClose(request.socket, limit);
      return refuse(request, response, 'rate_limit_exceeded', `More than ${MAX_WAITING} requests of this connection wait for answers.`);
    }
    const error = framingError(request);
    if (error === undefined) handler(request, response);
    else {
      lingerOnClose(request.socket, limit);
      refuse(request, response, 'invalid_request', error);
    }
  };
}

/** @returns whether a request may wait behind those before it */
function mayWait(connection: Connection, response: ServerResponse): boolean {
  const waiting = (connection[WAITING] ?? 0) + 1;
  if (waiting > MAX_WAITING) return false;
  connection[WAITING] = waiting;
  response.once('close', () => connection[WAITING]!--);
  return true;
}

/** Answers what Node gives to listeners of its own instead of the request handler: expectations, and CONNECT. */
export function refuseUnsupportedRequests(server: Server): void {
  const unmet = (request: IncomingMessage, response: ServerResponse): void =>
    refuse(request, response, 'expectation_failed', 'The only expectation that is met is 100-continue.');
  server.on('checkExpectation', unmet);
  // Without a listener, Node would send "100 Continue" before the key has been checked. Node calls it for whatever
  // contains 100-continue.
  server.on('checkContinue', (request, response) => {
    if (request.headers.expect?.toLowerCase() === '100-continue') server.emit('request', request, response);
    else unmet(request, response);
  });
  server.on('connect', (_request, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    socket.end(responseText('method_not_allowed', 'This is not a proxy: CONNECT is not supported.'));
  });
}

/**
 * Answers behind the responses to earlier requests on the connection, closes it, and takes no further request from it.
 */
function refuse(request: IncomingMessage, response: ServerResponse, code: ErrorCode, message: string): void {
  (request.socket as Connection)[REFUSED] = true;
  const [head, body] = errorResponse(code, message);
  response.writeHead(errorCodes[code].status, head).end(body);
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

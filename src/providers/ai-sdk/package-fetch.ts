import { AsyncLocalStorage } from 'node:async_hooks';
import { ByteClaim } from '../../common/limits/byte-budget.js';
import { GatheredBytes } from '../../common/collections/gathered-bytes.js';
import type { ProviderCall } from '../contract/model-provider.js';
import { ProviderError } from '../contract/provider-error.js';
import type { Endpoint } from '../protocols/endpoint.js';
import { requireParsable } from '../translation/parsed-json.js';
import { MAX_BODY_BYTES } from '../transport/body-limits.js';
import { EventStreamParser } from '../transport/event-stream-parser.js';
import type { HttpTransport } from '../transport/http-transport.js';
import type { UpstreamResponse } from '../transport/upstream-response.js';
import { readRequest } from './fetch-request.js';

/** One call of a provider, whose requests the package makes. */
export interface FetchCall {
  readonly call: ProviderCall;
  /** Aborts with the call's own, and when the answer has ended. */
  readonly signal: AbortSignal;
  readonly claim: ByteClaim;
  /** Whether the client is sent each part as it comes. */
  readonly streamed: boolean;
  /** Whether the package has asked. */
  asked: boolean;
  /** The status of the answer. */
  status?: number;
  /** What the package reads of the answer. */
  body?: AsyncGenerator<Uint8Array, void>;
}

/** The body of a response as a package reads it. */
type Body = ReadableStream<Uint8Array> | string | null;

const CR = 13;

/** Statuses whose responses have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * The `fetch` that a package is given. Each request goes through the gateway's transport to the address of the entry,
 * with its headers, timeouts and proxy, for the call in whose course it is made.
 */
export class PackageFetch {
  readonly #calls = new AsyncLocalStorage<FetchCall>();

  constructor(
    private readonly transport: HttpTransport,
    private readonly endpoint: Endpoint,
  ) {}

  /** Runs what makes the package ask for this call. */
  during<Result>(call: FetchCall, run: () => Result): Result {
    return this.#calls.run(call, run);
  }

  /** @throws ProviderError (rejects) */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const current = this.#calls.getStore();
    if (!current) throw new ProviderError('bad_response', 'The package asks outside of a call');
    const { origin, query, headers, timeouts, reach } = this.endpoint;
    const asked = await readRequest(input, init);
    // What a client names is not asked, and no other address is given the entry's key.
    if (asked.url.origin !== origin)
      throw new ProviderError('bad_response', `The package asks ${asked.url.origin}, which is not the address of the entry`);
    current.asked = true;
    const path = asked.url.pathname + asked.url.search;
    const response = await this.transport.send({
      method: asked.method,
      origin,
      path: query ? path + (asked.url.search ? `&${query.slice(1)}` : query) : path,
      headers: { ...asked.headers, ...current.call.traceHeaders, ...headers },
      body: asked.body,
      timeouts,
      reach,
      signal: current.signal,
    });
    current.status = response.status;
    return responseOf(response, await bodyOf(response, current));
  };
}

/** @returns what the package may read: an error's beginning, JSON as a whole, anything else as it comes */
async function bodyOf(response: UpstreamResponse, current: FetchCall): Promise<Body> {
  const { status, contentType } = response;
  if (bodiless.has(status)) {
    response.release();
    return null;
  }
  if (status < 200 || status > 299) return response.excerpt();
  if (/^application\/(.+\+)?json$/.test(contentType)) return wholeText(response, current);
  const body = contentType === 'text/event-stream' ? events(response, current) : limited(response, current);
  current.body = body;
  return ReadableStream.from(body);
}

/** The bytes of a stream of events, none of which is too long or cannot be parsed within limits. */
async function* events(response: UpstreamResponse, { call, claim, streamed }: FetchCall): AsyncGenerator<Uint8Array, void> {
  const parser = new EventStreamParser();
  let bytes = 0;
  let last: number | undefined;
  for await (const chunk of response.bytes(call.flow)) {
    for (const { data } of parser.push(chunk)) requireParsable(data);
    bytes += chunk.length;
    // What is not streamed to the client waits for its end.
    keep(claim, streamed ? parser.waiting : bytes);
    yield chunk;
    last = chunk.at(-1);
  }
  // The parser of the AI SDK waits for what may follow a CR, and would lose the last event.
  if (last === CR) yield Buffer.from('\n');
}

async function* limited(response: UpstreamResponse, { call, claim, streamed }: FetchCall): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  for await (const chunk of response.bytes(call.flow)) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw tooLong();
    if (!streamed) keep(claim, bytes);
    yield chunk;
  }
}

async function wholeText(response: UpstreamResponse, { call, claim }: FetchCall): Promise<string> {
  const gathered = new GatheredBytes();
  for await (const chunk of response.bytes(call.flow)) {
    gathered.add(chunk);
    if (gathered.length > MAX_BODY_BYTES) throw tooLong();
    keep(claim, gathered.length);
  }
  const text = Buffer.concat(gathered.end()).toString();
  requireParsable(text);
  return text;
}

function keep(claim: ByteClaim, bytes: number): void {
  if (claim.resize(bytes)) return;
  throw new ProviderError(
    'limit_exceeded',
    'The answers under way, or those of this account, have too many bytes together (server.answer_budget). Please retry.',
  );
}

function tooLong(): ProviderError {
  return new ProviderError('limit_exceeded', `The answer has more than ${MAX_BODY_BYTES} bytes.`);
}

function responseOf({ status, headers: told }: UpstreamResponse, body: Body): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(told)) for (const one of [value ?? []].flat()) headers.append(name, one);
  if (status > 599) throw new ProviderError('bad_response', `The provider answered with the status ${status}`, { status });
  return new Response(body, { status, headers });
}

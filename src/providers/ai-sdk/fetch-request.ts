import { ProviderError } from '../contract/provider-error.js';
import type { UpstreamRequest } from '../transport/upstream-request.js';

/** A request as a package makes it. */
interface FetchRequest {
  readonly url: URL;
  readonly method: UpstreamRequest['method'];
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | undefined;
}

/** Headers that the transport sets, or that would change how the answer comes. */
const ours: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads the arguments of `fetch`.
 * @throws ProviderError (rejects) bad_response for what the transport does not send
 */
export async function readRequest(input: string | URL | Request, init: RequestInit = {}): Promise<FetchRequest> {
  const { body: given, method = 'GET' } = init;
  if (!(input instanceof Request) && (given == null || typeof given === 'string' || given instanceof Uint8Array))
    return { url: new URL(input), method: methodOf(method), headers: headersOf(new Headers(init.headers)), body: given ?? undefined };
  const request = new Request(input, {
    ...init,
    signal: null,
    ...(given instanceof ReadableStream && { duplex: 'half' }),
  });
  const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
  return { url: new URL(request.url), method: methodOf(request.method), headers: headersOf(request.headers), body };
}

function methodOf(method: string): UpstreamRequest['method'] {
  const upper = method.toUpperCase();
  if (upper === 'GET' || upper === 'POST') return upper;
  throw new ProviderError('bad_response', `The package makes a request of the method ${upper.slice(0, 20)}, which is not sent`);
}

function headersOf(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !ours.has(name)));
}

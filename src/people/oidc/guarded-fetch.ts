import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import {
  isInternalAddress,
  isRefusedAddress,
  type Lookup,
  lookupWithout,
  refusedAddress,
} from '../../common/addresses/refused-addresses.js';
import type { Clock } from '../../common/time/clock.js';

/** What an issuer may be. */
export interface IssuerReach {
  readonly allow_private_addresses: boolean;
}

/** Bytes of an answer. */
const MAX_ANSWER = 1024 * 1024;
const TIMEOUT_MS = 10_000;

/** What openid-client hands to a `fetch` of ours. */
interface Call {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null | undefined;
}

/**
 * A `fetch` for issuers. The name is resolved once, what it resolves to is checked, and that is what is connected to.
 * Redirects are not followed.
 * @param resolve what resolves names
 */
export function guardedFetch(
  { allow_private_addresses }: IssuerReach,
  clock: Clock,
  resolve?: Lookup,
): (url: string, call: Call) => Promise<Response> {
  const refuses = allow_private_addresses ? isRefusedAddress : isInternalAddress;
  const lookup = lookupWithout(refuses, resolve);
  return (address, { method = 'GET', headers = {}, body, signal }) =>
    new Promise((answered, failed) => {
      const url = new URL(address);
      // An address is connected to without being looked up.
      if (refuses(url.hostname)) return failed(refusedAddress(url.hostname));
      const form = body instanceof URLSearchParams ? body.toString() : body;
      const bytes = typeof form === 'string' ? Buffer.from(form) : undefined;
      const timeout = clock.timeout(TIMEOUT_MS);
      const send = url.protocol === 'https:' ? requestHttps : requestHttp;
      const sent = send(
        url,
        {
          method,
          agent: false,
          headers: { ...headers, ...(bytes && { 'content-length': bytes.length }) },
          lookup,
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        },
        (response) => {
          const chunks: Buffer[] = [];
          let length = 0;
          response.on('data', (chunk: Buffer) => {
            chunks.push(chunk);
            if ((length += chunk.length) > MAX_ANSWER) sent.destroy(new Error(`the issuer answers more than ${MAX_ANSWER} bytes`));
          });
          response.once('error', failed);
          response.once('end', () => {
            const type = response.headers['content-type'] ?? '';
            const status = response.statusCode ?? 500;
            const empty = status === 204 || status === 205 || status === 304;
            answered(new Response(empty ? null : Buffer.concat(chunks), { status, headers: { 'content-type': type } }));
          });
        },
      );
      sent.once('error', failed);
      sent.end(bytes);
    });
}

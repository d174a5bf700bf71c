import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Lookup, lookupWithout } from '../common/addresses/refused-addresses.js';
import type { Clock } from '../common/time/clock.js';
import { type Reach, reachableUrl, refuses } from './reachable-address.js';

/** Bytes of an answer that are read; nothing depends on them. */
const MAX_ANSWER = 4_096;

export const REQUEST_TIMEOUT_MS = 10_000;

export interface WebhookAnswer {
  readonly status: number;
  /** The beginning of the body. */
  readonly text: string;
}

interface WebhookMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Posts a message on a connection of its own. The name is resolved once, what it resolves to is checked, and that is
 * what is connected to. Redirects are not followed.
 * @param resolve what resolves names
 * @throws Error (rejects) where no answer begins within the time, or the address is refused
 */
export async function post(
  { url, headers, body, signal }: WebhookMessage,
  reach: Reach,
  clock: Clock,
  resolve?: Lookup,
): Promise<WebhookAnswer> {
  const target = reachableUrl(url, reach);
  const timeout = clock.timeout(REQUEST_TIMEOUT_MS);
  const request = target.protocol === 'https:' ? requestHttps : requestHttp;
  const bytes = Buffer.from(body);
  return new Promise((answered, failed) => {
    const sent = request(
      target,
      {
        method: 'POST',
        agent: false,
        headers: { ...headers, 'content-type': 'application/json', 'content-length': bytes.length, 'user-agent': 'Switchyard' },
        lookup: lookupWithout(refuses(reach), resolve),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      },
      (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        const end = () => {
          sent.destroy();
          answered({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8', 0, MAX_ANSWER) });
        };
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if ((length += chunk.length) >= MAX_ANSWER) end();
        });
        // What has begun to answer has the message, however its answer ends.
        sent.off('error', unanswered).on('error', end);
        response.once('end', end).once('error', end).once('close', end);
      },
    );
    const unanswered = (error: Error) => failed(timeout.aborted ? new Error('no answer in time', { cause: error }) : error);
    sent.on('error', unanswered);
    sent.end(bytes);
  });
}

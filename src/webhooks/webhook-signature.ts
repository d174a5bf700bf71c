import { createHmac } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';

/** The headers by which a receiver knows a message. */
interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * Signs a message as Standard Webhooks says (https://www.standardwebhooks.com): HMAC-SHA-256 of id, time and body.
 * @param secrets each `whsec_` and base64; with each of them a receiver can verify the message
 * @param seconds since 1970
 */
export function signedHeaders(secrets: readonly string[], id: string, seconds: number, body: string): SignedHeaders {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') };
}

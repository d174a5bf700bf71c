import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import type { SignatureV4 } from '@smithy/signature-v4';
import type { Sign, SignableRequest } from '../transport/upstream-request.js';
import type { AwsPackages } from './aws-packages.js';
import type { BedrockOptions } from './bedrock.options.js';

/** Proxies on the way may change what belongs to traces, which is therefore not signed. */
const unsignableHeaders = new Set(['traceparent', 'tracestate', 'baggage']);

/**
 * Signs requests as AWS asks for (Signature Version 4): with the entry's own keys, otherwise with those that AWS's
 * credential chain finds (environment, profiles, web identity, roles of containers and machines). The chain is asked at
 * the first request, remembers what it has found until shortly before its end, and asks for it once at a time.
 * @param hide is told the keys that the chain has found
 */
export function requestSigner(packages: AwsPackages, options: BedrockOptions, hide: (secret: string) => void): Sign {
  const { region, access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = options;
  const own = accessKeyId !== undefined && secretAccessKey !== undefined ? { accessKeyId, secretAccessKey, sessionToken } : undefined;
  const credentials = own ?? foundCredentials(packages, options, hide);
  const signer = new packages.SignatureV4({ service: 'bedrock', region, credentials, sha256: Sha256 });
  return async (request) => (await signer.sign(await httpRequest(request), { unsignableHeaders })).headers;
}

function foundCredentials({ defaultProvider }: AwsPackages, { profile, region }: BedrockOptions, hide: (secret: string) => void) {
  const find = defaultProvider({ ...(profile !== undefined && { profile }), clientConfig: { region } });
  return async () => {
    const found = await find();
    hide(found.secretAccessKey);
    if (found.sessionToken !== undefined) hide(found.sessionToken);
    return found;
  };
}

type HttpRequest = Parameters<SignatureV4['sign']>[0] & { headers: Record<string, string> };

/** The request as AWS's package has it, but for the body, of which the signature holds the hash alone. */
async function httpRequest({ method, origin, path, headers, pieces }: SignableRequest): Promise<HttpRequest> {
  const { protocol, hostname, host } = new URL(origin);
  const hash = createHash('sha256');
  for await (const piece of pieces()) hash.update(piece);
  const mark = path.indexOf('?');
  const query: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(mark < 0 ? '' : path.slice(mark + 1))) (query[name] ??= []).push(value);
  return {
    method,
    protocol,
    hostname,
    path: mark < 0 ? path : path.slice(0, mark),
    query,
    headers: { ...headers, host, 'x-amz-content-sha256': hash.digest('hex') },
  };
}

/** Node's own SHA-256, and HMAC where there is a secret, in the form that AWS's packages ask for. */
class Sha256 {
  #hash: Hash | Hmac;

  constructor(private readonly secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = this.#begin();
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    this.#hash = this.#begin();
  }

  #begin(): Hash | Hmac {
    const { secret } = this;
    if (secret === undefined) return createHash('sha256');
    if (secret instanceof ArrayBuffer) return createHmac('sha256', Buffer.from(secret));
    return createHmac('sha256', typeof secret === 'string' ? secret : Buffer.from(secret.buffer, secret.byteOffset, secret.byteLength));
  }
}

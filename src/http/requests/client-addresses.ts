import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ConfigService } from '../../config/config.service.js';
import { inRanges } from './address-ranges.js';

/** Addresses of which it is remembered whether they are a proxy’s. */
const PROXIES = 2_000;

/** Tells from which address a client asks, also behind the proxies of `server.trusted_proxies`. */
@Injectable()
export class ClientAddresses {
  #isTrusted: (address: string) => boolean;

  constructor(config: ConfigService) {
    this.#isTrusted = inRanges(config.current.server.trusted_proxies, PROXIES);
    config.onChange(({ server }) => (this.#isTrusted = inRanges(server.trusted_proxies, PROXIES)));
  }

  /** @returns undefined where a trusted proxy does not say who its client is */
  of({ raw, headers }: FastifyRequest): string | undefined {
    // Node joins repeated headers of this name.
    return clientAddressOf(raw.socket.remoteAddress, headers['x-forwarded-for'] as string | undefined, this.#isTrusted);
  }

  /** Whether a trusted proxy says that its client has asked by TLS. */
  isTls({ raw, headers }: FastifyRequest): boolean {
    const { remoteAddress } = raw.socket;
    return headers['x-forwarded-proto'] === 'https' && remoteAddress !== undefined && this.#isTrusted(remoteAddress);
  }
}

/**
 * Walks from the socket's peer backwards through X-Forwarded-For, to which each proxy adds its peer at the end, up to
 * the first address that is no trusted proxy. What stands before that is the client's own say, and is not looked at.
 * Where all are trusted, the farthest one is the client.
 * @returns undefined where the walk comes upon something that is no address
 */
export function clientAddressOf(
  peer: string | undefined,
  forwardedFor: string | undefined,
  isTrusted: (address: string) => boolean,
): string | undefined {
  let address = peer;
  for (let end = forwardedFor?.length ?? 0; end > 0 && address !== undefined && isTrusted(address);) {
    const comma = forwardedFor!.lastIndexOf(',', end - 1);
    address = addressIn(forwardedFor!.slice(comma + 1, end).trim());
    end = comma;
  }
  return address;
}

/** Some proxies write the port as well: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressIn(entry: string): string | undefined {
  const [, bare = entry] = /^\[([^[\]]*)\](?::\d{1,5})?$/.exec(entry) ?? /^([\d.]*):\d{1,5}$/.exec(entry) ?? [];
  return isIP(bare) === 0 ? undefined : bare;
}

import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientAddresses } from '../../http/requests/client-addresses.js';
import type { Config } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';

/** The longest cookie that is looked at, in characters. */
const MAX_VALUE = 2_048;

/** Reads and writes cookies that no script and no other site can read. */
@Injectable()
export class Cookies {
  constructor(
    private readonly config: ConfigService,
    private readonly clients: ClientAddresses,
  ) {}

  /**
   * Whether the browser has asked by TLS: because the public address says so, or a proxy that is believed.
   */
  isSecure(request: FastifyRequest): boolean {
    return publicUrl(this.config.current)?.startsWith('https:') || this.clients.isTls(request);
  }

  /** @param name without the prefix that a secure cookie has */
  read(request: FastifyRequest, name: string): string | undefined {
    const { cookie } = request.headers;
    if (cookie === undefined) return undefined;
    const start = `${this.#fullName(request, name)}=`;
    for (const part of cookie.split(';')) {
      const text = part.trim();
      if (text.startsWith(start) && text.length <= start.length + MAX_VALUE) return text.slice(start.length);
    }
    return undefined;
  }

  /**
   * @param maxAge seconds; 0 removes it
   */
  write(request: FastifyRequest, reply: FastifyReply, name: string, value: string, maxAge: number): void {
    const secure = this.isSecure(request) ? '; Secure' : '';
    const cookie = `${this.#fullName(request, name)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
    void reply.header('set-cookie', cookie).header('cache-control', 'no-store');
  }

  /** A browser takes a cookie with this prefix from nobody but this very host, and by TLS alone. */
  #fullName(request: FastifyRequest, name: string): string {
    return this.isSecure(request) ? `__Host-${name}` : name;
  }
}

/** The address by which browsers reach the pages, where the configuration says it. */
export function publicUrl({ dashboard, server }: Config): string | undefined {
  return dashboard.public_url ?? server.public_url;
}

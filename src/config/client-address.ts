import type { Config } from './config.schema.js';

/** The base address with which clients call the gateway, with /v1: the public one, or else one of this machine. */
export function clientAddress({
  public_url,
  host,
  port,
}: Pick<Config['server'], 'host' | 'port'> & { readonly public_url?: string | undefined }): string {
  if (public_url !== undefined) return `${public_url.replace(/\/+$/, '')}/v1`;
  const everywhere = host === '0.0.0.0' || host === '::';
  return `http://${everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}/v1`;
}

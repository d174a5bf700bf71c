import { BlockList, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Headers with which proxies, balancers and tunnels tell whose request they pass on. */
const forwarding =
  /^(forwarded|via|cdn-loop|true-client-ip|(x-)?(forwarded|original|real|client|cluster|proxyuser|envoy|azure|appengine|amzn|amz-cf|cloud-trace)\b.*|(cf|fly|fastly|akamai|tailscale|ngrok)-.+)$/;

/** `localhost` or a loopback address, with or without a port. */
const localHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/**
 * Whether a program on this machine asks for itself. A reverse proxy on this machine connects from the loopback too, so
 * its marks are looked for: a header of forwarding, another host than the loopback, a whole URL, or HTTP/1.0. A proxy
 * that leaves none of them cannot be told from a local program.
 */
export function isFromThisMachine({ raw, url, headers }: FastifyRequest): boolean {
  const address = raw.socket.remoteAddress ?? '';
  return (
    loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') &&
    raw.httpVersion !== '1.0' &&
    url.startsWith('/') &&
    localHost.test(headers.host ?? '') &&
    !Object.keys(headers).some((name) => forwarding.test(name))
  );
}

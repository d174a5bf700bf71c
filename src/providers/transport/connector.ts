import { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { openTunnel } from './proxy-tunnel.js';
import { guardedLookup, isRefusedAddress, refusedAddress } from './refused-addresses.js';
import type { Reach } from './upstream-request.js';

interface ConnectorOptions extends Reach {
  /** Milliseconds for DNS, TCP and TLS together. */
  readonly timeout: number;
}

const reused = new WeakSet<object>();

/** @param onSocket told of each socket as it begins to connect */
export function createConnector(
  { timeout, allowLinkLocal = false, proxy }: ConnectorOptions,
  onSocket: (socket: Socket) => void = () => undefined,
): buildConnector.connector {
  const direct = buildConnector({ timeout, ...(allowLinkLocal ? {} : { lookup: guardedLookup }) });
  const connect = proxy === undefined ? direct : throughProxy(new URL(proxy), direct, timeout);
  return (options, callback) => {
    // Node asks no resolver for a literal address.
    if (!allowLinkLocal && isRefusedAddress(options.hostname)) {
      queueMicrotask(() => callback(refusedAddress(options.hostname), null));
      return;
    }
    let told = false;
    const begun: unknown = connect(options, (...result) => {
      const socket = result[1];
      if (told) {
        socket?.destroy();
        return;
      }
      told = true;
      socket?.once('error', (error) => {
        if (socket.bytesRead > 0) reused.add(error);
      });
      callback(...result);
    });
    if (!(begun instanceof Socket)) return;
    onSocket(begun);
    // Of a socket that is given up while it connects undici hears nothing else, and would wait for it for ever.
    begun.once('close', () => {
      if (told) return;
      told = true;
      callback(new Error('given up while it connected'), null);
    });
  };
}

/** The proxy resolves the name, so that only literal addresses are judged here. */
function throughProxy(proxy: URL, direct: buildConnector.connector, timeout: number): buildConnector.connector {
  return (options, callback) => {
    const secure = options.protocol === 'https:';
    const target = `${options.hostname}:${options.port || (secure ? 443 : 80)}`;
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error('the proxy is silent'), { code: 'UND_ERR_CONNECT_TIMEOUT' })),
      timeout,
    );
    const socket = openTunnel(proxy, target, (error, tunnel) => {
      clearTimeout(timer);
      if (!tunnel) callback(error ?? new Error('no tunnel'), null);
      else if (secure) direct({ ...options, httpSocket: tunnel }, callback);
      else callback(null, tunnel);
    });
    return socket;
  };
}

/** The connection had carried an answer before: a request that fails on it without a byte may have met a closing keep-alive socket. */
export function failedOnReusedConnection(error: Error): boolean {
  return reused.has(error);
}

import { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { openTunnel } from './proxy-tunnel.js';
import {
  isInternalAddress,
  isRefusedAddress,
  type Lookup,
  lookupWithout,
  refusedAddress,
} from '../../common/addresses/refused-addresses.js';
import type { Clock } from '../../common/time/clock.js';
import { undici } from './undici.js';
import type { Reach } from './upstream-request.js';

interface ConnectorOptions extends Reach {
  /** Milliseconds for DNS, TCP and TLS together. */
  readonly timeout: number;
  readonly clock: Clock;
}

/** What resolves names, and which literal addresses are refused: Node does not look these up. */
interface Guard {
  readonly lookup?: Lookup;
  readonly refuses: (host: string) => boolean;
}

const unguarded: Guard = { refuses: () => false };
const withoutLinkLocal: Guard = { lookup: lookupWithout(isRefusedAddress), refuses: isRefusedAddress };
const withoutInternal: Guard = { lookup: lookupWithout(isInternalAddress), refuses: isInternalAddress };

const reused = new WeakSet<object>();

/** @param onSocket is given each socket when it begins to connect */
export function createConnector(
  { timeout, clock, allowLinkLocal = false, publicOnly = false, proxy }: ConnectorOptions,
  onSocket: (socket: Socket) => void = () => undefined,
): buildConnector.connector {
  const { lookup, refuses } = publicOnly ? withoutInternal : allowLinkLocal ? unguarded : withoutLinkLocal;
  const direct = undici().buildConnector({ timeout, allowH2: false, ...(lookup && { lookup }) });
  const connect = proxy === undefined ? direct : throughProxy(new URL(proxy), direct, timeout, clock);
  return (options, callback) => {
    if (refuses(options.hostname)) {
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
    // undici hears nothing else of a socket that is destroyed while it connects, and would wait for it forever.
    begun.once('close', () => {
      if (told) return;
      told = true;
      callback(new Error('given up while it connected'), null);
    });
  };
}

/** The proxy resolves the host name, so that only literal addresses can be checked here. */
function throughProxy(proxy: URL, direct: buildConnector.connector, timeout: number, clock: Clock): buildConnector.connector {
  return (options, callback) => {
    const secure = options.protocol === 'https:';
    const target = `${options.hostname}:${options.port || (secure ? 443 : 80)}`;
    const timer = clock.setTimeout(
      () => socket.destroy(Object.assign(new Error('the proxy is silent'), { code: 'UND_ERR_CONNECT_TIMEOUT' })),
      timeout,
    );
    const socket = openTunnel(proxy, target, (error, tunnel) => {
      clock.clear(timer);
      if (!tunnel) callback(error ?? new Error('no tunnel'), null);
      else if (secure) direct({ ...options, httpSocket: tunnel }, callback);
      else callback(null, tunnel);
    });
    return socket;
  };
}

/**
 * Whether the request failed on a connection that had carried a response before. If no byte of a response came, the
 * provider may have closed an idle connection at the moment when the request was sent.
 */
export function failedOnReusedConnection(error: Error): boolean {
  return reused.has(error);
}

import { request } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/**
 * Asks a proxy for a tunnel to `target` (host:port) and calls back with the socket of the tunnel.
 * @param proxy `http:` or `https:`, with user and password where the proxy wants them
 * @returns the socket while it connects; destroying it gives up
 */
export function openTunnel(proxy: URL, target: string, callback: (error: Error | null, socket: Socket | null) => void): Socket {
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  const port = Number(proxy.port || (proxy.protocol === 'https:' ? 443 : 80));
  const socket = proxy.protocol === 'https:' ? connectTls({ host, port, servername: host }) : connectTcp({ host, port });
  const asking = request({
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...credentialsOf(proxy) },
    createConnection: () => socket,
  });
  let answered = false;
  const fail = (error: Error): void => {
    socket.destroy();
    if (!answered) callback(error, null);
    answered = true;
  };
  asking.once('connect', ({ statusCode = 0 }, _socket, rest) => {
    if (statusCode < 200 || statusCode > 299) return fail(refused(statusCode));
    answered = true;
    if (rest.length > 0) socket.unshift(rest);
    socket.setNoDelay(true);
    callback(null, socket);
  });
  // Some proxies answer CONNECT like any other request.
  asking.once('response', ({ statusCode = 0 }) => fail(refused(statusCode)));
  asking.on('error', fail);
  asking.end();
  return socket;
}

function refused(status: number): Error {
  return Object.assign(new Error(`the proxy answered ${status}`), { code: `PROXY_${status}` });
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (!username) return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

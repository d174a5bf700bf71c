import { readFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { createServer, getCACertificates, type Server, setDefaultCACertificates } from 'node:tls';
import { LoopbackProxy } from '../loopback-proxy.js';
import { LoopbackUpstream } from '../loopback-upstream.js';

const read = (name: string): string => readFileSync(new URL(`tls/token-services.${name}`, import.meta.url), 'utf8');

/**
 * The token services of Google and Microsoft under their own names, with TLS, behind a proxy that leads to them. While
 * it runs, this process trusts their certificate.
 */
export class LoopbackTokenService {
  private constructor(
    /** Answers and records what is asked. */
    readonly upstream: LoopbackUpstream,
    readonly proxy: LoopbackProxy,
    private readonly server: Server,
    private readonly trusted: readonly string[],
  ) {}

  static async start(): Promise<LoopbackTokenService> {
    const [upstream, proxy] = await Promise.all([LoopbackUpstream.start(), LoopbackProxy.start()]);
    const server = createServer({ cert: read('pem'), key: read('key') }, (socket) => {
      const inner = connect(Number(new URL(upstream.origin).port), '127.0.0.1');
      socket.on('error', () => inner.destroy()).once('close', () => inner.destroy());
      inner.on('error', () => socket.destroy()).once('close', () => socket.destroy());
      socket.pipe(inner).pipe(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    proxy.leadsTo = (server.address() as AddressInfo).port;
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, read('pem')]);
    return new LoopbackTokenService(upstream, proxy, server, trusted);
  }

  get proxyUrl(): string {
    return `http://127.0.0.1:${this.proxy.port}`;
  }

  async stop(): Promise<void> {
    setDefaultCACertificates(this.trusted);
    await this.proxy.stop();
    await this.upstream.stop();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

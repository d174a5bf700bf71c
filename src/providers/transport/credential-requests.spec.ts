import { started } from '../../common/testing/started.js';
import { LoopbackProxy } from '../testing/loopback-proxy.js';
import { LoopbackUpstream } from '../testing/loopback-upstream.js';
import { CredentialRequests } from './credential-requests.js';
import { HttpTransport } from './http-transport.js';
import { timeouts } from './testing/request-to.js';

describe('CredentialRequests', () => {
  const transport = new HttpTransport();
  const upstream = LoopbackUpstream.during(() => transport.onApplicationShutdown());
  const proxy = started(() => LoopbackProxy.start(), 'stop');
  beforeEach(() => {
    proxy.asked.length = 0;
    proxy.answers = 200;
    upstream.replies({ headers: { 'x-one': '1' }, body: '{"access_token":"t"}' });
  });

  const requests = (entry: { proxy?: string; allow_link_local?: boolean; allow_private_addresses?: boolean } = {}) =>
    new CredentialRequests(transport, { timeouts, allow_link_local: false, allow_private_addresses: true, ...entry });
  const ask = (url: string, through: CredentialRequests) => through.send({ url, method: 'POST', headers: { 'x-a': 'b' }, body: 'grant=1' });

  it('carry what the vendor’s client asks and what is answered', async () => {
    const response = await ask(`${upstream.origin}/token?a=b`, requests());
    expect(response).toMatchObject({ status: 200, text: '{"access_token":"t"}', headers: { 'x-one': '1' } });
    expect(upstream.requests[0]).toMatchObject({ method: 'POST', path: '/token?a=b', body: 'grant=1', headers: { 'x-a': 'b' } });
  });

  it('go directly to what has no TLS, and through the proxy otherwise', async () => {
    const through = requests({ proxy: `http://127.0.0.1:${proxy.port}` });
    await ask(`${upstream.origin}/token`, through);
    expect(proxy.asked).toHaveLength(0);
    proxy.answers = 502;
    await expect(ask('https://login.example/token', through)).rejects.toMatchObject({ kind: 'unreachable' });
    expect(proxy.asked.map(({ target }) => target)).toEqual(['login.example:443']);
  });

  it('reach link-local addresses with TLS only where the entry says so', async () => {
    proxy.answers = 502;
    const metadata = 'https://169.254.169.254/token';
    const way = { proxy: `http://127.0.0.1:${proxy.port}` };
    await expect(ask(metadata, requests(way))).rejects.toMatchObject({ kind: 'unreachable' });
    expect(proxy.asked).toHaveLength(0);
    await expect(ask(metadata, requests({ ...way, allow_link_local: true }))).rejects.toMatchObject({ kind: 'unreachable' });
    expect(proxy.asked).toHaveLength(1);
  });

  it('do not reach this machine where the entry may reach public addresses alone', async () => {
    await expect(ask(`${upstream.origin}/token`, requests({ allow_private_addresses: false }))).rejects.toMatchObject({
      kind: 'unreachable',
    });
    expect(upstream.requests).toEqual([]);
  });

  it('read a response of a megabyte at most', async () => {
    upstream.replies({ body: 'x'.repeat(1024 * 1024 + 1) });
    await expect(ask(upstream.origin, requests())).rejects.toMatchObject({ kind: 'bad_response' });
  });

  it('tell why no token came where the client has lost it, and nothing of another error', async () => {
    const through = requests();
    const loads = (url: string) =>
      through.during(async () => {
        await ask(url, through).catch(() => undefined);
        throw new Error('network_error');
      });
    await expect(loads('http://127.0.0.1:9')).rejects.toMatchObject({ kind: 'unreachable' });
    upstream.replies({ status: 429, headers: { 'retry-after': '3' } });
    await expect(loads(upstream.origin)).rejects.toMatchObject({ kind: 'overloaded', retryAfterMs: 3_000 });
    upstream.replies({ status: 401 });
    await expect(loads(upstream.origin)).rejects.toThrow('network_error');
    await expect(through.during(() => Promise.reject(new Error('no file')))).rejects.toThrow('no file');
  });
});

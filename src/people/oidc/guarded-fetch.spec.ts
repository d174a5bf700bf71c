import { startedEach } from '../../common/testing/started.js';
import type { Lookup } from '../../common/addresses/refused-addresses.js';
import { systemClock } from '../../common/time/clock.js';
import { resolvesTo } from '../../webhooks/testing/resolves-to.js';
import { WebhookReceiver } from '../../webhooks/testing/webhook-receiver.js';
import { guardedFetch, type IssuerReach } from './guarded-fetch.js';

const open: IssuerReach = { allow_private_addresses: true };
const closed: IssuerReach = { allow_private_addresses: false };

describe('guardedFetch', () => {
  const issuer = startedEach(() => WebhookReceiver.start(), 'stop');

  const ask = (url: string, reach: IssuerReach, resolve?: Lookup) => guardedFetch(reach, systemClock, resolve)(url, {});

  it('asks with the method, the headers and the form, and tells the status and the type', async () => {
    issuer.answers = () => ({ status: 400, headers: { 'content-type': 'application/json' } });
    const body = new URLSearchParams({ code: 'a&b' });
    const answer = await guardedFetch(open, systemClock)(issuer.url, { method: 'POST', headers: { accept: 'application/json' }, body });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/json']);
    expect(issuer.received).toMatchObject([{ body: 'code=a%26b', headers: { accept: 'application/json', 'content-length': '10' } }]);
  });

  it.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '127.1'])('asks nothing of %s', async (host) => {
    for (const scheme of ['http', 'https'])
      await expect(ask(`${scheme}://${host}:${issuer.port}/`, closed)).rejects.toThrow(/must not be reached/);
    expect(issuer.received).toEqual([]);
  });

  it('asks nothing of a name that resolves to a private address, alone or beside others', async () => {
    for (const addresses of [['127.0.0.1'], ['127.0.0.1', '93.184.216.34'], ['93.184.216.34', '10.0.0.1'], ['100.64.0.1'], ['192.168.1.1']])
      await expect(ask(`http://name.example:${issuer.port}/`, closed, resolvesTo(addresses).resolve)).rejects.toThrow(
        /must not be reached/,
      );
    expect(issuer.received).toEqual([]);
  });

  it('never reaches link-local addresses and metadata services', async () => {
    for (const host of ['169.254.169.254', '[fe80::1]', '[::ffff:169.254.169.254]', '100.100.100.200'])
      await expect(ask(`http://${host}/`, open)).rejects.toThrow(/must not be reached/);
    const { resolve } = resolvesTo(['127.0.0.1', '169.254.169.254']);
    await expect(ask(`http://name.example:${issuer.port}/`, open, resolve)).rejects.toThrow(/must not be reached/);
    expect(issuer.received).toEqual([]);
  });

  it('connects to the address that was checked, and checks again for the next question', async () => {
    const { resolve, asked } = resolvesTo(['127.0.0.1'], ['169.254.169.254']);
    const url = `http://name.example:${issuer.port}/`;
    expect((await ask(url, open, resolve)).status).toBe(204);
    expect(asked).toEqual(['name.example']);
    await expect(ask(url, open, resolve)).rejects.toThrow(/must not be reached/);
    expect(asked).toHaveLength(2);
    expect(issuer.received).toHaveLength(1);
  });

  it('follows no redirect', async () => {
    issuer.answers = () => ({ status: 302, headers: { location: issuer.url } });
    expect((await ask(issuer.url, open)).status).toBe(302);
    expect(issuer.received).toHaveLength(1);
  });

  it('refuses an answer that is too large', async () => {
    issuer.answers = () => ({ status: 200, endless: true });
    await expect(ask(issuer.url, open)).rejects.toThrow('the issuer answers more than 1048576 bytes');
  });

  it('gives up when it is told to', async () => {
    issuer.answers = () => new Promise(() => undefined);
    await expect(guardedFetch(open, systemClock)(issuer.url, { signal: AbortSignal.timeout(50) })).rejects.toThrow(/aborted/);
  });
});

import fc from 'fast-check';
import { startedEach } from '../common/testing/started.js';
import type { Lookup } from '../common/addresses/refused-addresses.js';
import { systemClock } from '../common/time/clock.js';
import type { Reach } from './reachable-address.js';
import { resolvesTo } from './testing/resolves-to.js';
import { WebhookReceiver } from './testing/webhook-receiver.js';
import { post } from './webhook-request.js';
import { waitAfter } from './backoff.js';

const open: Reach = { allow_http: true, allow_private_addresses: true };
const closed: Reach = { allow_http: true, allow_private_addresses: false };

describe('post', () => {
  const receiver = startedEach(() => WebhookReceiver.start(), 'stop');

  const send = (url: string, reach: Reach, resolve?: Lookup) =>
    post({ url, headers: { 'webhook-id': 'one' }, body: '{}' }, reach, systemClock, resolve);

  it('posts a message and tells the status', async () => {
    expect(await send(receiver.url, open)).toEqual({ status: 204, text: '' });
    expect(receiver.received).toMatchObject([{ body: '{}', headers: { 'webhook-id': 'one', 'content-type': 'application/json' } }]);
  });

  it.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '127.1'])('sends nothing to %s', async (host) => {
    await expect(send(`http://${host}:${receiver.port}/`, closed)).rejects.toThrow(/must not be/);
    expect(receiver.received).toEqual([]);
  });

  it('sends nothing to a name that resolves to a private address, alone or beside others', async () => {
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '10.0.0.1'], ['100.64.0.1'], ['192.168.1.1']])
      await expect(send(`http://name.example:${receiver.port}/`, closed, resolvesTo(addresses).resolve)).rejects.toThrow(
        /must not be reached/,
      );
    expect(receiver.received).toEqual([]);
  });

  it('never reaches link-local addresses and metadata services', async () => {
    await expect(send('http://169.254.169.254/', open)).rejects.toThrow(/must not be/);
    await expect(send('http://name.example/', open, resolvesTo(['169.254.169.254']).resolve)).rejects.toThrow(/must not be reached/);
  });

  it('connects to the address that was checked, and checks again for the next message', async () => {
    const { resolve, asked } = resolvesTo(['127.0.0.1'], ['169.254.169.254']);
    const url = `http://name.example:${receiver.port}/`;
    expect(await send(url, open, resolve)).toMatchObject({ status: 204 });
    expect(asked).toEqual(['name.example']);
    await expect(send(url, open, resolve)).rejects.toThrow(/must not be reached/);
    expect(asked).toHaveLength(2);
    expect(receiver.received).toHaveLength(1);
  });

  it('follows no redirect', async () => {
    receiver.answers = () => ({ status: 302, headers: { location: receiver.url } });
    expect(await send(receiver.url, open)).toMatchObject({ status: 302 });
    expect(receiver.received).toHaveLength(1);
  });

  it('reads no more than the beginning of an answer', async () => {
    receiver.answers = () => ({ status: 200, endless: true });
    const { status, text } = await send(receiver.url, open);
    expect(status).toBe(200);
    expect(text).toHaveLength(4_096);
  });

  it('takes an answer that has begun, and never ends', async () => {
    receiver.answers = () => ({ status: 200, text: 'taken', stalled: true });
    const signal = AbortSignal.timeout(500);
    expect(await post({ url: receiver.url, headers: {}, body: '{}', signal }, open, systemClock)).toEqual({ status: 200, text: 'taken' });
  });

  it('gives up when it is told to', async () => {
    receiver.answers = () => new Promise(() => undefined);
    const signal = AbortSignal.timeout(50);
    await expect(post({ url: receiver.url, headers: {}, body: '{}', signal }, open, systemClock)).rejects.toThrow(/aborted/);
  });

  it('sends nothing without TLS, unless that is allowed', async () => {
    await expect(send(receiver.url, { ...open, allow_http: false })).rejects.toThrow(/https/);
    await expect(send(receiver.url.replace('//', '//user:pass@'), open)).rejects.toThrow(/user and password/);
  });
});

const HOUR = 3_600_000;

describe('waitAfter', () => {
  it('waits longer after each failure, whatever chance adds, for a little more than three days', () => {
    const chances = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(chances, (chance) => {
        const waits = chance.map((one, index) => waitAfter(index + 1, one)!);
        for (let index = 1; index < waits.length; index++) expect(waits[index]).toBeGreaterThan(waits[index - 1]!);
        const all = waits.reduce((sum, wait) => sum + wait, 0);
        expect(all).toBeGreaterThan(72 * HOUR);
        expect(all).toBeLessThan(84 * HOUR);
      }),
    );
  });

  it('ends after the tenth attempt', () => {
    expect(waitAfter(1, 0)).toBe(5_000);
    expect(waitAfter(9, 0)).toBe(24 * HOUR);
    expect(waitAfter(10)).toBeUndefined();
  });
});

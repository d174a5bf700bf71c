import fc from 'fast-check';
import { inRanges } from './address-ranges.js';
import { clientAddressOf } from './client-addresses.js';
import type { FastifyRequest } from 'fastify';
import { isFromThisMachine } from './is-from-this-machine.js';

const isTrusted = inRanges(['10.0.0.0/8', 'fd00::/8'], 2);
const of = (peer: string, forwardedFor?: string) => clientAddressOf(peer, forwardedFor, isTrusted);

describe('the address of a client', () => {
  it.each([
    ['198.51.100.1', undefined, '198.51.100.1'],
    ['198.51.100.1', '203.0.113.9', '198.51.100.1'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '1.2.3.4, 203.0.113.9,10.0.0.2 , fd00::1', '203.0.113.9'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['10.0.0.1', '[2001:db8::9]:4711', '2001:db8::9'],
    ['10.0.0.1', '[2001:db8::9]', '2001:db8::9'],
    ['10.0.0.1', '2001:db8::9, [fd00::7]:1', '2001:db8::9'],
    ['10.0.0.1', 'nonsense, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, unknown', undefined],
    ['10.0.0.1', '203.0.113.9, 10.0.0.2, _hidden', undefined],
    ['10.0.0.1', '203.0.113.9,', undefined],
    ['10.0.0.1', ',', undefined],
    ['10.0.0.1', '203.0.113.256', undefined],
  ])('from %s with %j is %s', (peer, forwardedFor, address) => expect(of(peer, forwardedFor)).toBe(address));

  const address = fc.oneof(fc.ipV4(), fc.ipV6());
  const trusted = fc.oneof(
    fc.ipV4().map((text) => text.replace(/^\d+/, '10')),
    fc.constantFrom('fd00::1', 'fdff::2:3'),
  );
  const stranger = address.filter((text) => !isTrusted(text));
  const anything = fc.oneof(address, trusted, fc.string({ maxLength: 20 }));

  it('is what the farthest trusted proxy says, whatever the client has written before', () => {
    fc.assert(
      fc.property(
        trusted,
        fc.array(anything, { maxLength: 5 }),
        stranger,
        fc.array(trusted, { maxLength: 5 }),
        (peer, said, client, proxies) => {
          expect(of(peer, [...said, client, ...proxies].join(', '))).toBe(client);
        },
      ),
    );
  });

  it('is the peer’s own where that is not trusted', () => {
    fc.assert(fc.property(stranger, fc.array(anything), (peer, said) => expect(of(peer, said.join(','))).toBe(peer)));
  });

  it('is an address of the header, or none', () => {
    fc.assert(
      fc.property(
        trusted,
        fc.string({ unit: fc.constantFrom('1', '0', '.', ':', ',', ' ', '[', ']', 'a'), maxLength: 40 }),
        (peer, header) => {
          const found = of(peer, header);
          expect(found === undefined || found === peer || header.includes(found)).toBe(true);
        },
      ),
    );
  });
});

function from(remoteAddress: string, headers: Record<string, string> = {}, httpVersion = '1.1'): boolean {
  const request = { url: '/metrics', raw: { socket: { remoteAddress }, httpVersion }, headers: { host: 'localhost:8080', ...headers } };
  return isFromThisMachine(request as unknown as FastifyRequest);
}

describe('isFromThisMachine', () => {
  it.each(['127.0.0.1', '127.8.0.1', '::1', '::ffff:127.0.0.1'])('takes a program on %s for one', (address) =>
    expect(from(address)).toBe(true),
  );

  it.each(['10.0.0.7', '::ffff:10.0.0.7', '1.127.0.1', 'fe80::1', '127.evil', ''])('does not take %s for one', (address) =>
    expect(from(address)).toBe(false),
  );

  it.each(['localhost', 'LocalHost:1', '127.0.0.1:8080', '[::1]:8080', '127.1.2.3'])('of the host %s', (host) =>
    expect(from('127.0.0.1', { host })).toBe(true),
  );

  it.each(['api.example.com', 'localhost.example.com', '127.0.0.1.nip.io', 'evil@localhost', '[::2]', '10.0.0.1:8080', ''])(
    'does not take one that asks for the host %p',
    (host) => expect(from('127.0.0.1', { host })).toBe(false),
  );

  it.each([
    'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded', 'via', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip',
    'true-client-ip', 'cf-connecting-ip', 'cf-ray', 'cdn-loop', 'fly-client-ip', 'fastly-client-ip', 'x-envoy-external-address',
    'x-original-forwarded-for', 'x-amzn-trace-id', 'x-azure-clientip', 'x-cloud-trace-context', 'tailscale-user-login',
  ])('does not take one for whom %s speaks', (name) => expect(from('127.0.0.1', { [name]: '127.0.0.1' })).toBe(false)); // prettier-ignore

  it.each(['user-agent', 'accept', 'authorization', 'x-prometheus-scrape-timeout-seconds', 'traceparent', 'x-request-id'])(
    'may send %s',
    (name) => expect(from('127.0.0.1', { [name]: 'a' })).toBe(true),
  );

  it('does not take HTTP/1.0 for a local program: it is how nginx asks by default', () => expect(from('127.0.0.1', {}, '1.0')).toBe(false));
});

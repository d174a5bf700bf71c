import type { FastifyRequest } from 'fastify';
import { isFromThisMachine } from './is-from-this-machine.js';

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

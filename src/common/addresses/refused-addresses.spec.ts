import * as fc from 'fast-check';
import { isInternalAddress, isRefusedAddress, lookupWithout } from './refused-addresses.js';
import { networkOf } from './ip-address.js';

/** The host as URLs give it, which is how it comes to the transport. */
const hostOf = (text: string): string => new URL(`http://${text}/`).hostname;

/** Ways to write an IPv4 address inside an IPv6 address, with and without brackets. */
const inIpv6: Readonly<Record<string, (a: number, b: number, c: number, d: number) => string>> = {
  mapped: (a, b, c, d) => `::ffff:${a}.${b}.${c}.${d}`,
  'mapped, in hexadecimal': (...v4) => `::ffff:${hex(v4)}`,
  compatible: (a, b, c, d) => `::${a}.${b}.${c}.${d}`,
  translated: (...v4) => `::ffff:0:${hex(v4)}`,
  NAT64: (...v4) => `64:ff9b::${hex(v4)}`,
  'local NAT64, prefix of 48 bits': (a, b, c, d) => `64:ff9b:1:${two(a)}${two(b)}:${two(c)}:${two(d)}00::`,
  'local NAT64, prefix of 96 bits': (...v4) => `64:ff9b:1:fffe:1:2:${hex(v4)}`,
  '6to4': (...v4) => `2002:${hex(v4)}:1::1`,
  'Teredo, its server': (...v4) => `2001:0:${hex(v4)}:1:2:3:4`,
  'Teredo, its client': (...v4) => `2001:0:4136:e378:8000:63bf:${hex(v4.map((byte) => byte ^ 0xff))}`,
  ISATAP: (...v4) => `2001:db8:1:2:0:5efe:${hex(v4)}`,
};
const two = (byte: number): string => byte.toString(16).padStart(2, '0');
function hex([a, b, c, d]: readonly number[]): string {
  return `${two(a!)}${two(b!)}:${two(c!)}${two(d!)}`;
}

describe('isRefusedAddress', () => {
  it.each([
    '169.254.169.254',
    '169.254.0.1',
    'fe80::1',
    '[fe80::1]',
    'febf::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    '::ffff:169.254.169.254',
    '[::ffff:a9fe:a9fe]',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '64:ff9b::192.0.0.192',
    '2001:db8:64::169.254.169.254',
  ])('refuses %s', (address) => expect(isRefusedAddress(address)).toBe(true));

  it.each([
    '127.0.0.1',
    '::1',
    '10.0.0.1',
    '169.253.0.1',
    'fec0::1',
    '8.8.8.8',
    'api.example.com',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
    '2606:4700::a9fe:1',
    '',
  ])('lets %s through', (address) => expect(isRefusedAddress(address)).toBe(false));

  it.each([
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
    '169.254.169.254.',
    '１６９.254.169.254',
    '0xA9.254.169.254',
  ])('refuses %s as a URL reads it', (host) => expect(isRefusedAddress(hostOf(host))).toBe(true));

  it.each(Object.entries(inIpv6))('sees an IPv4 address inside an IPv6 address: %s', (_, write) => {
    fc.assert(
      fc.property(fc.nat(255), fc.nat(255), (c, d) => {
        const address = write(169, 254, c, d);
        expect([address, isRefusedAddress(address)]).toEqual([address, true]);
        expect([address, isRefusedAddress(hostOf(`[${address}]`))]).toEqual([address, true]);
      }),
    );
    expect(isRefusedAddress(write(8, 8, 8, 8))).toBe(false);
  });

  it('reads every IPv6 address', () => {
    fc.assert(fc.property(fc.ipV6(), (address) => expect(isRefusedAddress(address)).toBe(isRefusedAddress(hostOf(`[${address}]`)))));
  });
});

describe('isInternalAddress', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '172.31.255.255',
    '192.168.0.1',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '[::1]',
    'fd12::1',
    'ff02::1',
    'fe80::1',
    '169.254.169.254',
    '::ffff:10.0.0.1',
    '64:ff9b::127.0.0.1',
    '2002:7f00:1::',
  ])('knows %s', (address) => expect(isInternalAddress(address)).toBe(true));

  it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1', '64:ff9b::8.8.8.8', 'example.com', 'localhost'])(
    'does not mean %s',
    (address) => expect(isInternalAddress(address)).toBe(false),
  );

  it.each(['127.1', '2130706433', '0x7f.1', '0177.0.0.1', '0'])('knows %s as a URL reads it', (host) =>
    expect(isInternalAddress(hostOf(host))).toBe(true),
  );
});

describe('lookupWithout', () => {
  const guardedLookup = lookupWithout(isRefusedAddress);

  it('resolves as dns.lookup does, in both of its forms', async () => {
    const one = await new Promise((resolve) =>
      guardedLookup('127.0.0.1', {}, (error, address, family) => resolve({ error, address, family })),
    );
    expect(one).toEqual({ error: null, address: '127.0.0.1', family: 4 });
    const all = await new Promise((resolve) => guardedLookup('127.0.0.1', { all: true }, (error, address) => resolve({ error, address })));
    expect(all).toEqual({ error: null, address: [{ address: '127.0.0.1', family: 4 }] });
  });

  it.each([
    ['169.254.169.254', {}],
    ['169.254.169.254', { all: true }],
    ['64:ff9b::a9fe:a9fe', { all: true }],
    ['192.0.0.192', {}],
  ] as const)('fails for a name that resolves to a refused address (%s, %j)', async (name, options) => {
    const error = await new Promise((resolve) => guardedLookup(name, options, resolve));
    expect(error).toMatchObject({ code: 'ERR_REFUSED_ADDRESS' });
  });
});

describe('networkOf', () => {
  it('is the whole of an IPv4 address, also where it is written as an IPv6 address', () => {
    expect(networkOf('192.0.2.1')).toBe('192.0.2.1');
    expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(networkOf('::ffff:c000:201')).toBe('192.0.2.1');
  });

  it('is the first half of an IPv6 address, in whatever form', () => {
    const all = ['2001:db8:0:1::1', '2001:0db8:0000:0001:ffff:ffff:ffff:ffff', '2001:db8:0:1:2:3:4:5%eth0', '[2001:db8:0:1::7]'];
    expect(new Set(all.map(networkOf)).size).toBe(1);
    expect(networkOf('2001:db8:0:2::1')).not.toBe(networkOf('2001:db8:0:1::1'));
  });

  it('is the text itself where that is no address', () => expect(networkOf('')).toBe(''));
});

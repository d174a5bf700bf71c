import { networkOf } from './ip-address.js';

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

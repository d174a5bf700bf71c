import fc from 'fast-check';
import { inRanges } from './address-ranges.js';
import { clientAddressOf } from './client-addresses.js';

const isTrusted = inRanges(['10.0.0.0/8', 'fd00::/8']);
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

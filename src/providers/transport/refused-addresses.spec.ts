import { guardedLookup, isRefusedAddress } from './refused-addresses.js';

describe('isRefusedAddress', () => {
  it.each([
    '169.254.169.254',
    '169.254.0.1',
    'fe80::1',
    '[fe80::1]',
    'febf::1',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '[::ffff:a9fe:a9fe]',
    '100.100.100.200',
  ])('refuses %s', (address) => expect(isRefusedAddress(address)).toBe(true));

  it.each(['127.0.0.1', '::1', '10.0.0.1', '169.253.0.1', 'fec0::1', '8.8.8.8', 'api.example.com'])('lets %s through', (address) =>
    expect(isRefusedAddress(address)).toBe(false),
  );
});

describe('guardedLookup', () => {
  it('resolves as dns.lookup does, in both of its forms', async () => {
    const one = await new Promise((resolve) =>
      guardedLookup('127.0.0.1', {}, (error, address, family) => resolve({ error, address, family })),
    );
    expect(one).toEqual({ error: null, address: '127.0.0.1', family: 4 });
    const all = await new Promise((resolve) => guardedLookup('127.0.0.1', { all: true }, (error, address) => resolve({ error, address })));
    expect(all).toEqual({ error: null, address: [{ address: '127.0.0.1', family: 4 }] });
  });

  it.each([{}, { all: true }])('fails for a name that resolves to a refused address (%j)', async (options) => {
    const error = await new Promise((resolve) => guardedLookup('169.254.169.254', options, resolve));
    expect(error).toMatchObject({ code: 'ERR_REFUSED_ADDRESS' });
  });
});

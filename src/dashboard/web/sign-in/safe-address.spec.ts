import { safeAddress } from './safe-address';

it.each([
  ['/accounts/acme/keys?shown=all', '/accounts/acme/keys?shown=all'],
  [null, '/'],
  ['', '/'],
  ['https://evil.example', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['/sign-in?next=/sign-in', '/'],
])('of %j leads to %j', (next, address) => expect(safeAddress(next)).toBe(address));

import { oidcProblem } from './oidc-problem';
import { safeAddress } from './safe-address';

it('has a sentence of its own for each refusal, and one for whatever else comes', () => {
  const codes = ['access_denied', 'expired', 'failed', 'not_verified', 'not_invited'];
  const sentences = codes.map(oidcProblem);
  expect(new Set(sentences).size).toBe(codes.length);
  expect(oidcProblem('<script>')).toBe(oidcProblem('failed'));
});

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

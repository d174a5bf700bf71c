import { oidcProblem } from './oidc-problem';

it('has a sentence of its own for each refusal, and one for whatever else comes', () => {
  const codes = ['access_denied', 'expired', 'failed', 'not_verified', 'not_invited'];
  const sentences = codes.map(oidcProblem);
  expect(new Set(sentences).size).toBe(codes.length);
  expect(oidcProblem('<script>')).toBe(oidcProblem('failed'));
});

import { browserName, isPhone, openedInWords } from './browsers';

describe('browserName', () => {
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  it.each([
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/142.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    [`Mozilla/5.0 (Linux; Android 16; K) ${webkit} Chrome/142.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
    ['curl/8.16.0', 'curl/8.16.0'],
    ['', 'An unnamed browser'],
  ])('of %j is %j', (userAgent, name) => expect(browserName(userAgent)).toBe(name));
});

it('tells phones', () => {
  expect([isPhone('Mozilla/5.0 (Linux; Android 16; K)'), isPhone('Mozilla/5.0 (X11; Linux x86_64)')]).toEqual([true, false]);
});

it('has words for how somebody came in', () => {
  expect(['oidc', 'anything'].map(openedInWords)).toEqual(['By another provider', 'Signed in']);
});

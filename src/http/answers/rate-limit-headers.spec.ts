import { addRateLimitHeaders, durationText } from './rate-limit-headers.js';

describe('the headers of rate limits', () => {
  it.each([
    [0, '0ms'],
    [12, '12ms'],
    [999, '999ms'],
    [1_000, '1s'],
    [1_500, '1.5s'],
    [59_999, '59.999s'],
    [60_000, '1m0s'],
    [360_000, '6m0s'],
    [3_600_000, '1h0m0s'],
    [7_384_250, '2h3m4.25s'],
  ])('tell %d ms as %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it('are there for the limits that there are', () => {
    const headers = {};
    addRateLimitHeaders(headers, { requests: undefined, tokens: { limit: 600, remaining: 5, resetMs: 70 } });
    expect(headers).toEqual({
      'x-ratelimit-limit-tokens': '600',
      'x-ratelimit-remaining-tokens': '5',
      'x-ratelimit-reset-tokens': '70ms',
    });
  });
});

import { retryAfterMs } from './retry-after.js';

const now = Date.parse('2026-01-01T00:00:00Z');

describe('retryAfterMs', () => {
  it.each([
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '0.25' }, 250],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT' }, 90_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, 0],
    [{ 'retry-after': '-5' }, 0],
    [{ 'retry-after': '999999999' }, 86_400_000],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9_000],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': ['1', '2'] }, undefined],
    [{}, undefined],
  ])('%j is %s', (headers, ms) => expect(retryAfterMs(headers, now)).toBe(ms));
});

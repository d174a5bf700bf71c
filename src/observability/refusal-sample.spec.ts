import type { FastifyRequest } from 'fastify';
import { ManualClock } from '../common/testing/manual-clock.js';
import { RefusalSample } from './refusal-sample.js';

const refused = (errorCode: 'missing_api_key' | 'invalid_api_key') => ({ errorCode }) as FastifyRequest;

describe('RefusalSample', () => {
  it('keeps sixty of each error code at once, and sixty a minute', async () => {
    const clock = new ManualClock();
    const sample = new RefusalSample(clock);
    const kept = (count: number, code: 'missing_api_key' | 'invalid_api_key') =>
      Array.from({ length: count }, () => sample.keeps(refused(code))).filter(Boolean).length;
    expect([kept(10_000, 'missing_api_key'), kept(10_000, 'invalid_api_key')]).toEqual([60, 60]);
    await clock.advance(10_000);
    expect(kept(1_000, 'missing_api_key')).toBe(10);
    await clock.advance(600_000);
    expect(kept(1_000, 'missing_api_key')).toBe(60);
    sample.onApplicationShutdown();
  });

  it('keeps every request with a key, and decides once about any other', () => {
    const sample = new RefusalSample(new ManualClock());
    const first = refused('missing_api_key');
    expect(sample.keeps(first)).toBe(true);
    for (let i = 0; i < 100; i++) sample.keeps(refused('missing_api_key'));
    expect(sample.keeps(first)).toBe(true);
    const last = refused('missing_api_key');
    expect([sample.keeps(last), sample.keeps(last)]).toEqual([false, false]);
    expect(sample.keeps({ errorCode: 'missing_api_key', principal: { keyId: 'k', accountId: 'a', environment: 'live' } })).toBe(true);
    sample.onApplicationShutdown();
  });
});

import { RefusedLines } from './refused-lines.js';
import type { FastifyRequest } from 'fastify';
import { ManualClock } from '../common/testing/manual-clock.js';
import { RefusalSample } from './refusal-sample.js';

describe('RefusedLines', () => {
  const clock = { now: 0 };
  const taken = (lines: RefusedLines, count: number, key = 'k') => Array.from({ length: count }, () => lines.take(key, true));

  it('keeps sixty refusals of each key at once, and sixty a minute, and tells how many were left out', () => {
    const lines = new RefusedLines({ now: () => clock.now });
    for (const key of ['k', 'other']) {
      const all = taken(lines, 1_000, key);
      expect(all.slice(0, 60)).toEqual(Array(60).fill(0));
      expect(all.slice(60)).toEqual(Array(940).fill(undefined));
    }
    clock.now += 10_000;
    expect(taken(lines, 12)).toEqual([940, ...Array<number>(9).fill(0), undefined, undefined]);
    clock.now += 600_000;
    expect(taken(lines, 61)).toEqual([2, ...Array<number>(59).fill(0), undefined]);
  });

  it('keeps every line of what was not refused, the first of which tells what was left out', () => {
    const lines = new RefusedLines({ now: () => clock.now });
    expect(lines.take('k', false)).toBe(0);
    taken(lines, 70);
    expect([lines.take('k', false), lines.take('k', false)]).toEqual([10, 0]);
    expect(lines.take('k', true)).toBeUndefined();
  });

  it('remembers a bounded number of keys', () => {
    const lines = new RefusedLines({ now: () => clock.now });
    taken(lines, 61, 'first');
    for (let index = 0; index < 10_000; index++) lines.take(`k${index}`, true);
    expect(lines.take('first', true)).toBe(0);
  });
});

const refused = (code: 'missing_api_key' | 'invalid_api_key') => ({ answeredError: { code } }) as FastifyRequest;

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
    expect(sample.keeps({ ...refused('missing_api_key'), principal: { keyId: 'k', accountId: 'a', environment: 'live' } })).toBe(true);
    sample.onApplicationShutdown();
  });
});

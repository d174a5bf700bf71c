import fc from 'fast-check';
import { addTotals, type Attempt, noTotals, performanceOf, PerformanceWindow } from './performance.js';

const performance = (window: PerformanceWindow) => {
  const sum = noTotals();
  for (const bucket of window.buckets()) addTotals(sum, bucket);
  return performanceOf(sum);
};

describe('PerformanceWindow', () => {
  it('shows the cold-start values before any traffic', () => {
    expect(performance(new PerformanceWindow(Date))).toEqual({ avg_response_time: 0, avg_tokens_per_second: 0, uptime_percentage: 100 });
  });

  it('averages seconds and tokens per second over served attempts and counts failures against uptime', () => {
    const window = new PerformanceWindow({ now: () => 1_000_000 });
    window.record({ ok: true, totalMs: 1000, completionTokens: 50 });
    window.record({ ok: true, totalMs: 3000, completionTokens: 50 });
    window.record({ ok: false, totalMs: 10, completionTokens: 0 });
    expect(performance(window)).toEqual({ avg_response_time: 2, avg_tokens_per_second: 25, uptime_percentage: 66.667 });
  });

  it('shows what took less than half a millisecond as traffic too', () => {
    const window = new PerformanceWindow({ now: () => 1_000_000 });
    window.record({ ok: true, totalMs: 0.3, completionTokens: 3 });
    expect(performance(window)).toEqual({ avg_response_time: 0.0003, avg_tokens_per_second: 10_000, uptime_percentage: 100 });
  });

  it('forgets what is older than half an hour', () => {
    let now = 0;
    const window = new PerformanceWindow({ now: () => now });
    window.record({ ok: false, totalMs: 1, completionTokens: 0 });
    now = 10 * 60_000;
    window.record({ ok: true, totalMs: 500, completionTokens: 5 });
    expect(performance(window).uptime_percentage).toBe(50);
    now = 31 * 60_000;
    expect(performance(window)).toEqual({ avg_response_time: 0.5, avg_tokens_per_second: 10, uptime_percentage: 100 });
    now = 41 * 60_000;
    expect(performance(window)).toEqual({ avg_response_time: 0, avg_tokens_per_second: 0, uptime_percentage: 100 });
  });

  it('keeps the sums of exactly the attempts of its half hour', () => {
    const attempt = fc.record({
      after: fc.integer({ min: 0, max: 15 * 60_000 }),
      ok: fc.boolean(),
      totalMs: fc.nat(60_000),
      firstTokenMs: fc.option(fc.nat(1_000), { nil: undefined }),
      completionTokens: fc.nat(1_000),
    });
    fc.assert(
      fc.property(fc.array(attempt, { maxLength: 60 }), (attempts) => {
        let now = 1_700_000_000_000;
        const window = new PerformanceWindow({ now: () => now });
        const seen: [number, Attempt][] = [];
        for (const { after, ...one } of attempts) {
          now += after;
          window.record(one);
          seen.push([now, one]);
        }
        const expected = noTotals();
        for (const [at, { ok, totalMs, firstTokenMs, completionTokens }] of seen) {
          if (Math.floor(at / 30_000) <= Math.floor(now / 30_000) - 60) continue;
          const streams = firstTokenMs === undefined ? 0 : 1;
          if (ok)
            addTotals(expected, { served: 1, failed: 0, totalMs, tokens: completionTokens, streams, firstTokenMs: firstTokenMs ?? 0 });
          else expected.failed++;
        }
        const sum = noTotals();
        for (const bucket of window.buckets()) addTotals(sum, bucket);
        expect(sum).toEqual(expected);
      }),
    );
  });
});

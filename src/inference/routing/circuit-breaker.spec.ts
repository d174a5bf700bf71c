import fc from 'fast-check';
import { breakerSettings, CircuitBreaker } from './circuit-breaker.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { CircuitLog } from './circuit-log.js';

function setUp() {
  const clock = { now: 0 };
  const states: string[] = [];
  const breaker = new CircuitBreaker({ now: () => clock.now }, (state) => states.push(state));
  const fail = (times: number, retryAfterMs?: number) => {
    for (let i = 0; i < times; i++) {
      breaker.begin();
      breaker.failed(retryAfterMs);
    }
  };
  return { clock, states, breaker, fail };
}

describe('CircuitBreaker', () => {
  it('opens after consecutive failures and lets one probe through after the pause', () => {
    const { clock, breaker, fail } = setUp();
    fail(breakerSettings.consecutive);
    expect(breaker.state).toBe('open');
    expect(breaker.begin()).toBe(false);
    clock.now += breakerSettings.pauseMs;
    expect(breaker.state).toBe('half_open');
    expect(breaker.begin()).toBe(true);
    expect(breaker.begin()).toBe(false);
    breaker.succeeded();
    expect(breaker.state).toBe('closed');
    expect(breaker.begin()).toBe(true);
  });

  it('doubles the pause with each failed probe, up to the longest', () => {
    const { clock, breaker, fail } = setUp();
    fail(breakerSettings.consecutive);
    let pause = breakerSettings.pauseMs;
    for (let probe = 0; probe < 10; probe++) {
      clock.now += pause - 1;
      expect(breaker.allows).toBe(false);
      clock.now += 1;
      expect(breaker.begin()).toBe(true);
      breaker.failed();
      pause = Math.min(pause * 2, breakerSettings.longestPauseMs);
    }
  });

  it('opens on a share of failures that are not consecutive', () => {
    const { breaker } = setUp();
    for (let i = 0; i < breakerSettings.minimum; i++) {
      breaker.begin();
      if (i % 2 === 0) breaker.succeeded();
      else breaker.failed();
    }
    expect(breaker.state).toBe('open');
  });

  it('lets a probe through at once when the pause is ended, and no more than one', () => {
    const { breaker, fail } = setUp();
    breaker.endPause();
    expect(breaker.state).toBe('closed');
    fail(breakerSettings.consecutive);
    breaker.endPause();
    expect(breaker.state).toBe('half_open');
    expect(breaker.begin()).toBe(true);
    breaker.endPause();
    expect(breaker.begin()).toBe(false);
    breaker.failed();
    expect(breaker.state).toBe('open');
  });

  it('waits at least as long as the provider asks', () => {
    const { clock, breaker, fail } = setUp();
    fail(breakerSettings.consecutive, 30_000);
    clock.now += 29_999;
    expect(breaker.allows).toBe(false);
    clock.now += 1;
    expect(breaker.allows).toBe(true);
  });

  it('counts a client that leaves neither as success nor as failure, and gives the probe back', () => {
    const { clock, breaker, fail } = setUp();
    fail(breakerSettings.consecutive);
    clock.now += breakerSettings.pauseMs;
    expect(breaker.begin()).toBe(true);
    breaker.abandoned();
    expect(breaker.state).toBe('half_open');
    expect(breaker.begin()).toBe(true);
  });

  it('reports each change once', () => {
    const { clock, states, breaker, fail } = setUp();
    fail(breakerSettings.consecutive + 3);
    clock.now += breakerSettings.pauseMs;
    breaker.begin();
    breaker.succeeded();
    expect(states).toEqual(['open', 'half_open', 'closed']);
  });

  it('is never stuck: whatever happened, it allows an attempt after the longest pause', () => {
    const step = fc.record({ wait: fc.nat(60_000), end: fc.constantFrom('succeeded', 'failed', 'abandoned') });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { clock, breaker } = setUp();
        for (const { wait, end } of steps) {
          clock.now += wait;
          if (breaker.begin()) breaker[end as 'succeeded']();
        }
        clock.now += breakerSettings.longestPauseMs;
        expect(breaker.begin()).toBe(true);
      }),
    );
  });
});

describe('CircuitLog', () => {
  const lines: string[] = [];
  beforeEach(() => {
    lines.length = 0;
    for (const level of ['log', 'warn'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation((text: unknown) => lines.push(`${level}: ${String(text)}`));
  });
  afterEach(() => jest.restoreAllMocks());

  it('logs circuits that open together in one line of bounded length', async () => {
    const log = new CircuitLog();
    for (let offer = 0; offer < 400; offer++) log.changed(`a/m${offer}`, 'open');
    await nextTurn();
    expect(lines).toEqual(['warn: Paused after failures: a/m0, a/m1, a/m2, a/m3, a/m4, a/m5, a/m6, a/m7, a/m8, a/m9 and 390 more']);
  });

  it('logs that a circuit has closed, but not each failed probe', async () => {
    const log = new CircuitLog();
    for (const states of [['open'], ['half_open', 'open'], ['half_open'], ['open'], ['half_open', 'closed'], ['open']] as const) {
      for (const state of states) log.changed('a/m', state);
      await nextTurn();
    }
    expect(lines).toEqual(['warn: Paused after failures: a/m', 'log: Back in service: a/m', 'warn: Paused after failures: a/m']);
  });
});

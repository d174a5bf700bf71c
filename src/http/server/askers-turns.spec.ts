import { ManualClock } from '../../common/testing/manual-clock.js';
import { AskersTurns } from './askers-turns.js';

describe('AskersTurns', () => {
  const limits = { administration_at_once: 2, administration_per_minute: 60 };

  it('lets so many in at the same time, of each', () => {
    const turns = new AskersTurns(() => limits, new ManualClock());
    turns.take('a');
    turns.take('a');
    expect(() => turns.take('a')).toThrow(expect.objectContaining({ code: 'rate_limit_exceeded', advice: { retryAfter: 1 } }));
    turns.take('b');
    turns.give('a');
    turns.take('a');
  });

  it('lets so many in a minute in, and tells when the next one may come', async () => {
    const clock = new ManualClock();
    let perMinute = 6;
    const turns = new AskersTurns(() => ({ ...limits, administration_per_minute: perMinute }), clock);
    const ask = (name: string): void => {
      turns.take(name);
      turns.give(name);
    };
    for (let n = 0; n < 6; n++) ask('a');
    expect(() => ask('a')).toThrow(expect.objectContaining({ advice: { retryAfter: 10 } }));
    ask('b');
    await clock.advance(10_000);
    ask('a');
    expect(() => ask('a')).toThrow('more than 6 requests');
    // A new configuration holds at once.
    perMinute = 600;
    expect(() => ask('a')).toThrow('more than 600 requests');
    await clock.advance(100);
    ask('a');
  });

  it('forgets those of whom nothing is counted, and nobody else', async () => {
    const clock = new ManualClock();
    const turns = new AskersTurns(() => limits, clock);
    turns.take('open');
    turns.take('open');
    for (let n = 0; n < 5_000; n++) {
      turns.take(`asker ${n}`);
      turns.give(`asker ${n}`);
      if (n % 500 === 0) await clock.advance(60_000);
    }
    expect(turns.size).toBeLessThan(1_700);
    expect(() => turns.take('open')).toThrow('may have 2');
  });
});

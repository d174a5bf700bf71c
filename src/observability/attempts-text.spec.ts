import type { AttemptRecord } from '../common/generation-record.js';
import { attemptsText } from './attempts-text.js';

describe('the text of a request’s attempts', () => {
  it('says all that is known of each, to the microsecond, whatever the offer is called', () => {
    const whole: Required<AttemptRecord> = {
      offer: 'a/"m"\\\n\ud800é',
      outcome: 'rate_limited',
      startedMs: 0.0004,
      queueMs: 1e-9,
      firstTokenMs: 12.345678,
      totalMs: 60_000.00049,
      status: 429,
      cacheBreakpoints: ['tools', 'last_turns'],
      spanId: '0123456789abcdef',
    };
    const least = { offer: 'b/m', outcome: 'queue_full', startedMs: 12_345.6785 };
    expect(JSON.parse(attemptsText([whole, least]))).toEqual([
      { ...whole, startedMs: 0, queueMs: 0, firstTokenMs: 12.346, totalMs: 60_000 },
      { ...least, startedMs: 12_345.679 },
    ]);
    expect(attemptsText([])).toBe('[]');
  });
});

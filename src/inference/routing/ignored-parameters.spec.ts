import { IgnoredParameters } from './ignored-parameters.js';

describe('IgnoredParameters', () => {
  it('remembers for ten minutes, one parameter of one account', () => {
    const clock = { now: 0 };
    const ignored = new IgnoredParameters({ now: () => clock.now });
    ignored.add('a', 'logprobs');
    expect([ignored.has('a', 'logprobs'), ignored.has('a', 'n'), ignored.has('b', 'logprobs')]).toEqual([true, false, false]);
    clock.now = 600_000;
    expect(ignored.has('a', 'logprobs')).toBe(false);
  });

  it('forgets the oldest of more than a thousand', () => {
    const ignored = new IgnoredParameters({ now: () => 0 });
    for (let i = 0; i <= 1_000; i++) ignored.add(`${i}`, 'n');
    expect([ignored.has('0', 'n'), ignored.has('1', 'n'), ignored.has('1000', 'n')]).toEqual([false, true, true]);
  });
});

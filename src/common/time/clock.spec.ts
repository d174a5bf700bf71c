import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from './clock.js';
import { ManualClock } from '../testing/manual-clock.js';

describe('a clock that a test moves', () => {
  it('runs what is due in its order, what that begins too, and nothing before its time', async () => {
    const clock = new ManualClock();
    const began = clock.now();
    const ran: string[] = [];
    const note = (name: string) => ran.push(`${name} ${clock.now() - began}`);
    clock.setTimeout(() => note('late'), 300);
    clock.setTimeout(() => {
      note('first');
      void nextTurn().then(() => clock.setTimeout(() => note('second'), 50));
    }, 100);
    const cleared = clock.setTimeout(() => note('never'), 100);
    const ticks = clock.setInterval(() => note('tick'), 120);
    clock.clear(cleared);
    await clock.advance(299);
    expect(ran).toEqual(['first 100', 'tick 120', 'second 150', 'tick 240']);
    await clock.advance(1);
    clock.clear(ticks);
    await clock.advance(1_000);
    expect(ran.slice(4)).toEqual(['late 300']);
    expect(clock.now() - began).toBe(1_300);
  });

  it('leaps like a machine that has slept', async () => {
    const clock = new ManualClock();
    const began = clock.monotonic();
    const ran: number[] = [];
    clock.setInterval(() => ran.push(clock.monotonic() - began), 1_000);
    await clock.leap(86_400_500);
    await clock.advance(999);
    expect(ran).toEqual([86_400_500]);
    await clock.advance(1);
    expect(ran).toEqual([86_400_500, 86_401_500]);
  });

  it('goes on by itself where it is to', async () => {
    const clock = ManualClock.running();
    const began = clock.now();
    await clock.delay(1);
    const late = clock.setTimeout(() => undefined, 86_400_000);
    await clock.advance(3_600_000);
    expect(clock.now() - began).toBeGreaterThanOrEqual(3_600_000);
    await clock.delay(1);
    clock.clear(late);
  });

  it('goes on by itself too after it was moved to shortly before a timer', async () => {
    const clock = ManualClock.running();
    const fired = new Promise<void>((resolve) => clock.setTimeout(resolve, 3_600_000));
    await clock.advance(3_599_990);
    await fired;
  });
});

describe.each([
  ['the system’s clock', systemClock],
  ['one that a test moves', ManualClock.running()],
])('%s', (_, clock) => {
  it('ends a delay early where its signal aborts, and rejects at once where it has', async () => {
    const left = new AbortController();
    const waits = clock.delay(86_400_000, { signal: left.signal });
    left.abort(new Error('left'));
    await expect(waits).rejects.toThrow('left');
    await expect(clock.delay(1, { signal: left.signal })).rejects.toThrow('left');
  });

  it('aborts a signal as AbortSignal.timeout does', async () => {
    const late = clock.timeout(1);
    const theirs = AbortSignal.timeout(1);
    // Neither keeps the process alive.
    await clock.delay(1);
    while (!late.aborted || !theirs.aborted) await clock.delay(1);
    expect(late.reason).toEqual(theirs.reason);
  });
});

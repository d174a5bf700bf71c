import fc from 'fast-check';
import { ConcurrencyLimit, type QueuedCall } from './concurrency-limit.js';

describe('ConcurrencyLimit', () => {
  it('runs up to the limit, queues up to the bound in order, refuses beyond', () => {
    const limit = new ConcurrencyLimit(1, 2);
    const began: string[] = [];
    const call = (name: string) => ({ begin: () => began.push(name) });
    const c = call('c');
    limit.enter(call('a'));
    limit.enter(call('b'));
    limit.enter(c);
    expect(limit.full).toBe(true);
    expect(limit.enter(call('d'))).toBe(false);
    limit.leave(c);
    limit.enter(call('e'));
    limit.release();
    limit.release();
    expect(began).toEqual(['a', 'b', 'e']);
  });

  it('never exceeds the limit and loses no call, in any order of entering, leaving and releasing', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('enter', 'leave', 'release'), { maxLength: 300 }), (steps) => {
        const limit = new ConcurrencyLimit(3, 5);
        let running = 0;
        let finished = 0;
        let left = 0;
        let accepted = 0;
        const waiting = new Set<QueuedCall>();
        for (const step of steps) {
          if (step === 'enter') {
            let began = false;
            const call: QueuedCall = {
              begin: () => {
                began = true;
                waiting.delete(call);
                running++;
              },
            };
            const entered = limit.enter(call);
            if (entered) accepted++;
            if (entered && !began) waiting.add(call);
          } else if (step === 'leave') {
            const [first] = waiting;
            if (!first) continue;
            waiting.delete(first);
            limit.leave(first);
            left++;
          } else if (running > 0) {
            running--;
            finished++;
            limit.release();
          }
          expect(running).toBeLessThanOrEqual(3);
          expect(running).toBe(limit.running);
          expect(waiting.size).toBe(limit.queued);
          expect(accepted).toBe(running + finished + left + waiting.size);
          if (waiting.size > 0) expect(running).toBe(3);
        }
      }),
    );
  });
});

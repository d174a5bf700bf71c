import fc from 'fast-check';
import { ConcurrencyLimit } from './concurrency-limit.js';

describe('ConcurrencyLimit', () => {
  it('runs up to the limit, queues up to the bound in order, refuses beyond', () => {
    const limit = new ConcurrencyLimit(1, 2);
    const began: string[] = [];
    const enter = (name: string) => limit.enter(() => began.push(name));
    enter('a');
    enter('b');
    const leaveC = enter('c');
    expect(limit.full).toBe(true);
    expect(enter('d')).toBeUndefined();
    leaveC!();
    enter('e');
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
        const waiting = new Map<number, () => void>();
        for (const [id, step] of steps.entries()) {
          if (step === 'enter') {
            let began = false;
            const leave = limit.enter(() => {
              began = true;
              waiting.delete(id);
              running++;
            });
            if (leave) accepted++;
            if (leave && !began) waiting.set(id, leave);
          } else if (step === 'leave') {
            const [first] = waiting;
            if (!first) continue;
            waiting.delete(first[0]);
            first[1]();
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

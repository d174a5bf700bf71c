import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { ConcurrencyLimit, type QueuedCall } from './concurrency-limit.js';

describe('ConcurrencyLimit', () => {
  it('runs up to the limit, queues up to the bound in order, refuses beyond', async () => {
    const limit = new ConcurrencyLimit(1, 2);
    const began: string[] = [];
    const call = (name: string) => ({ account: 'one', begin: () => began.push(name) });
    const c = call('c');
    limit.enter(call('a'));
    limit.enter(call('b'));
    limit.enter(c);
    expect(limit.fullFor('one')).toBe(true);
    expect(limit.enter(call('d'))).toBe(false);
    limit.leave(c);
    limit.enter(call('e'));
    for (let i = 0; i < 2; i++) {
      limit.release('one');
      await nextTurn();
    }
    expect(began).toEqual(['a', 'b', 'e']);
  });

  it('never exceeds the limit and loses no call, in any order of entering, leaving, releasing and turns', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('enter', 'leave', 'release', 'turn'), { maxLength: 300 }), async (steps) => {
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
              account: 'one',
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
          } else if (step === 'turn') {
            await nextTurn();
            if (waiting.size > 0) expect(running).toBe(3);
          } else if (running > 0) {
            running--;
            finished++;
            limit.release('one');
          }
          expect(running).toBeLessThanOrEqual(3);
          expect(running).toBe(limit.running);
          expect(waiting.size).toBe(limit.queued);
          expect(accepted).toBe(running + finished + left + waiting.size);
        }
      }),
    );
  });

  const holding = (limit: ConcurrencyLimit, account: string, began: string[]) => limit.enter({ account, begin: () => began.push(account) });

  it('begins the calls of others at once while one account holds all the places and the whole queue that it may', () => {
    const limit = new ConcurrencyLimit(1_000, 1_000);
    const began: string[] = [];
    while (holding(limit, 'greedy', began));
    expect([limit.running, limit.queued, limit.fullFor('greedy')]).toEqual([889, 889, true]);
    began.length = 0;
    for (let i = 0; i < 90; i++) expect(holding(limit, 'another', began)).toBe(true);
    expect(began).toEqual(Array.from({ length: 90 }, () => 'another'));
  });

  it('gives a free place to the waiting account that has the fewest', async () => {
    const limit = new ConcurrencyLimit(3, 100);
    const began: string[] = [];
    for (let i = 0; i < 50; i++) holding(limit, 'greedy', began);
    holding(limit, 'b', began);
    holding(limit, 'c', began);
    began.length = 0;
    for (let i = 0; i < 3; i++) {
      limit.release('greedy');
      await nextTurn();
    }
    expect(began).toEqual(['b', 'c', 'greedy']);
  });

  it('serves accounts that wait with equally many in turn', async () => {
    const limit = new ConcurrencyLimit(1, 100);
    const began: string[] = [];
    for (const account of 'abbbcc') holding(limit, account, began);
    for (let i = 0; i < 5; i++) {
      limit.release(began.at(-1)!);
      await nextTurn();
    }
    expect(began.join('')).toBe('abcbcb');
  });

  it('begins no call that leaves in the turn in which others end', async () => {
    const limit = new ConcurrencyLimit(10, 100);
    const began: string[] = [];
    const calls = Array.from({ length: 18 }, (): QueuedCall => ({ account: 'greedy', begin: () => began.push('greedy') }));
    for (const call of calls) limit.enter(call);
    expect(began.length).toBe(9);
    for (let i = 0; i < 9; i++) limit.release('greedy');
    for (const call of calls.slice(9)) limit.leave(call);
    await nextTurn();
    expect(began.length).toBe(9);
  });

  it('begins a few of those that wait in each turn, and nobody before them', async () => {
    const limit = new ConcurrencyLimit(1_000, 1_000);
    const began: string[] = [];
    for (let i = 0; i < 1_600; i++) holding(limit, 'greedy', began);
    for (let i = 0; i < 500; i++) limit.release('greedy');
    began.length = 0;
    holding(limit, 'another', began);
    expect(began).toEqual([]);
    await nextTurn();
    expect(began).toEqual(['another', ...Array.from({ length: 15 }, () => 'greedy')]);
    for (let turns = 0; turns < 40; turns++) await nextTurn();
    expect(began.length).toBe(500);
  });
});

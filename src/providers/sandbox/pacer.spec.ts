import { setImmediate as nextTurn } from 'node:timers/promises';
import { Pacer } from './pacer.js';

function compute(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('Pacer', () => {
  it('lets the event loop run after each slice, however many responses compute', async () => {
    const running = new AbortController();
    let slices = 0;
    const responses = Array.from({ length: 50 }, async () => {
      const pacer = new Pacer();
      while (!running.signal.aborted) {
        if (pacer.due) await pacer.yieldToEventLoop();
        slices++;
        compute(2.5);
      }
    });
    await nextTurn();
    for (let turn = 0; turn < 20; turn++) {
      const before = slices;
      await nextTurn();
      expect(slices - before).toBeLessThanOrEqual(2);
    }
    running.abort();
    await Promise.all(responses);
  });

  it('gives the next slice to the response that has computed least', async () => {
    const order: string[] = [];
    const run = async (name: string, slices: number): Promise<void> => {
      const pacer = new Pacer();
      for (let slice = 0; slice < slices; slice++) {
        await pacer.yieldToEventLoop();
        order.push(name);
        compute(2.5);
      }
    };
    const long = [run('a', 6), run('b', 6)];
    while (order.length < 6) await nextTurn();
    await run('short', 2);
    await Promise.all(long);
    const at = order.indexOf('short');
    expect(order.slice(0, at).length).toBeLessThanOrEqual(7);
    expect(order.lastIndexOf('short') - at).toBeLessThanOrEqual(2);
    expect(order.filter((name) => name === 'a')).toHaveLength(6);
  });
});

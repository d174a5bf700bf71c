import { RestartDelay } from './restart-delay.js';

describe('RestartDelay', () => {
  it('doubles while workers end soon after their start, to ten seconds, and begins anew after one that has lived', () => {
    const delay = new RestartDelay();
    expect(Array.from({ length: 9 }, () => delay.after(50))).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    expect([delay.after(10_000), delay.after(50)]).toEqual([100, 200]);
  });
});

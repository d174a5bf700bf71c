import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ManualClock } from '../common/testing/manual-clock.js';
import { WriteBehind } from './write-behind.js';

describe('WriteBehind', () => {
  const clock = new ManualClock();
  /** The writes under way, oldest first; the test decides when each one ends. */
  const open = (options: { batch: number; maxWaiting?: number }) => {
    const writes: { rows: number[]; done: () => void; fail: () => void }[] = [];
    const behind = new WriteBehind<number>(
      {
        what: 'numbers',
        maxWaiting: 100,
        ...options,
        write: (rows) => new Promise<void>((done, fail) => writes.push({ rows, done, fail: () => fail(new Error('no store')) })),
      },
      clock,
    );
    return { behind, writes, add: (...rows: number[]) => rows.forEach((row) => behind.add(row)) };
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('writes a whole batch at once, and what came meanwhile later, together', async () => {
    const { behind, writes, add } = open({ batch: 3 });
    add(1, 2);
    expect(writes).toHaveLength(0);
    add(3);
    expect(writes.map(({ rows }) => rows)).toEqual([[1, 2, 3]]);
    add(4);
    writes[0]!.done();
    await settled();
    add(5);
    expect(writes).toHaveLength(1);
    add(6);
    expect(writes[1]!.rows).toEqual([4, 5, 6]);
    writes[1]!.done();
    await behind.close();
    expect(writes).toHaveLength(2);
  });

  it('writes the batches that became full during a write without waiting', async () => {
    const { behind, writes, add } = open({ batch: 2 });
    add(1, 2, 3, 4, 5, 6, 7);
    for (let at = 0; at < 3; at++) {
      expect(writes).toHaveLength(at + 1);
      writes[at]!.done();
      await settled();
    }
    expect(writes.map(({ rows }) => rows)).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    const closed = behind.close();
    await settled();
    writes[3]!.done();
    await closed;
  });

  it('writes the rest, in batches, as it closes, also what came during a write', async () => {
    const { behind, writes, add } = open({ batch: 2 });
    add(1, 2, 3, 4, 5);
    const closed = behind.close();
    for (let at = 0; at < 3; at++) {
      writes[at]!.done();
      await settled();
    }
    await closed;
    expect(writes.map(({ rows }) => rows)).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('keeps the oldest rows for a store that does not take them', async () => {
    const { behind, writes, add } = open({ batch: 2, maxWaiting: 3 });
    add(1, 2);
    writes[0]!.fail();
    await settled();
    add(3, 4);
    expect(writes).toHaveLength(1);
    const closed = behind.close();
    await settled();
    writes[1]!.done();
    await settled();
    writes[2]!.done();
    await closed;
    expect(writes.slice(1).map(({ rows }) => rows)).toEqual([[1, 2], [3]]);
  });

  it('keeps a place for an account that has no row, however many another has', async () => {
    const { behind, writes } = open({ batch: 17, maxWaiting: 18 });
    const fill = () => [...Array(18).keys()].forEach((row) => behind.add(row, 'one'));
    fill();
    behind.add(100, 'other');
    expect(writes[0]!.rows).toEqual([...Array(16).keys(), 100]);
    writes[0]!.done();
    await settled();
    fill();
    const closed = behind.close();
    await settled();
    writes[1]!.done();
    await closed;
    expect(writes[1]!.rows).toHaveLength(16);
  });

  it('tries again at the end where the store fails for a moment', async () => {
    let failures = 2;
    const written: number[] = [];
    const behind = new WriteBehind<number>(
      {
        what: 'numbers',
        batch: 10,
        maxWaiting: 100,
        write: async (rows) => {
          if (failures-- > 0) throw new Error('busy');
          written.push(...rows);
        },
      },
      clock,
    );
    behind.add(1);
    const closed = behind.close();
    await clock.advance(400);
    await closed;
    expect(written).toEqual([1]);
  });

  it.each([[[0]], [[6]], [[1, 2, 5]], [[0, 1, 2, 3, 4, 5, 6]]])('drops %j of seven rows, which the store refuses', async (refused) => {
    const written: number[] = [];
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    let writes = 0;
    const behind = new WriteBehind<number>(
      {
        what: 'numbers',
        batch: 10,
        maxWaiting: 100,
        write: (rows) => {
          writes++;
          const found = rows.find((row) => refused.includes(row));
          if (found !== undefined) return Promise.reject(Object.assign(new Error(`no ${found}`), { code: '23502' }));
          written.push(...rows);
          return Promise.resolve();
        },
      },
      clock,
    );
    for (let row = 0; row < 7; row++) behind.add(row);
    await behind.close();
    expect(written).toEqual([0, 1, 2, 3, 4, 5, 6].filter((row) => !refused.includes(row)));
    const last = `The store refused ${refused.length} of the numbers, which are lost: no ${refused.at(-1)}`;
    expect(error.mock.calls).toEqual([[last]]);
    error.mockRestore();
    expect(writes).toBeLessThanOrEqual(14);
  });

  it('keeps what it has not written where the store goes away while a refused row is looked for', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const answers = [Object.assign(new Error('refused'), { code: '23502' }), undefined, new Error('away'), undefined];
    const tried: number[][] = [];
    const behind = new WriteBehind<number>(
      {
        what: 'numbers',
        batch: 10,
        maxWaiting: 100,
        write: (rows) => {
          tried.push(rows);
          const answer = answers.shift();
          return answer ? Promise.reject(answer) : Promise.resolve();
        },
      },
      clock,
    );
    for (let row = 0; row < 4; row++) behind.add(row);
    const closed = behind.close();
    await clock.advance(200);
    await closed;
    expect(tried).toEqual([
      [0, 1, 2, 3],
      [0, 1],
      [2, 3],
      [2, 3],
    ]);
    expect(error).not.toHaveBeenCalled();
    error.mockRestore();
  });
});

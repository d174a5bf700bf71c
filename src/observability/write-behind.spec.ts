import { WriteBehind } from './write-behind.js';

describe('WriteBehind', () => {
  /** The writes under way, oldest first; the test decides when each one ends. */
  const open = (options: { batch: number; maxWaiting?: number }) => {
    const writes: { rows: number[]; done: () => void; fail: () => void }[] = [];
    const behind = new WriteBehind<number>({
      what: 'numbers',
      maxWaiting: 100,
      ...options,
      write: (rows) => new Promise<void>((done, fail) => writes.push({ rows, done, fail: () => fail(new Error('no store')) })),
    });
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
});

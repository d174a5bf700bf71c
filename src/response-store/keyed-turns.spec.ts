import { KeyedTurns } from './keyed-turns.js';

describe('KeyedTurns', () => {
  const full = new Error('full');

  it('runs some of one key at once, the next ones in order, and those of another beside them', async () => {
    const turns = new KeyedTurns(2, 2, () => full);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const work = (name: string) => async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    };
    const all = ['a1', 'a2', 'a3', 'a4'].map((name) => turns.run('a', work(name)));
    expect(begun).toEqual(['a1', 'a2']);
    await expect(turns.run('a', work('a5'))).rejects.toBe(full);
    const other = turns.run('b', work('b1'));
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    ends[1]!();
    await all[1];
    await Promise.resolve();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    for (const end of ends) end();
    await Promise.all([all[0], all[2], other]);
    ends.at(-1)!();
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  it('gives the turn on where work fails', async () => {
    const turns = new KeyedTurns(1, 1, () => full);
    const failing = turns.run('a', async () => {
      throw new Error('broken');
    });
    const next = turns.run('a', async () => 'next');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('next');
  });
});

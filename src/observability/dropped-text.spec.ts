import { droppedText } from './dropped-text.js';

describe('droppedText', () => {
  const names = Array.from({ length: 500 }, (_, index) => `name"${index}`);
  const read = (count: number) => JSON.parse(droppedText(new Set(names.slice(0, count)))) as string[];

  it('names each of a few', () => {
    for (const count of [0, 1, 32]) expect(read(count)).toEqual(names.slice(0, count));
  });

  it('cuts a long one', () => expect(droppedText(new Set(['n'.repeat(300)]))).toBe(`["${'n'.repeat(64)}…"]`));

  it('counts what is beyond', () => expect(read(500)).toEqual([...names.slice(0, 32), '… and 468 more']));
});

import { BoundedMap } from './bounded-map.js';

describe('BoundedMap', () => {
  it('forgets what was set first, and nothing for a key that it has', () => {
    const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('a', 3);
    expect([...map]).toEqual([
      ['a', 3],
      ['b', 2],
    ]);
    expect([...map.set('c', 4).keys()]).toEqual(['b', 'c']);
  });
});

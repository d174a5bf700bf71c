import fc from 'fast-check';
import { FairPlaces } from './fair-places.js';

const fill = (places: FairPlaces, account: string) => {
  let taken = 0;
  while (places.take(account)) taken++;
  return taken;
};

describe('FairPlaces', () => {
  it.each([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 3],
    [10, 9],
    [1_000, 889],
    [10_000, 8_889],
  ])('lets one account alone have nearly all of %d places: %d', (limit, most) => {
    expect(fill(new FairPlaces(limit), 'one')).toBe(most);
  });

  it('has room for who comes next, and the next one', () => {
    const places = new FairPlaces(1_000);
    expect(['a', 'b', 'c', 'd', 'e'].map((account) => fill(places, account))).toEqual([889, 99, 11, 1, 0]);
  });

  it('always has room for another account while one has filled all that it may, and never gives more than there is', () => {
    const step = fc.record({ account: fc.constantFrom('a', 'b', 'c'), take: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 60 }), fc.array(step, { maxLength: 300 }), (limit, steps) => {
        const places = new FairPlaces(limit);
        const held = new Map<string, number>();
        for (const { account, take } of steps) {
          const has = held.get(account) ?? 0;
          if (take) {
            const allowed = places.allows(account);
            expect(places.take(account)).toBe(allowed);
            if (allowed) held.set(account, has + 1);
            else if (places.taken === has) expect(places.allows('another')).toBe(true);
          } else if (has > 0) {
            places.give(account);
            held.set(account, has - 1);
          }
          const sum = [...held.values()].reduce((all, one) => all + one, 0);
          expect([places.taken, places.free, places.heldBy(account)]).toEqual([sum, limit - sum, held.get(account) ?? 0]);
        }
      }),
    );
  });

  it('forgets accounts that hold nothing', () => {
    const places = new FairPlaces(10);
    for (let i = 0; i < 5_000; i++) {
      places.take(`${i}`);
      places.give(`${i}`);
    }
    expect(places.taken).toBe(0);
    places.take('held');
    for (let i = 0; i < 5_000; i++) if (places.take(`${i}`)) places.give(`${i}`);
    expect(places.heldBy('held')).toBe(1);
  });
});

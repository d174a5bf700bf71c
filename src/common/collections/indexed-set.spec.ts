import fc from 'fast-check';
import { IndexedSet } from './indexed-set.js';

describe('IndexedSet', () => {
  it('has what was added and not deleted, whatever the order', () => {
    const step = fc.record({ add: fc.boolean(), which: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const members = Array.from({ length: 10 }, (_, name) => ({ name, index: -1 }));
        const set = new IndexedSet<(typeof members)[number]>();
        const model = new Set<unknown>();
        for (const { add, which } of steps) {
          const member = members[which]!;
          if (add) {
            set.add(member);
            model.add(member);
          } else expect(set.delete(member)).toBe(model.delete(member));
          expect(set.size).toBe(model.size);
        }
        expect(new Set(set)).toEqual(model);
        expect([...set]).toHaveLength(model.size);
        for (const member of members) expect(set.has(member)).toBe(model.has(member));
      }),
    );
  });
});

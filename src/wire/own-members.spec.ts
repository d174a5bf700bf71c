import { ownOf, setMember } from './own-members.js';

/** Names that all objects have. */
const inherited = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];

describe('A table', () => {
  it.each(inherited)('has no member %s that it was not given', (name) => {
    expect(ownOf({ a: 1 }, name)).toBeUndefined();
  });

  it.each(inherited)('keeps a member %s', (name) => {
    const table: Record<string, unknown> = {};
    setMember(table, name, { a: 1 });
    expect(ownOf(table, name)).toEqual({ a: 1 });
    expect(Object.keys(table)).toEqual([name]);
    expect(Object.getPrototypeOf(table)).toBe(Object.prototype);
  });
});

import * as fc from 'fast-check';
import { jsonMembers } from './json-members.js';

const members = (json: string) => jsonMembers(Buffer.from(json));
const textOf = (json: string, name: string) => {
  const range = members(json)?.ranges.get(name);
  return range && Buffer.from(json).toString('utf8', ...range);
};
const namesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, child) => sum + namesOf(child), Array.isArray(value) ? 0 : Object.keys(value).length)
    : 0;

describe('jsonMembers', () => {
  it('finds each member, and counts the names', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 4 })), fc.nat(3), (value, indent) => {
        const json = JSON.stringify(value, null, indent);
        const found = members(json);
        if (Object.keys(value).some((name) => JSON.stringify(name).includes('\\'))) return expect(found).toBeUndefined();
        const nested = Object.entries(JSON.parse(json) as object).filter(([, member]) => typeof member === 'object' && member !== null);
        expect(
          Array.from(found!.ranges, ([name, range]) => [name, JSON.parse(Buffer.from(json).toString('utf8', ...range)) as unknown]),
        ).toEqual(nested);
        expect(found!.names).toBe(namesOf(JSON.parse(json)));
      }),
    );
  });

  it('returns the members as they are written', () => {
    expect(textOf('{"a" : [ "\\u00e9\\\\\\"]}", 1.0, "é" ] ,"b":{"a":[]}}', 'a')).toBe('[ "\\u00e9\\\\\\"]}", 1.0, "é" ]');
  });

  it('counts a name that occurs twice as two, wherever it is', () => {
    expect(members('{"a":[1],"a":[2]}')!.names).toBe(2);
    expect(members('{"a":[{"b":"c: d","b":{"e":1}}]}')!.names).toBe(4);
  });

  it('returns nothing where a name has escapes', () => {
    expect(members('{"a":[1],"\\u0061":[2]}')).toBeUndefined();
  });
});

import fc from 'fast-check';
import { fitObject } from './fit-object.js';

describe('an object that must fit', () => {
  it('is whole in any room of two characters or more, and as it was where it fits', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer({ min: 2, max: 200 }), (value, room) => {
        const json = JSON.stringify(value);
        const fitted = fitObject(json, (one) => one.length <= room);
        expect(fitted.length).toBeLessThanOrEqual(room);
        expect(typeof JSON.parse(fitted)).toBe('object');
        if (json.length <= room) expect(fitted).toBe(json);
      }),
    );
  });

  it('loses words before it loses members', () => {
    const json = JSON.stringify({ kind: 'note', text: 'one two three four five six seven eight', tags: ['a', 'b'] });
    expect(fitObject(json, (one) => one.length <= 70)).toBe('{"kind":"note","text":"one two three four five six","tags":["a","b"]}');
    expect(fitObject(json, (one) => one.length <= 30)).toBe('{"kind":"note","text":"one"}');
    expect(fitObject(json, () => false)).toBe('{}');
  });
});

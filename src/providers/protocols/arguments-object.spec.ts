import { argumentsObject } from './arguments-object.js';

const nested = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

describe('argumentsObject', () => {
  it.each([
    ['', {}],
    [' \n', {}],
    ['{"a":1}', { a: 1 }],
    ['[1]', undefined],
    ['"a"', undefined],
    ['{"a":', undefined],
  ])('reads %j as %j', (text, value) => {
    expect(argumentsObject(text)).toEqual(value);
  });

  it('reads nothing that cannot be written again', () => {
    expect(JSON.stringify(argumentsObject(nested(90)))).toBe(nested(90));
    expect(argumentsObject(nested(200_000))).toBeUndefined();
  });
});

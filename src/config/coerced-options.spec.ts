import * as z from 'zod';
import { coercedOptions } from './coerced-options.js';

const coerced = (schema: z.ZodType, value: unknown) => coercedOptions(value, z.toJSONSchema(schema, { io: 'input' }));

describe('Texts in options', () => {
  it.each([
    ['a number', z.number(), '4', 4],
    ['a number or nothing', z.number().nullable(), '4', 4],
    ['a number or a boolean', z.union([z.boolean(), z.int()]), 'true', true],
    ['a number or a boolean', z.union([z.boolean(), z.int()]), '4', 4],
    ['a number or one of some words', z.union([z.int(), z.enum(['auto', 'off'])]), 'auto', 'auto'],
    ['a constant', z.union([z.literal(1), z.literal(2)]), '2', 2],
    ['what all of two schemas take', z.intersection(z.number(), z.number().min(3)), '4', 4],
    ['a list of numbers', z.array(z.int()), ['1', 'two'], [1, 'two']],
    ['a record of booleans', z.record(z.string(), z.boolean()), { a: 'true', b: 'no' }, { a: true, b: 'no' }],
  ])('become what is wanted: %s', (_what, schema, value, wanted) => {
    expect(coerced(schema, value)).toEqual(wanted);
    expect(coerced(z.object({ inner: schema.optional() }), { inner: value })).toEqual({ inner: wanted });
    expect(coerced(z.object({ inner: z.union([schema, z.object({ other: z.int() })]) }), { inner: value })).toEqual({ inner: wanted });
  });

  it.each([
    ['text', z.string(), '4'],
    ['a number or text', z.union([z.number(), z.string()]), '4'],
    ['anything', z.any(), '4'],
    ['a number, which it is not', z.number(), 'four'],
    ['an object', z.object({ a: z.int() }), '4'],
  ])('stay where the schema takes %s', (_what, schema, value) => {
    expect(coerced(schema, value)).toBe(value);
  });

  it('are read by the member of a union whose constants they have', () => {
    const schema = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('code'), value: z.string() }),
      z.object({ kind: z.literal('count'), value: z.int() }),
    ]);
    expect(coerced(schema, { kind: 'code', value: '4711' })).toEqual({ kind: 'code', value: '4711' });
    expect(coerced(z.object({ login: schema }), { login: { kind: 'count', value: '4711' } })).toEqual({
      login: { kind: 'count', value: 4711 },
    });
  });
});

import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { JsonObject } from '../../../wire/json-object.js';
import { closedSchema } from './json-schema.js';

describe('closedSchema', () => {
  it('closes objects, keeps what the decoder knows and says the rest in the description', () => {
    const closed = closedSchema({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      description: 'A person',
      properties: {
        name: { type: 'string', minLength: 1 },
        mail: { type: 'string', format: 'email' },
        tags: { type: 'array', items: { type: ['string', 'null'] }, minItems: 1, maxItems: 3, uniqueItems: false },
        pet: { oneOf: [{ $ref: '#/$defs/pet' }, { type: 'null' }] },
        level: { enum: [1, 2] },
      },
      required: ['name'],
      $defs: { pet: { type: 'object', properties: { kind: { const: 'cat' } } } },
    });
    expect(closed).toEqual({
      schema: {
        type: 'object',
        description: 'A person',
        properties: {
          name: { type: 'string', description: '{minLength: 1}' },
          mail: { type: 'string', format: 'email' },
          tags: { type: 'array', items: { type: ['string', 'null'] }, minItems: 1, description: '{maxItems: 3}' },
          pet: { anyOf: [{ $ref: '#/$defs/pet' }, { type: 'null' }] },
          level: { enum: [1, 2] },
        },
        required: ['name'],
        additionalProperties: false,
        $defs: { pet: { type: 'object', properties: { kind: { const: 'cat' } }, additionalProperties: false } },
      },
      loosened: ['minLength', 'maxItems'],
    });
  });

  it.each<[string, JsonObject]>([
    ['an object of any names', { type: 'object' }],
    ['an object of any names with values of one type', { type: 'object', additionalProperties: { type: 'string' } }],
    ['names by pattern', { type: 'object', properties: {}, patternProperties: { '^x': { type: 'string' } } }],
    ['a value of any type', { type: 'object', properties: { any: {} } }],
    ['a value that may be anything', { type: 'object', properties: { any: true } }],
    ['a tuple', { type: 'array', items: [{ type: 'string' }] }],
    ['recursion to the root', { type: 'object', properties: { next: { $ref: '#' } } }],
    [
      'recursion',
      { $ref: '#/$defs/a', $defs: { a: { type: 'object', properties: { a: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }] } } } } },
    ],
    ['a reference to nowhere', { $ref: '#/$defs/none' }],
    ['a reference to elsewhere', { $ref: 'https://example.com/schema.json' }],
    ['endless nesting', nested(500)],
  ])('cannot say %s', (_what, schema) => {
    expect(closedSchema(schema)).toBeUndefined();
  });

  it('looks at each definition once, however often it is referred to', () => {
    const $defs: JsonObject = { d60: { type: 'string' } };
    for (let level = 0; level < 60; level++) {
      const $ref = `#/$defs/d${level + 1}`;
      $defs[`d${level}`] = { type: 'object', properties: { a: { $ref }, b: { $ref } } };
    }
    expect(closedSchema({ $ref: '#/$defs/d0', $defs })).toBeDefined();
  });

  it('lets nothing through that the original refuses, but for what it names as loosened', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const leaf = fc.constantFrom<JsonObject>(
      { type: 'string' },
      { type: 'integer', minimum: 3 },
      { type: ['number', 'null'] },
      { enum: ['a', 1] },
      { const: true },
      { type: 'string', maxLength: 1 },
    );
    const { schema: schemas } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.record({ type: fc.constant('array'), items: tie('schema') }),
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
        fc.record({
          type: fc.constant('object'),
          properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { minKeys: 1 }),
          required: fc.subarray(['a']),
        }),
      ),
    }));
    const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>('a', 'long', 1, 5, 1.5, null, true),
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
      ),
    }));
    fc.assert(
      fc.property(schemas, fc.array(values, { minLength: 5, maxLength: 20 }), (schema, samples) => {
        const closed = closedSchema(schema);
        if (!closed) throw new Error('cannot be said');
        if (closed.loosened.length > 0) return;
        const original = ajv.compile(schema);
        const narrowed = ajv.compile(closed.schema);
        for (const sample of samples) if (narrowed(sample)) expect(original(sample)).toBe(true);
      }),
    );
  });
});

function nested(depth: number): JsonObject {
  return depth === 0 ? { type: 'string' } : { type: 'array', items: nested(depth - 1) };
}

import { googleSchema } from './json-schema.js';

describe('googleSchema', () => {
  it('leaves alone what Google takes or ignores', () => {
    const schema = {
      type: 'object',
      title: 'T',
      properties: {
        a: { type: ['string', 'null'], minLength: 1 },
        b: { anyOf: [{ type: 'integer', exclusiveMinimum: 0 }, { type: 'null' }] },
      },
      required: ['a'],
      additionalProperties: false,
    };
    expect(googleSchema(schema)).toEqual(schema);
  });

  it('says constants and definitions in the words that Google knows', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $ref: '#/definitions/Node',
      definitions: { Node: { type: 'object', properties: { kind: { const: 'node' }, next: { $ref: '#/definitions/Node' } } } },
    };
    expect(googleSchema(schema)).toEqual({
      $ref: '#/$defs/Node',
      $defs: { Node: { type: 'object', properties: { kind: { enum: ['node'] }, next: { $ref: '#/$defs/Node' } } } },
    });
  });

  it('leaves nothing beside a reference', () => {
    expect(googleSchema({ type: 'object', properties: { a: { $ref: '#/$defs/A', description: 'an A', default: null } } })).toEqual({
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' } },
    });
    expect(googleSchema({ properties: { a: { allOf: [{ $ref: '#/$defs/A' }], description: 'an A' } } })).toEqual({
      properties: { a: { $ref: '#/$defs/A' } },
    });
  });

  it('takes the single member of allOf for the schema itself', () => {
    expect(googleSchema({ allOf: [{ type: 'object', properties: {} }], description: 'd' })).toEqual({
      type: 'object',
      properties: {},
      description: 'd',
    });
  });

  it('does not mistake names and values for keywords', () => {
    const schema = {
      type: 'object',
      properties: { const: { type: 'string' }, definitions: { type: 'string' }, $ref: { type: 'string' } },
      default: { const: 1, $ref: 'x' },
      enum: [{ const: 1 }],
    };
    expect(googleSchema(schema)).toEqual(schema);
  });
});

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { samples } from '../../../common/testing/long-form.js';
import { schemaHints } from './schema-hints.js';
import { SchemaInstances } from './schema-instances.js';

/** For schemas that are answered or refused at once, also on a busy machine. */
const instances = new SchemaInstances(20_000);
/** For schemas that take for ever. */
const impatient = new SchemaInstances(50);
/** For one of them beside others. */
const patient = new SchemaInstances(2_000);
afterAll(() => Promise.all([instances, impatient, patient].map((some) => some.close())));

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

const hints = schemaHints('How is the weather in Paris for 3 days?', 'It rains.');
const never = new AbortController().signal;
type Schema = Record<string, unknown>;
const create = (schema: Schema, seed = 1) => instances.create(schema, seed, hints, never);
const refused = { name: 'ProviderError', kind: 'invalid_request' };

const leaf: fc.Arbitrary<Schema> = fc.constantFrom<Schema>(
  { type: 'string' },
  { type: 'string', minLength: 20, maxLength: 25 },
  { type: 'string', enum: ['metric', 'imperial'] },
  { type: 'string', format: 'date-time' },
  { type: 'string', format: 'email' },
  { type: 'string', pattern: '^[A-Z]{2}-\\d{3}$' },
  { type: 'integer' },
  { type: 'integer', minimum: 10, maximum: 12 },
  { type: 'number', exclusiveMinimum: 0, maximum: 1 },
  { type: ['string', 'null'] },
  { type: 'boolean' },
  { const: 7 },
  {},
);
const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat({ max: 3 }) }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.dictionary(fc.constantFrom('city', 'days', 'note', 'x'), tie('schema')).map((properties) => ({
      type: 'object',
      properties,
      required: Object.keys(properties).slice(0, 2),
      additionalProperties: false,
    })),
  ),
}));

describe('instances of a schema', () => {
  it('are valid, and the same for the same seed', async () => {
    await fc.assert(
      fc.asyncProperty(schema, fc.nat(), async (of, seed) => {
        const json = await create(of, seed);
        expect(ajv.validate(of, JSON.parse(json))).toBe(true);
        expect(await create(of, seed)).toBe(json);
      }),
      { numRuns: samples(60) },
    );
  });

  it('are filled with what the user said', async () => {
    const properties = { city: { type: 'string' }, days: { type: 'integer' }, summary: { type: 'string' } };
    const json = await create({ type: 'object', properties, required: Object.keys(properties) });
    expect(JSON.parse(json)).toEqual({ city: 'Paris', days: 3, summary: 'It rains.' });
  });

  it('have required members whatever their names', async () => {
    const of = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"const":{"a":1}},"constructor":{"const":2}},"additionalProperties":false}',
    ) as Schema;
    expect(await create({ ...of, required: ['__proto__', 'constructor'] })).toBe('{"__proto__":{"a":1},"constructor":2}');
  });

  it('differ by seed', async () => {
    const many = await Promise.all(Array.from({ length: 20 }, (_, seed) => create({ type: 'string', format: 'uuid' }, seed)));
    expect(new Set(many).size).toBe(20);
  });

  it('of recursive schemas come to an end', async () => {
    const node = {
      type: 'object',
      properties: { value: { type: 'string' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
      required: ['value', 'next'],
      additionalProperties: false,
    };
    const list = { type: 'object', properties: { list: { $ref: '#/$defs/node' } }, required: ['list'], $defs: { node } };
    expect(ajv.validate(list, JSON.parse(await create(list)))).toBe(true);
  });
});

describe('a hostile schema', () => {
  const deep = (levels: number): Schema => (levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: deep(levels - 1) } });
  const bushy: Schema = { $ref: '#/$defs/d0', $defs: {} };
  for (let i = 0; i < 30; i++) {
    const next = { $ref: `#/$defs/d${i + 1}` };
    (bushy.$defs as Schema)[`d${i}`] = { type: 'object', properties: { a: next, b: next }, required: ['a', 'b'] };
  }
  (bushy.$defs as Schema).d30 = { type: 'string' };

  it.each<[string, Schema, SchemaInstances?]>([
    ['never ends', { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] }],
    ['is too deep', deep(40)],
    ['doubles thirty times', bushy, impatient],
    ['points to another address', { $ref: 'http://localhost:1/schema.json' }],
    ['points to a file', { type: 'array', items: { $ref: 'other.json#/x' } }],
    ['points nowhere', { $ref: '#/$defs/nothing' }],
    ['wants a million items', { type: 'array', minItems: 1_000_000, items: { type: 'integer' } }],
    ['wants a huge string', { type: 'string', minLength: 1_000_000_000 }],
    ['wants a huge pattern', { type: 'string', pattern: 'a{1000000}' }, impatient],
    ['nests quantifiers', { type: 'string', pattern: '^((((a{100}){100}){100}){100})$' }, impatient],
    [
      'multiplies items',
      { type: 'array', minItems: 500, items: { type: 'array', minItems: 500, items: { type: 'string', minLength: 9_000 } } },
      impatient,
    ],
    ['has an evil pattern', { type: 'string', minLength: 40, pattern: '^(([a-z])+.)+[A-Z]([a-z])+$', maxLength: 41, format: 'uuid' }],
    ['contradicts itself', { type: 'integer', minimum: 2, maximum: 1 }],
    ['is not a schema', { type: 'nonsense' }],
    ['has a broken pattern', { type: 'string', pattern: '(' }],
    ['is enormous', { enum: Array.from({ length: 10_000 }, (_, i) => i) }],
  ])('that %s is refused in time', async (_, of, by = instances) => {
    await expect(by.create(of, 1, hints, never)).rejects.toMatchObject(refused);
  });

  it('may still speak of references in its data', async () => {
    await expect(create({ const: { $ref: 'http://example.com' } })).resolves.toBe('{"$ref":"http://example.com"}');
  });

  it('delays others by no more than its deadline', async () => {
    const [hostile, ...others] = await Promise.allSettled([
      patient.create(bushy, 1, hints, never),
      ...Array.from({ length: 10 }, (_, seed) => patient.create({ type: 'integer' }, seed, hints, never)),
    ]);
    expect(hostile.status).toBe('rejected');
    expect(others.every(({ status }) => status === 'fulfilled')).toBe(true);
  });

  it('is not waited for by a caller who has left', async () => {
    const abort = new AbortController();
    const waiting = [bushy, { const: 2 }].map((of) => patient.create(of, 1, hints, abort.signal));
    const ended: string[] = [];
    const next = patient.create({ const: 3 }, 1, hints, never).then((made) => ended.push(made));
    abort.abort(new Error('left'));
    for (const one of waiting) await expect(one.finally(() => ended.push('left'))).rejects.toThrow('left');
    await next;
    // The hostile schema is given up at its deadline; only then comes the next one's turn.
    expect(ended).toEqual(['left', 'left', '3']);
  });

  it('does not outlive a close', async () => {
    const own = new SchemaInstances();
    const waiting = own.create({ const: 1 }, 1, hints, never);
    const [outcome] = await Promise.allSettled([waiting, own.close()]);
    expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'overloaded' } });
    await expect(own.create({ const: 1 }, 1, hints, never)).resolves.toBe('1');
    await own.close();
  });
});

describe('hints for a schema', () => {
  it('are what the user named and counted', () => {
    expect(schemaHints('Book a table for 4 in New York, at "Chez Nous", on the 3rd at 19.30. Thanks, Eve', 'Gladly.')).toEqual({
      text: 'Gladly.',
      phrases: ['New York', 'Chez Nous', 'Eve'],
      numbers: [4, 19.3],
    });
  });

  it('are long words where nothing is named', () => {
    expect(schemaHints('what about some information', '').phrases).toEqual(['information', 'about', 'what']);
    expect(schemaHints('', '')).toEqual({ text: 'An example.', phrases: ['example'], numbers: [] });
  });
});

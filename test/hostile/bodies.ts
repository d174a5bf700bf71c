import fc from 'fast-check';
import { hostileBody, ordinaryBody, repeated, withPrefix } from '../support/hostile-bodies.ts';
import { worstBodies } from '../support/worst-bodies.ts';
import type { Random } from '../torture/random.ts';

/** The same for a model with a long context. */
const large = (json: Buffer): Buffer => withPrefix('large-', { json, chunk: 0 }).json;
const body = (members: string): Buffer => large(Buffer.from(`{"model":"m",${members}}`));
const greeting = '"messages":[{"role":"user","content":"Hello"}]';
const many = (count: number, one: (index: number) => unknown) => JSON.stringify(Array.from({ length: count }, (_, index) => one(index)));

export const conversation = (bytes: number): Buffer => large(ordinaryBody(bytes));

/** Bodies of about so many bytes: those in which something was found, and the dearest that are answered. */
export const kinds: Readonly<Record<string, (bytes: number) => Buffer>> = {
  'members before long strings': (bytes) =>
    body(`${repeated((index) => `"z${index}":[],`)(bytes * 0.9)}"messages":[{"role":"user","content":"${'x'.repeat(bytes * 0.1)}"}]`),
  'members of one object': (bytes) => body(`"metadata":{${repeated((index) => `"n${index}":0,`)(bytes)}"z":0},${greeting}`),
  'unknown names': (bytes) => body(`${repeated((index) => `"n${index}":0,`)(bytes)}${greeting}`),
  'empty arrays': (bytes) => body(`"stop":[${repeated(() => '[],')(bytes)}[]],${greeting}`),
  'empty objects as messages': (bytes) => body(`"messages":[${repeated(() => '{},')(bytes)}{}]`),
  'tiny parts': (bytes) =>
    body(`"messages":[{"role":"user","content":[${repeated(() => '{"type":"text","text":"a"},')(bytes)}{"type":"text","text":"a"}]}]`),
  ...Object.fromEntries(worstBodies.map(([kind, make]) => [kind, (bytes: number) => large(make(bytes))])),
};

/** A body of some of all that is known to be costly, in an order and in sizes that nobody has thought of. */
export function generatedBody(random: Random): Buffer {
  const [made] = fc.sample(hostileBody(random.between(100_000, 6_000_000)), { numRuns: 1, seed: random.between(0, 2 ** 31 - 1) });
  return large(made!.json);
}

/** What is legitimate, and large. */
export const legitimate: Readonly<Record<string, () => Buffer>> = {
  '10 MB in 10,000 messages of mixed parts': () => {
    const parts = (index: number) => [
      { type: 'text', text: `Part one of message ${index}. ${'It says what people say. '.repeat(20)}` },
      { type: 'text', text: `Part two. ${'And some more of it. '.repeat(18)}` },
    ];
    return body(
      `"messages":${many(10_000, (index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: index % 3 === 0 ? parts(index) : 'And so on. '.repeat(90),
      }))}`,
    );
  },
  '1,024 tools with real schemas': () => {
    const filter = { type: 'object', properties: { name: { type: 'string' }, value: { type: 'number' } }, required: ['name'] };
    const properties = {
      place: { type: 'string', description: 'Where' },
      from: { type: 'string', format: 'date-time' },
      unit: { type: 'string', enum: ['metric', 'imperial'] },
      filters: { type: 'array', items: filter },
    };
    const parameters = { type: 'object', properties, required: ['place'] };
    const description = 'Finds what there is to find in a place and a time, and sorts it.';
    const tool = (index: number) => ({ type: 'function', function: { name: `tool_${index}`, description, parameters } });
    return body(`${greeting},"tools":${many(1_024, tool)}`);
  },
  '32 MB of one document': () =>
    body(`"messages":[{"role":"user","content":"${'A document of many words, and nothing else. '.repeat(32e6 / 44)}"}]`),
};

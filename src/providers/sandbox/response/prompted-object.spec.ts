import type { Message } from '../../../wire/chat-completion.js';
import { promptedObject } from './prompted-object.js';

const asked = (question: string, ...system: string[]) =>
  promptedObject(
    question,
    system.map((content): Message => ({ role: 'system', content })),
  );
const string = { type: 'string' };
const list = expect.objectContaining({ type: 'array', items: string });

describe('the object that a prompt asks for', () => {
  it.each<[string, object]>([
    ['Answer as JSON with the keys name, age and "home town".', { name: string, age: { type: 'integer' }, 'home town': string }],
    [
      'Give me JSON with fields `title` (string), `tags` (array of strings) and `ok` (boolean)',
      { title: string, tags: list, ok: { type: 'boolean' } },
    ],
    ['Reply in JSON with a single key named city', { city: string }],
    [
      'Return {"name": "Ann", "pets": ["cat"], "home": {"zip": 1}}',
      { name: string, pets: list, home: expect.objectContaining({ type: 'object' }) },
    ],
    [
      'Return { title: string, mood: "good" | "bad", score: number }',
      { title: string, mood: { enum: ['good', 'bad'] }, score: { type: 'number' } },
    ],
    ['Use {"mood": "good|bad"}', { mood: { enum: ['good', 'bad'] } }],
  ])('in %j', (question, properties) => {
    expect(asked(question)).toEqual({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false });
  });

  it('is a schema where one stands there, of the system too', () => {
    const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 3 } }, required: ['a'] };
    expect(asked(`Follow this schema: ${JSON.stringify(schema, null, 2)} Thank you.`)).toEqual(schema);
    expect(asked('Hello', `Answer in JSON: ${JSON.stringify({ name: 'x', schema })}`)).toEqual(schema);
  });

  it.each(['What is the key point? Answer in JSON.', 'Hello', '{', '{}', '{"', 'The keys in the box', ''])('is open in %j', (question) => {
    expect(asked(question)).toBeUndefined();
  });

  it.each(['{'.repeat(16_000), '{"a":'.repeat(3_000), 'keys a, '.repeat(2_000), 'key '.repeat(4_000)])(
    'is soon looked for in %j',
    (text) => {
      const started = process.threadCpuUsage();
      asked(text, text, text);
      expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(300);
    },
  );
});

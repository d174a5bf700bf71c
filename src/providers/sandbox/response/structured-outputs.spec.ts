import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ResponseFormat, Tool, Message } from '../../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { testCall } from '../../testing/call.js';
import { collect, readAll } from '../../testing/collect.js';
import { SandboxProvider } from '../sandbox.provider.js';
import fc from 'fast-check';
import { fitObject } from './fit-object.js';
import { promptedObject } from './prompted-object.js';
import { said } from '../../../wire/testing/said.js';

const provider = new SandboxProvider();
afterAll(() => provider.onApplicationShutdown());

const ajv = new Ajv2020();
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] }, days: { type: 'integer', minimum: 1, maximum: 7 } },
  required: ['city', 'unit'],
  additionalProperties: false,
};
const weather: Tool = { type: 'function', function: { name: 'get_weather', description: 'The weather of a city', parameters } };
const time: Tool = { type: 'function', function: { name: 'get_time', description: 'The time' } };

function chat(content: string, more: Partial<ChatGenerationRequest> = {}): ChatGenerationRequest {
  return { operation: 'chat', model: 'm', stream: false, n: 1, seed: 1, messages: [said.user(content)], ...more };
}

async function ask(request: ChatGenerationRequest) {
  const chunks = await readAll(provider.generate(request, testCall({ upstreamModel: 'sandbox-chat' })));
  return { chunks, ...collect(chunks) };
}

describe('calls of functions', () => {
  const request = chat('How is the weather in Oslo, and what time is it?', { tools: [weather, time], n: 2 });

  it('are the same streamed and unstreamed, in several deltas', async () => {
    const whole = await ask(request);
    const streamed = await ask({ ...request, stream: true });
    expect(whole.choices[0]!.toolCalls.map((call) => call.name).sort()).toEqual(['get_time', 'get_weather']);
    for (const [index, choice] of whole.choices.entries()) {
      expect(choice.finishReason).toBe('tool_calls');
      expect(choice.text).toBeNull();
      expect(streamed.choices[index]!.text).toBeNull();
      const calls = (of: typeof choice) => of.toolCalls.map(({ name, arguments: json }) => ({ name, json }));
      expect(calls(streamed.choices[index]!)).toEqual(calls(choice));
    }
    expect(streamed.usage).toEqual(whole.usage);
    expect(streamed.usage!.completion_tokens).toBe(streamed.chunks.reduce((sum, chunk) => sum + chunk.tokens!, 0));
    const deltas = streamed.chunks.flatMap((chunk) => chunk.choices).filter((choice) => choice.index === 0 && choice.delta?.tool_calls);
    expect(deltas.length).toBeGreaterThan(6);
    expect(streamed.chunks.at(-1)!.choices[0]!.delta).toEqual({});
  });

  it('have valid arguments, drawn by the seed, and an id of their own', async () => {
    const told = new Set<string>();
    for (let seed = 0; seed < 10; seed++) {
      for (const { toolCalls } of (await ask({ ...request, seed })).choices) {
        for (const call of toolCalls) {
          told.add(call.id).add(call.arguments);
          expect(ajv.validate(call.name === 'get_weather' ? parameters : { type: 'object' }, JSON.parse(call.arguments))).toBe(true);
        }
      }
    }
    // Beside the ids: one unit, the other, and nothing for the time.
    expect(told.size).toBe(40 + 3);
    const [choice] = (await ask(request)).choices;
    expect(JSON.parse(choice!.toolCalls.find((call) => call.name === 'get_weather')!.arguments)).toMatchObject({ city: 'Oslo' });
  });

  it('are one at most where they must not be parallel, and none with tool_choice none', async () => {
    const [one] = (await ask({ ...request, parallel_tool_calls: false, stream: true })).choices;
    expect(one!.toolCalls).toHaveLength(1);
    const [none] = (await ask({ ...request, tool_choice: 'none' })).choices;
    expect([none!.toolCalls, none!.finishReason]).toEqual([[], 'stop']);
  });

  it('break off at max_tokens', async () => {
    for (const max_tokens of [1, 8, 12]) {
      const { choices, usage } = await ask({ ...request, tool_choice: 'required', n: 1, max_tokens });
      expect(choices[0]!.finishReason).toBe('length');
      expect(usage!.completion_tokens).toBeLessThanOrEqual(max_tokens);
    }
  });

  it('are followed by an answer that uses their result', async () => {
    const [call] = (await ask({ ...request, parallel_tool_calls: false })).choices[0]!.toolCalls;
    const messages: ChatGenerationRequest['messages'] = [
      ...request.messages,
      said.assistant(null, [said.call(call!.id, call!.name, call!.arguments)]),
      said.result(call!.id, '{"result": "17 degrees"}'),
    ];
    const { choices } = await ask({ ...request, messages, stream: true, logprobs: true, top_logprobs: 1 });
    expect(choices[0]).toMatchObject({ text: `According to ${call!.name}: result is 17 degrees.`, finishReason: 'stop', toolCalls: [] });
    expect(choices[0]!.logprobs.length).toBeGreaterThan(5);
  });

  it('whose schema is hostile fail as invalid requests', async () => {
    const hostile: Tool = {
      type: 'function',
      function: { name: 'f', parameters: { type: 'object', required: ['a'], properties: { a: { $ref: '#' } } } },
    };
    await expect(ask(chat('call f', { tools: [hostile], tool_choice: 'required' }))).rejects.toMatchObject({ kind: 'invalid_request' });
  });

  it('are asked of a function that is there', async () => {
    const choice = { type: 'function' as const, function: { name: 'nope' } };
    await expect(ask({ ...request, tool_choice: choice })).rejects.toMatchObject({ kind: 'invalid_request' });
  });
});

describe('answers in JSON', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, steps: { type: 'array', items: { type: 'string' }, minItems: 2 } },
    required: ['name', 'steps'],
    additionalProperties: false,
  };

  it.each<[ResponseFormat, object]>([
    [{ type: 'json_object' }, { type: 'object', minProperties: 1 }],
    [{ type: 'json_schema', json_schema: { name: 'recipe', schema, strict: true } }, schema],
    [{ type: 'json_schema', json_schema: { name: 'anything' } }, { type: 'object' }],
  ])('follow %j, streamed or not', async (response_format, expected) => {
    const request = chat('How do I make "Tea"?', { response_format, logprobs: true, top_logprobs: 2 });
    const whole = await ask(request);
    const streamed = await ask({ ...request, stream: true });
    expect(streamed.choices).toEqual(whole.choices);
    expect(streamed.chunks.length).toBeGreaterThan(5);
    expect(whole.choices[0]!.finishReason).toBe('stop');
    expect(whole.choices[0]!.logprobs).toHaveLength(whole.usage!.completion_tokens);
    expect(ajv.validate(expected, JSON.parse(whole.choices[0]!.text!))).toBe(true);
  });

  it('repeat at temperature 0', async () => {
    const request = chat('Hello', {
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
      temperature: 0,
      seed: undefined,
    });
    expect((await ask(request)).choices).toEqual((await ask(request)).choices);
  });

  it('say something about the question', async () => {
    const { choices } = await ask(chat('What is the capital of France?', { response_format: { type: 'json_object' }, temperature: 0 }));
    expect(JSON.parse(choices[0]!.text!)).toEqual({ answer: expect.stringContaining('Paris') });
  });
});

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

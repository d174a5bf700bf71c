import { type Parameter, parameters, type Protocol, spokenBy } from '../src/providers/contract/parameters.js';
import { Gateway } from './support/gateway.js';
import { jsonReply } from './support/openai-bytes.js';
import { useUpstream } from './support/started.js';
import { expectError } from './support/wire-schemas.js';

/** Answers in the words of each protocol, by the path that it asks. */
const answers: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { choices: [{ index: 0, message: { role: 'assistant', content: 'Čau' }, finish_reason: 'stop' }] },
  '/v1/messages': {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Čau' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  '/v1beta/models/m:generateContent': { candidates: [{ content: { role: 'model', parts: [{ text: 'Čau' }] }, finishReason: 'STOP' }] },
};

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];

/** Values that ask for something, and what they need beside them. */
const samples: Partial<Record<Parameter, object>> = {
  tools: { tools },
  tool_choice: { tools, tool_choice: 'required' },
  response_format: { response_format: { type: 'json_object' } },
  logprobs: { logprobs: true },
  top_logprobs: { logprobs: true, top_logprobs: 2 },
  stop: { stop: ['x'] },
  temperature: { temperature: 0.5 },
  top_p: { top_p: 0.5 },
  seed: { seed: 3 },
  presence_penalty: { presence_penalty: 0.5 },
  frequency_penalty: { frequency_penalty: 0.5 },
  logit_bias: { logit_bias: { '1': 5 } },
  user: { user: 'someone' },
  parallel_tool_calls: { tools, parallel_tool_calls: false },
};

/** Values that ask for what is the default anyway. */
const defaults: Partial<Record<Parameter, object>> = {
  tool_choice: { tools, tool_choice: 'auto' },
  response_format: { response_format: { type: 'text' } },
  logprobs: { logprobs: false },
  stop: { stop: [] },
  parallel_tool_calls: { tools, parallel_tool_calls: true },
};

const types: Readonly<Record<Protocol, string>> = {
  'chat-completions': 'openai-compatible',
  'anthropic-messages': 'anthropic',
  'gemini-generate-content': 'gemini',
};
const protocols = Object.keys(types) as Protocol[];

describe('Parameters', () => {
  let lenient: Gateway;
  let strict: Gateway;

  const upstream = useUpstream();
  beforeAll(async () => {
    const entries = protocols.flatMap((protocol) => {
      const shared = { type: types[protocol], base_url: `${upstream.origin}${protocol === 'chat-completions' ? '/v1' : ''}`, free: true };
      const facts = { context_length: 1_000, max_tokens: 500 };
      return [
        [protocol, { ...shared, prefix: `${protocol}/`, models: { m: { ...facts, parameters: spokenBy(protocol) } } }],
        // A model that takes nothing, and one that takes tools alone.
        [
          `${protocol}-none`,
          {
            ...shared,
            prefix: `${protocol}/none/`,
            models: {
              m: { ...facts, parameters: [], capabilities: { function_calling: false, json_mode: false } },
              tools: { ...facts, parameters: ['tools'] },
            },
          },
        ],
      ] as const;
    });
    const settings = { providers: Object.fromEntries(entries) };
    [lenient, strict] = await Promise.all([Gateway.start(settings), Gateway.start({ ...settings, routing: { strict_parameters: true } })]);
  });

  afterAll(() => Promise.all([lenient.close(), strict.close()]));

  beforeEach(() => upstream.replies(({ path }) => jsonReply(answers[path])));

  const ask = (gateway: Gateway, model: string, more: object) =>
    gateway.post('chat/completions', { model, messages: [{ role: 'user', content: 'Ahoj' }], ...more });
  const dropped = (answer: { headers: Record<string, string> }) => answer.headers['x-switchyard-dropped-parameters'];

  describe.each(protocols)('through %s', (protocol) => {
    const taken = spokenBy(protocol);
    const names = Object.keys(samples) as Parameter[];

    it.each(names.filter((name) => taken.includes(name)))('%s is taken', async (name) => {
      for (const gateway of [lenient, strict]) {
        const answer = await ask(gateway, `${protocol}/m`, samples[name]!);
        expect([answer.status, dropped(answer)]).toEqual([200, undefined]);
      }
    });

    const droppable = names.filter((name) => parameters[name].otherwise === 'dropped');
    it.each(droppable)('%s is dropped and named where the model does not take it', async (name) => {
      const needs = name === 'parallel_tool_calls' ? { ...samples[name], tools: undefined } : samples[name]!;
      const answer = await ask(lenient, `${protocol}/none/m`, needs);
      expect([answer.status, dropped(answer)]).toEqual([200, name === 'parallel_tool_calls' ? undefined : name]);
      const plain = upstream.requests[0]?.body;
      await ask(lenient, `${protocol}/none/m`, {});
      expect(upstream.requests[1]?.body).toBe(plain);
    });

    it.each(droppable.filter((name) => name !== 'parallel_tool_calls'))(
      '%s is refused instead where the operator is strict',
      async (name) => {
        expectError(await ask(strict, `${protocol}/none/m`, samples[name]!), 400, 'unsupported_parameter');
        expect(upstream.requests).toHaveLength(0);
      },
    );

    it.each(names.filter((name) => parameters[name].otherwise === 'refused'))('%s is never dropped', async (name) => {
      const before = await lenient.balance();
      const model = name === 'tool_choice' ? 'tools' : 'm';
      expectError(await ask(lenient, `${protocol}/none/${model}`, samples[name]!), 400, 'unsupported_parameter');
      expect([upstream.requests.length, await lenient.balance()]).toEqual([0, before]);
    });

    it.each(Object.entries(defaults).filter(([, more]) => !('tools' in more)))(
      '%s as it is anyway asks for nothing',
      async (_name, more) => {
        const answer = await ask(strict, `${protocol}/none/m`, more);
        expect([answer.status, dropped(answer)]).toEqual([200, undefined]);
        const plain = upstream.requests[0]?.body;
        await ask(strict, `${protocol}/none/m`, {});
        expect(upstream.requests[1]?.body).toBe(plain);
      },
    );

    it('foreign parameters are dropped and named where the model does not take them', async () => {
      const answer = await ask(lenient, `${protocol}/m`, { wish: 1, min_p: 0.1 });
      expect([answer.status, dropped(answer)]).toEqual([200, 'wish, min_p']);
      expectError(await ask(strict, `${protocol}/m`, { wish: 1 }), 400, 'unsupported_parameter');
    });
  });

  it('a value that only the protocol knows to be too much is named, or refused where the operator is strict', async () => {
    const answer = await ask(lenient, 'anthropic-messages/m', { temperature: 1.5 });
    expect([answer.status, dropped(answer)]).toEqual([200, 'temperature']);
    expect(JSON.parse(upstream.requests[0]!.body)).toMatchObject({ temperature: 1 });
    const refused = await ask(strict, 'anthropic-messages/m', { temperature: 1.5 });
    expectError(refused, 400, 'invalid_request');
    expect((refused.body as { error: { message: string } }).error.message).toContain("'temperature'");
    expect(upstream.requests).toHaveLength(1);
  });
});

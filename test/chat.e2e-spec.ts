import fc from 'fast-check';
import { accumulate } from '../src/inference/chunks/accumulate.js';
import { LoopbackUpstream } from '../src/providers/testing/loopback-upstream.js';
import type { ChatCompletion, ChatCompletionChunk, Message, ToolCall } from '../src/wire/chat-completion.js';
import type { GenerationChunk } from '../src/wire/generation.js';
import { eventsOf } from './support/event-stream.js';
import { Gateway } from './support/gateway.js';
import { expectError, expectShape } from './support/wire-schemas.js';

const hello: Message[] = [{ role: 'user', content: 'How do I bake bread?' }];
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Current weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', enum: ['Paris', 'Oslo'] }, days: { type: 'integer', minimum: 1, maximum: 3 } },
      required: ['city', 'days'],
      additionalProperties: false,
    },
  },
};

const functionsOf = ({ tool_calls = [] }: ChatCompletion['choices'][number]['message']) =>
  tool_calls.map((call) => (call as ToolCall).function);

describe('POST /v1/chat/completions', () => {
  let upstream: LoopbackUpstream;
  let gateway: Gateway;
  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    gateway = await Gateway.start({
      providers: {
        upstream: {
          base_url: `${upstream.origin}/v1`,
          models: {
            'upstream-chat': { pricing: { prompt: 1, completion: 1 }, max_tokens: 1000 },
            'upstream-plain': {
              pricing: { prompt: 1, completion: 1 },
              capabilities: { function_calling: false, json_mode: false, vision: false },
              parameters: ['temperature'],
            },
          },
        },
        named: {
          base_url: `${upstream.origin}/v1`,
          extra_parameters: ['audio', 'modalities', 'web_search_options', 'wish'],
          models: { 'named-chat': { pricing: { prompt: 1, completion: 1, search: 0 }, max_tokens: 1000 } },
        },
      },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.stop();
  });

  const post = (fields: object, model = 'sandbox-chat') =>
    gateway.post('chat/completions', { model, messages: hello, seed: 7, max_tokens: 12, ...fields });

  async function chat(fields: object = {}): Promise<ChatCompletion> {
    const { status, body } = await post(fields);
    expect({ status, error: (body as { error?: unknown }).error }).toEqual({ status: 200 });
    expectShape('chatCompletion', body);
    return body as ChatCompletion;
  }

  async function streamed(fields: object = {}): Promise<ChatCompletionChunk[]> {
    const answer = await post({ stream: true, ...fields });
    expect(answer.status).toBe(200);
    const events = eventsOf<ChatCompletionChunk>(answer.text);
    for (const event of events) expectShape('chatCompletionEvent', event);
    return events;
  }

  describe('the answer', () => {
    it('is one JSON object, status 200, for the model as it was named', async () => {
      const before = Math.floor(Date.now() / 1000);
      const { status, headers, body } = await post({});
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expectShape('chatCompletion', body);
      const { model, created, choices } = body as ChatCompletion;
      expect(model).toBe('sandbox-chat');
      expect(created).toBeGreaterThanOrEqual(before);
      expect(created).toBeLessThanOrEqual(Date.now() / 1000);
      expect(choices).toHaveLength(1);
      expect(choices[0]).toMatchObject({
        index: 0,
        message: { role: 'assistant', content: expect.stringMatching(/\S/), refusal: null },
        logprobs: null,
      });
    });

    it('has an id of its own', async () => {
      const ids = await Promise.all(Array.from({ length: 5 }, async () => (await chat({ max_tokens: 1 })).id));
      expect(new Set(ids).size).toBe(5);
    });

    it('counts its tokens', async () => {
      const { usage } = await chat({ max_tokens: 5 });
      expect(usage.prompt_tokens).toBeGreaterThan(0);
      expect(usage.completion_tokens).toBe(5);
      expect(usage.total_tokens).toBe(usage.prompt_tokens + 5);
    });
  });

  describe('messages', () => {
    it('go on as they came: the conversation so far, oldest first', async () => {
      const messages: Message[] = [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: 'In English.' },
        { role: 'user', content: [{ type: 'text', text: 'Weather?' }], name: 'ann' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
          reasoning_content: 'hm',
        },
        { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
        { role: 'assistant', content: 'Sunny.' },
        { role: 'user', content: 'And \u{1F600} tomorrow?' },
      ];
      const choice = { index: 0, message: { role: 'assistant', content: 'Rain.' }, finish_reason: 'stop' };
      upstream.replies({
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ choices: [choice], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }),
      });
      const answer = await post({ messages }, 'upstream-chat');
      expect(answer.body).toMatchObject({ choices: [{ message: { content: 'Rain.' } }] });
      expect(JSON.parse(upstream.requests[0]!.body)).toMatchObject({ messages });
    });

    it.each(['system', 'developer', 'user', 'assistant'] as const)('may begin with the role %s', async (role) => {
      await chat({ messages: [{ role, content: 'Be kind.' }, ...hello] });
    });

    it('mean the same as a string or as one part of text', async () => {
      const parts = [{ role: 'user', content: [{ type: 'text', text: hello[0]!.content }] }];
      expect((await chat({ messages: parts })).choices).toEqual((await chat()).choices);
    });

    it('must be there', async () => {
      expectError(await post({ messages: undefined }), 400, 'invalid_request');
      expectError(await post({ messages: [] }), 400, 'invalid_request');
    });

    it('are refused with the path of the wrong field', async () => {
      const answer = await post({ messages: [...hello, { role: 'user', content: [{ type: 'text' }] }] });
      expectError(answer, 400, 'invalid_request');
      expect(answer.body).toMatchObject({
        error: { message: 'messages[1].content[0].text must be a string', type: 'invalid_request_error' },
      });
    });

    it('with an image need a model that sees', async () => {
      const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] }];
      expectError(await post({ messages }), 400, 'unsupported_parameter');
    });

    it.each([
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
      { type: 'file', file: { file_id: 'x' } },
    ])('with more than text are refused where text alone is read: $type', async (part) => {
      expectError(await post({ messages: [{ role: 'user', content: [part] }] }), 400, 'unsupported_parameter');
    });

    it('beyond the context are refused', async () => {
      const answer = await post({ messages: [{ role: 'user', content: 'word '.repeat(20_000) }] });
      expectError(answer, 400, 'context_length_exceeded');
    });
  });

  describe('temperature', () => {
    it('is 1 unless it is given', async () => {
      expect((await chat()).choices).toEqual((await chat({ temperature: 1 })).choices);
      expect((await chat({ temperature: null })).choices).toEqual((await chat({ temperature: 1 })).choices);
    });

    it('0 gives the same answer every time, and higher ones are more random', async () => {
      const answers = async (temperature: number) => {
        const all = await Promise.all([1, 2, 3, 4].map((seed) => chat({ temperature, seed })));
        return new Set(all.map(({ choices }) => choices[0]!.message.content)).size;
      };
      expect(await answers(0)).toBe(1);
      expect(await answers(2)).toBe(4);
    });

    it.each([-0.1, 2.1, '1', true])('%j is refused: it lies between 0 and 2', async (temperature) => {
      const answer = await post({ temperature });
      expectError(answer, 400, 'invalid_request');
      expect(answer.body).toMatchObject({ error: { message: 'temperature must be a number from 0 to 2' } });
    });
  });

  describe('max_tokens', () => {
    it.each(['max_tokens', 'max_completion_tokens'])('(as %s) bounds what is generated', async (name) => {
      const { usage, choices } = await chat({ max_tokens: undefined, [name]: 3, temperature: 2 });
      expect(usage.completion_tokens).toBeLessThanOrEqual(3);
      expect(choices[0]!.finish_reason).toBe('length');
    });

    it('has a default that depends on the model', async () => {
      const { choices, usage } = await chat({ max_tokens: undefined, temperature: 0 });
      expect(choices[0]!.finish_reason).toBe('stop');
      expect(usage.completion_tokens).toBeGreaterThan(0);
    });

    it.each([0, -1, 1.5, '5'])('%j is refused', async (max_tokens) => {
      expectError(await post({ max_tokens }), 400, 'invalid_request');
    });

    it('beyond the model’s own bound is refused', async () => {
      const answer = await post({ max_tokens: 1001 }, 'upstream-chat');
      expectError(answer, 400, 'invalid_request');
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('1000') } });
    });

    it('under both names with two values is refused', async () => {
      expectError(await post({ max_tokens: 4, max_completion_tokens: 5 }), 400, 'invalid_request');
    });
  });

  describe('tools', () => {
    const asked = { messages: [{ role: 'user', content: 'What is the weather in Paris?' }], tools: [weather], max_tokens: 200 };

    it('may be called, with arguments that fit their schema', async () => {
      const { choices } = await chat({ ...asked, tool_choice: 'required' });
      const { message, finish_reason } = choices[0]!;
      expect(finish_reason).toBe('tool_calls');
      expect(message.content).toBeNull();
      const [called, ...others] = functionsOf(message);
      expect([called!.name, others]).toEqual(['get_weather', []]);
      expect(JSON.parse(called!.arguments)).toEqual({
        city: expect.stringMatching(/^(Paris|Oslo)$/),
        days: expect.any(Number),
      });
    });

    it('are called in pieces the same', async () => {
      const whole = await chat({ ...asked, tool_choice: 'required' });
      const events = await streamed({ ...asked, tool_choice: 'required' });
      const calls = accumulate(events as GenerationChunk[]).choices[0]!.delta!.tool_calls!.map(({ function: called }) => called);
      expect(calls).toEqual(functionsOf(whole.choices[0]!.message));
      expect(events.at(-1)!.choices).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: 'tool_calls' }]);
    });

    it('are answered by messages of the role tool', async () => {
      const first = (await chat({ ...asked, tool_choice: 'required' })).choices[0]!.message;
      const result = { role: 'tool', tool_call_id: first.tool_calls![0]!.id, content: 'rain, 12 degrees' };
      const { choices } = await chat({ ...asked, messages: [...asked.messages, first, result] });
      expect(choices[0]!.message.content).toMatch(/rain|12/);
      expect(choices[0]!.finish_reason).toBe('stop');
    });

    it('are left alone when tool_choice is none, and picked by name', async () => {
      expect((await chat({ ...asked, tool_choice: 'none' })).choices[0]!.message).not.toHaveProperty('tool_calls');
      const other = { type: 'function', function: { name: 'other', parameters: { type: 'object', properties: {} } } };
      const named = { type: 'function', function: { name: 'other' } };
      const { choices } = await chat({ ...asked, tools: [weather, other], tool_choice: named });
      expect(functionsOf(choices[0]!.message).map(({ name }) => name)).toEqual(['other']);
    });

    it('are called one at a time when parallel_tool_calls is false', async () => {
      const time = { type: 'function', function: { name: 'get_time', description: 'Time in a city', parameters: { type: 'object' } } };
      const both = { messages: [{ role: 'user', content: 'Call get_weather and get_time' }], tools: [weather, time], max_tokens: 400 };
      expect((await chat(both)).choices[0]!.message.tool_calls).toHaveLength(2);
      expect((await chat({ ...both, parallel_tool_calls: false })).choices[0]!.message.tool_calls).toHaveLength(1);
    });

    it('are refused where the model does not support them', async () => {
      const answer = await post({ tools: [weather], max_tokens: undefined, seed: undefined }, 'upstream-plain');
      expectError(answer, 400, 'unsupported_parameter');
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('tools') } });
    });

    it('are not told also as functions', async () => {
      const answer = await post({ tools: [weather], functions: [weather.function] });
      expectError(answer, 400, 'invalid_request');
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('functions') } });
    });
  });

  describe('response_format', () => {
    it('json_object gives JSON', async () => {
      const { choices } = await chat({ response_format: { type: 'json_object' }, max_tokens: 300 });
      expect(JSON.parse(choices[0]!.message.content!)).toEqual(expect.any(Object));
    });

    it('json_schema gives JSON that fits', async () => {
      const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'], additionalProperties: false };
      const { choices } = await chat({
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
        max_tokens: 300,
      });
      expect(JSON.parse(choices[0]!.message.content!)).toEqual({ ok: expect.any(Boolean) });
    });

    it('is refused where the model does not support it', async () => {
      expectError(
        await post({ response_format: { type: 'json_object' }, seed: undefined }, 'upstream-plain'),
        400,
        'unsupported_parameter',
      );
    });
  });

  describe('the sandbox for agents', () => {
    it('says what an image is, and counts its tokens', async () => {
      const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000280000001e008020000', 'hex');
      const content = [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } },
      ];
      const { status, body } = await post({ messages: [{ role: 'user', content }], max_tokens: 60 }, 'sandbox-vision');
      expectShape('chatCompletion', body);
      expect(status).toBe(200);
      expect((body as ChatCompletion).choices[0]!.message.content).toBe(
        `The image is a PNG file of ${png.length} bytes, 640 pixels wide and 480 pixels high.`,
      );
      expect((body as ChatCompletion).usage.prompt_tokens_details).toMatchObject({ image_tokens: 410 });
    });

    it('reasons, and counts that apart', async () => {
      const { body } = await post({ max_tokens: 100 }, 'sandbox-reasoning');
      const { choices, usage } = body as ChatCompletion;
      expect(choices[0]!.message.reasoning_content).toMatch(/How do I bake bread/);
      expect(choices[0]!.message.content).toMatch(/\S/);
      expect(usage.completion_tokens_details!.reasoning_tokens).toBeGreaterThan(5);
      expect(usage.completion_tokens).toBeGreaterThan(usage.completion_tokens_details!.reasoning_tokens!);
    });

    it('takes a prompt of 100,000 tokens', async () => {
      const content = 'It rains in the hills and the river rises. '.repeat(10_000);
      const { status, body } = await post({ messages: [{ role: 'user', content }], max_tokens: 1 }, 'sandbox-agent');
      expect(status).toBe(200);
      expect((body as ChatCompletion).usage.prompt_tokens).toBeGreaterThan(90_000);
    });
  });

  describe('the wire format’s further parameters', () => {
    it('n gives so many choices, indexed from 0 and counted together', async () => {
      const { choices, usage } = await chat({ n: 3, max_tokens: 4, temperature: 2 });
      expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
      expect(new Set(choices.map(({ message }) => message.content)).size).toBeGreaterThan(1);
      expect(usage.completion_tokens).toBeGreaterThan(4);
    });

    it('n beyond the operator’s bound is refused', async () => {
      expectError(await post({ n: 129 }), 400, 'invalid_request');
      expectError(await post({ n: 0 }), 400, 'invalid_request');
    });

    it('stop ends the answer before the sequence, given as one string or several', async () => {
      const whole = (await chat({ max_tokens: 40, temperature: 0 })).choices[0]!.message.content!;
      const word = whole.trim().split(/\s+/)[2]!;
      for (const stop of [word, ['\u0000', word]]) {
        const { message, finish_reason } = (await chat({ max_tokens: 40, temperature: 0, stop })).choices[0]!;
        expect(message.content).toBe(whole.slice(0, whole.indexOf(word)));
        expect(finish_reason).toBe('stop');
      }
    });

    it('seed repeats an answer', async () => {
      expect((await chat({ seed: 5 })).choices).toEqual((await chat({ seed: 5 })).choices);
    });

    it('logprobs and top_logprobs describe each token', async () => {
      const { choices, usage } = await chat({ logprobs: true, top_logprobs: 4, max_tokens: 6 });
      const { content } = choices[0]!.logprobs!;
      expect(content).toHaveLength(usage.completion_tokens);
      expect(content!.map(({ token }) => token).join('')).toBe(choices[0]!.message.content);
      for (const { top_logprobs } of content!) {
        expect(top_logprobs).toHaveLength(4);
        expect(top_logprobs.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0)).toBeLessThanOrEqual(1.000001);
      }
      const bare = await chat({ logprobs: true, max_tokens: 2 });
      expect(bare.choices[0]!.logprobs!.content!.every(({ top_logprobs }) => top_logprobs.length === 0)).toBe(true);
    });

    it.each([{ top_p: 0.5 }, { presence_penalty: 1 }, { frequency_penalty: -1 }, { user: 'someone' }, { logit_bias: { 5: -100 } }])(
      '%j is accepted',
      async (fields) => {
        await chat(fields);
      },
    );

    it('null counts as absent', async () => {
      const nothing = {
        n: null,
        stop: null,
        stream: null,
        tools: null,
        tool_choice: null,
        response_format: null,
        logprobs: null,
        top_p: null,
      };
      expect((await chat(nothing)).choices).toEqual((await chat()).choices);
    });

    it.each([{ modalities: ['text', 'audio'] }, { audio: { voice: 'x' } }, { web_search_options: {} }])(
      '%j asks for another kind of answer: refused, unless the operator has named it',
      async (fields) => {
        for (const model of ['sandbox-chat', 'upstream-chat']) expectError(await post(fields, model), 400, 'unsupported_parameter');
        upstream.replies({ status: 400 });
        await post(fields, 'named-chat');
        expect(JSON.parse(upstream.requests[0]!.body)).toMatchObject(fields);
      },
    );

    it('modalities of text alone ask for nothing', async () => {
      expect((await post({ modalities: ['text'] })).status).toBe(200);
    });

    it('what the provider does not take is dropped and named, and what it is known to take is forwarded', async () => {
      const dropped = await post({ top_k: 5, wish: 'x' });
      expect(dropped.status).toBe(200);
      expect(dropped.headers['x-switchyard-dropped-parameters']).toBe('top_k, wish');
      upstream.replies({ status: 400 });
      await post({ top_k: 5, wish: { a: [1] } }, 'upstream-chat');
      expect(JSON.parse(upstream.requests[0]!.body)).toMatchObject({ top_k: 5 });
      expect(upstream.requests[0]!.body).not.toContain('wish');
      await post({ top_k: 5, wish: { a: [1] } }, 'named-chat');
      expect(JSON.parse(upstream.requests[1]!.body)).toMatchObject({ top_k: 5, wish: { a: [1] } });
    });
  });

  describe('stream', () => {
    it('is false unless it is true', async () => {
      expect((await post({ stream: false })).headers['content-type']).toBe('application/json; charset=utf-8');
      expectError(await post({ stream: 'true' }), 400, 'invalid_request');
    });

    it('says the same in pieces: role first, content while finish_reason is null, an empty delta with finish_reason last', async () => {
      const whole = await chat();
      const events = await streamed();
      const { id, created } = events[0]!;
      for (const event of events) expect(event).toMatchObject({ id, created, object: 'chat.completion.chunk', model: 'sandbox-chat' });
      expect(events[0]!.choices[0]!.delta.role).toBe('assistant');
      expect(events.slice(1).every(({ choices }) => choices[0]!.delta.role === undefined)).toBe(true);
      expect(events.slice(0, -1).every(({ choices }) => choices[0]!.finish_reason === null)).toBe(true);
      expect(events.at(-1)!.choices).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: whole.choices[0]!.finish_reason }]);
      expect(events.map(({ choices }) => choices[0]!.delta.content ?? '').join('')).toBe(whole.choices[0]!.message.content);
      expect(events.length).toBeGreaterThan(3);
    });

    it('ends each of n choices once', async () => {
      const whole = await chat({ n: 3, logprobs: true });
      const events = await streamed({ n: 3, logprobs: true });
      const ends = events.flatMap(({ choices }) => choices).filter(({ finish_reason }) => finish_reason !== null);
      expect(ends.map(({ index }) => index).sort((a, b) => a - b)).toEqual([0, 1, 2]);
      for (const { index, delta, logprobs } of accumulate(events as GenerationChunk[]).choices) {
        expect(delta!.content).toBe(whole.choices[index]!.message.content);
        expect(logprobs).toEqual(whole.choices[index]!.logprobs);
      }
    });

    it('tells usage only to those who ask', async () => {
      const whole = await chat();
      expect((await streamed()).some((event) => 'usage' in event)).toBe(false);
      expect((await streamed({ stream_options: { include_usage: false } })).some((event) => 'usage' in event)).toBe(false);
      const counted = await streamed({ stream_options: { include_usage: true } });
      expect(counted.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
      expect(counted.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
      expectError(await post({ stream_options: { include_usage: true } }), 400, 'invalid_request');
    });
  });

  describe('model', () => {
    it('must be there', async () => {
      for (const model of [undefined, null, '', 1]) {
        const answer = await gateway.post('chat/completions', { messages: hello, model });
        expectError(answer, 400, 'invalid_request');
        expect(answer.body).toMatchObject({ error: { message: expect.stringMatching(/^model /) } });
      }
    });

    it('must exist', async () => {
      const answer = await post({}, 'no-such-model');
      expectError(answer, 404, 'model_not_found');
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('no-such-model'), type: 'invalid_request_error' } });
    });

    it('must be one that chats', async () => {
      expectError(await post({}, 'sandbox-text'), 400, 'unsupported_model');
    });
  });

  it('answers any JSON with a completion or an error in the envelope', async () => {
    const names = [
      'model',
      'messages',
      'temperature',
      'max_tokens',
      'tools',
      'stop',
      'n',
      'stream',
      'logprobs',
      'top_logprobs',
      'response_format',
      'tool_choice',
      'x',
    ];
    const body = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 3 }));
    const good = { model: 'sandbox-chat', messages: hello, max_tokens: 2 };
    await fc.assert(
      fc.asyncProperty(body, fc.subarray(Object.keys(good)), async (fields, fixed) => {
        const kept = Object.fromEntries(Object.entries(good).filter(([name]) => fixed.includes(name)));
        const answer = await gateway.post('chat/completions', { ...fields, ...kept });
        if (answer.status === 200) return;
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
        expectShape('error', answer.body);
      }),
      { numRuns: 150 },
    );
  });
});

import { accumulate } from '../src/wire/accumulate.js';
import type { ChatCompletion, ChatCompletionChunk, Message } from '../src/wire/chat-completion.js';
import type { GenerationChunk } from '../src/wire/generation.js';
import { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { expectError, expectShape, expectedAnswer, expectedEvents } from './support/wire-schemas.js';

const hello: Message[] = [{ role: 'user', content: 'How do I bake bread?' }];
describe('POST /v1/chat/completions', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() =>
    Gateway.start({
      providers: {
        upstream: {
          base_url: `${upstream.origin}/v1`,
          models: {
            'upstream-chat': {
              pricing: { prompt: 1, completion: 1 },
              max_tokens: 1000,
              // Its template takes each role anywhere.
              upstream_model: 'openai-gpt-oss-120b',
              system_messages: 'anywhere',
            },
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
    }),
  );

  const post = (fields: object, model = 'sandbox-chat') =>
    gateway.post('chat/completions', { model, messages: hello, seed: 7, max_tokens: 12, ...fields });

  const chat = async (fields: object = {}): Promise<ChatCompletion> =>
    expectedAnswer(await post(fields), 'chatCompletion') as ChatCompletion;

  const streamed = async (fields: object = {}): Promise<ChatCompletionChunk[]> =>
    expectedEvents(await post({ stream: true, ...fields }), 'chatCompletionEvent');

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
      upstream.replies(chatReply('Rain.'));
      const answer = await post({ messages }, 'upstream-chat');
      expect(answer.body).toMatchObject({ choices: [{ message: { content: 'Rain.' } }] });
      expect(JSON.parse(upstream.requests[0]!.body)).toMatchObject({ messages });
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

  describe('max_tokens', () => {
    it('beyond the model’s own bound is refused', async () => {
      const answer = await post({ max_tokens: 1001 }, 'upstream-chat');
      expectError(answer, 400, 'invalid_request');
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('1000') } });
    });
  });

  describe('the wire format’s further parameters', () => {
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
  });

  describe('stream', () => {
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
    it('must exist', async () => {
      const answer = await post({}, 'no-such-model');
      expectError(answer, 404, 'model_not_found');
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('no-such-model'), type: 'invalid_request_error' } });
    });
  });
});

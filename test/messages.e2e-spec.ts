import Anthropic, { APIError, AuthenticationError, BadRequestError, NotFoundError, RateLimitError } from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import request from 'supertest';
import { started } from '../src/common/testing/started.js';
import { StreamedMessage } from '../src/messages/testing/streamed-message.js';
import type { RecordedRequest } from '../src/providers/testing/loopback-upstream.js';
import type { MessageStreamEvent } from '../src/wire/anthropic-message.js';
import { said } from '../src/wire/testing/said.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { useGateway, useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { anthropicVendor } from './vendors/anthropic-vendor.js';
import { chatCompletionsVendor } from './vendors/chat-completions-vendor.js';
import { json } from './vendors/vendor.js';

useLoopbackOnly();

type Params = Anthropic.MessageCreateParamsNonStreaming;

const text = 'In Göteborg 🌦 it is 21 degrees.';
/** Credits; writes to caches are priced, too. */
const pricing = { prompt: '0.001', completion: '0.005', cache_write_5m: '0.00125', cached_input: '0.0001' };

describe('the official client of Anthropic', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() =>
    Gateway.start({
      providers: {
        chat: chatCompletionsVendor.provider(upstream.origin),
        claude: {
          type: 'anthropic',
          base_url: upstream.origin,
          api_key: 'sk-ant',
          models: {
            'claude-haiku-4-5': {},
            'claude-sonnet-4-6': {},
            'claude-brief': { upstream_model: 'claude-haiku-4-5', pricing, max_tokens: 8_000, lower_max_tokens: true },
          },
        },
        vertex: {
          type: 'vertex',
          base_url: upstream.origin,
          api_key: 'key-vertex',
          options: { project: 'harbour-1' },
          models: { 'claude-on-vertex': { upstream_model: 'claude-haiku-4-5', pricing } },
        },
        bedrock: {
          type: 'bedrock',
          base_url: upstream.origin,
          api_key: 'key-bedrock',
          options: { region: 'eu-central-1' },
          models: { 'claude-on-bedrock': { upstream_model: 'anthropic.claude-haiku-4-5-20251001-v1:0', pricing } },
        },
      },
    }),
  );
  const client = started(() => clientWith({ apiKey: gateway.customer.liveKey }));
  function clientWith(options: ConstructorParameters<typeof Anthropic>[0]): Anthropic {
    return new Anthropic({ baseURL: gateway.url, apiKey: null, authToken: null, maxRetries: 0, ...options });
  }

  const paramsFor = (model: string, more: Partial<Params> = {}): Params => ({
    model,
    max_tokens: 1_000,
    messages: [said.user('What is the weather?')],
    ...more,
  });

  /** The whole message; of a stream all events have come in their order. */
  async function ask(params: Params, stream: boolean): Promise<Anthropic.Message> {
    if (!stream) return client.messages.create(params);
    const streamed = new StreamedMessage();
    for await (const event of await client.messages.create({ ...params, stream: true })) streamed.next(event as MessageStreamEvent);
    return streamed.message as Anthropic.Message;
  }

  const asked = () => JSON.parse(upstream.requests.at(-1)!.body) as Record<string, unknown>;
  const answers = (reply: (request: RecordedRequest) => { headers: Record<string, string>; body: string }): void => upstream.replies(reply);

  describe('at a provider of the same form', () => {
    const model = 'claude-haiku-4-5';
    beforeEach(() => {
      const { headers, body } = anthropicVendor.answer({ text }, false);
      upstream.replies({ headers, body });
    });

    it('sends what it wrote: marks of caching, signatures, results of tools, allowed features', async () => {
      const mark = { type: 'ephemeral', ttl: '5m' } as const;
      const body: Params = {
        model,
        max_tokens: 4_000,
        system: [said.text('One'), { type: 'text', text: 'Two', cache_control: mark }],
        tools: [{ name: 'tide', description: 'Tides', input_schema: { type: 'object' }, eager_input_streaming: true }],
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        metadata: { user_id: 'user_1' },
        messages: [
          said.user('Tide?'),
          said.assistant([
            { type: 'thinking', thinking: 'hm', signature: 'sig' },
            { type: 'redacted_thinking', data: 'xyz' },
            said.text('Let me see.'),
            { type: 'tool_use', id: 't1', name: 'tide', input: { port: 'Bergen' } },
          ]),
          said.user([
            { type: 'tool_result', tool_use_id: 't1', is_error: true, content: [said.text('no tide')] },
            {
              type: 'document',
              title: 'T',
              source: { type: 'text', media_type: 'text/plain', data: 'High at noon.' },
              cache_control: mark,
            },
          ]),
        ],
      };
      const betas = ['interleaved-thinking-2025-05-14', 'files-api-2025-04-14'];
      await client.messages.create(body, { headers: { 'anthropic-beta': betas.join(',') } });
      expect(asked()).toEqual({ ...body, stream: false });
      expect(upstream.requests[0]!.headers['anthropic-beta']).toBe(betas[0]);
    });

    it('sends it to Vertex and Bedrock, too', async () => {
      const mark = { type: 'ephemeral' } as const;
      const messages: Anthropic.MessageParam[] = [
        said.user('Tide?'),
        said.assistant([{ type: 'thinking', thinking: 'hm', signature: 'sig' }, said.text('Noon')]),
        said.user([{ type: 'text', text: 'And?', cache_control: mark }]),
      ];
      const thinking = { type: 'enabled', budget_tokens: 2_000 } as const;
      const betas = { headers: { 'anthropic-beta': 'interleaved-thinking-2025-05-14' } };
      await client.messages.create({ model: 'claude-on-vertex', max_tokens: 4_000, messages, thinking }, betas);
      const anthropic_version = 'vertex-2023-10-16';
      expect(asked()).toEqual({ max_tokens: 4_000, messages, thinking, stream: false, anthropic_version });
      expect(upstream.requests[0]!.headers['anthropic-beta']).toBe('interleaved-thinking-2025-05-14');

      await client.messages.create({ model: 'claude-on-bedrock', max_tokens: 4_000, messages, thinking }, betas);
      const anthropic_beta = ['interleaved-thinking-2025-05-14'];
      expect(asked()).toEqual({ max_tokens: 4_000, messages, thinking, anthropic_version: 'bedrock-2023-05-31', anthropic_beta });
      expect(upstream.requests.at(-1)!.path).toMatch(/\/invoke$/);
    });

    it('has half of a lowered max_tokens for thinking that does not fit into it', async () => {
      const thinking = { type: 'enabled', budget_tokens: 15_000 } as const;
      await client.messages.create({ model: 'claude-brief', max_tokens: 16_000, messages: [said.user('Tide?')], thinking });
      expect(asked()).toMatchObject({ max_tokens: 8_000, thinking: { ...thinking, budget_tokens: 4_000 } });
    });

    it('does not send what nobody has checked', async () => {
      const content = [{ type: 'text', text: 'Hi', more: 'x'.repeat(1_000) }];
      const { response } = await client.messages
        .create({ ...paramsFor(model), messages: [said.user(content)], mcp_servers: [{ url: 'x' }] } as unknown as Params, {
          headers: { 'anthropic-beta': 'interleaved-thinking-2025-05-14' },
        })
        .withResponse();
      expect(asked()).toEqual({
        model,
        max_tokens: 1_000,
        stream: false,
        messages: [said.user([said.text('Hi')])],
      });
      expect(response.headers.get('x-switchyard-dropped-parameters')).toBe('messages.content.text.more, mcp_servers');
      // What is left goes on as it came.
      expect(upstream.requests[0]!.headers['anthropic-beta']).toBe('interleaved-thinking-2025-05-14');
    });

    it('sends to an older model what that takes', async () => {
      await client.messages.create(paramsFor(model, { thinking: { type: 'adaptive' }, max_tokens: 10_000 }));
      expect(asked()['thinking']).toEqual({ type: 'enabled', budget_tokens: 5_000 });
    });

    it('is charged what the gateway has recorded under the name of the operation', async () => {
      const before = await gateway.usage(0);
      await client.messages.create(paramsFor(model));
      const rows = await gateway.usage(before.length + 1);
      expect(rows.at(-1)).toMatchObject({ operation: 'messages', model, prompt_tokens: 20n, completion_tokens: 10n, outcome: 'completed' });
      expect(rows.at(-1)!.amount).toBeGreaterThan(0n);
    });

    it('is held for every byte that goes on', async () => {
      const before = await gateway.held(gateway.customer);
      const { headers, body } = anthropicVendor.answer({ text }, false);
      upstream.replies({ headers, body, ending: 'silent' });
      const coming = upstream.nextRequest();
      const aborter = new AbortController();
      const data = 'word '.repeat(20_000);
      const content: Anthropic.ContentBlockParam[] = [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data } }];
      const answer = client.messages.create(paramsFor(model, { messages: [said.user(content)] }), { signal: aborter.signal });
      answer.catch(() => undefined);
      await coming;
      // A dollar for a million tokens of the prompt is 1,000 nano-credits for each.
      expect((await gateway.held(gateway.customer)) - before).toBeGreaterThan(BigInt(data.length) * 1_000n);
      aborter.abort();
      await until(async () => (await gateway.held(gateway.customer)) === before, 'the end of the hold');
    });
  });

  it('is shown what a model has written for the input of a tool where that is none', async () => {
    const written = '{"paths":["/tmp/x"]';
    const call = said.call('c', 'delete_files', written);
    const choice = { index: 0, message: said.assistant(null, [call]), finish_reason: 'tool_calls' };
    const completion = { id: 'x', object: 'chat.completion', created: 1, model: 'm', choices: [choice] };
    answers(() => ({ headers: json, body: JSON.stringify(completion) }));
    const tools: Anthropic.Tool[] = [{ name: 'delete_files', input_schema: { type: 'object' } }];
    const { content } = await ask(paramsFor(chatCompletionsVendor.model, { tools }), false);
    expect(content).toMatchObject([{ type: 'tool_use', name: 'delete_files', input: { INVALID_JSON: written } }]);
  });

  describe('at the sandbox', () => {
    it('runs tools with its runner, which sends the whole conversation where none is kept', async () => {
      const told: unknown[] = [];
      const tool = betaTool({
        name: 'weather',
        description: 'Tells the weather of a city.',
        inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        run: (input) => (told.push(input), 'Sunny.'),
      });
      for (const stream of [false, true]) {
        const params = paramsFor('sandbox-chat', { max_tokens: 200 });
        const runner = client.beta.messages.toolRunner({
          ...params,
          stream,
          tools: [tool],
          tool_choice: { type: 'any' },
          max_iterations: 2,
        });
        await runner.runUntilDone();
        expect(runner.params.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
      }
      expect(told).toHaveLength(4);
      const { status, body } = await gateway.post('messages', { ...paramsFor('sandbox-chat'), thread: { type: 'create' } });
      expect([status, body]).toMatchObject([400, { error: { details: { error_code: 'thread_unsupported_request' } } }]);
    });

    it('reads the id of its request', async () => {
      const params = paramsFor('sandbox-chat', { max_tokens: 5 });
      const whole = await client.messages.create(params).withResponse();
      const streamed = await client.messages.create({ ...params, stream: true }).withResponse();
      for await (const event of streamed.data) expect(event.type).toBeDefined();
      for (const { request_id, response } of [whole, streamed])
        expect([request_id, /^[\da-f-]{36}$/.test(request_id!)]).toEqual([response.headers.get('x-request-id'), true]);
    });

    it('counts tokens without a provider being asked', async () => {
      const { messages, model } = paramsFor('sandbox-chat');
      const short = await client.messages.countTokens({ model, messages });
      const long = await client.messages.countTokens({ model, messages, system: 'word '.repeat(1_000) });
      expect(short.input_tokens).toBeGreaterThan(0);
      expect(long.input_tokens - short.input_tokens).toBeGreaterThan(500);
      expect(long.input_tokens - short.input_tokens).toBeLessThan(3_000);
    });

    it('gets an error event where a stream is cut, and no end', async () => {
      const { text: written } = await gateway.post('messages', { ...paramsFor('sandbox-cut'), stream: true });
      const names = [...written.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
      expect(names.slice(0, 3)).toEqual(['message_start', 'ping', 'content_block_start']);
      expect(names.at(-1)).toBe('error');
      expect(names).not.toContain('message_stop');
    });

    it('repeats an answer for the same Idempotency-Key', async () => {
      const headers = { 'idempotency-key': 'messages-1' };
      const params = paramsFor('sandbox-chat', { max_tokens: 10 });
      const first = await client.messages.create(params, { headers });
      expect(await client.messages.create(params, { headers })).toEqual(first);
    });
  });

  describe('keys and errors', () => {
    const question = paramsFor('sandbox-chat', { max_tokens: 5 });
    const post = (path = '/v1/messages') => request(gateway.url).post(path);

    it('sends its key in either header', async () => {
      await expect(clientWith({ apiKey: gateway.customer.testKey }).messages.create(question)).resolves.toBeDefined();
      await expect(clientWith({ authToken: gateway.customer.testKey }).messages.create(question)).resolves.toBeDefined();
    });

    it('has its key in x-api-key at these addresses alone', async () => {
      const headers = { 'x-api-key': gateway.customer.liveKey };
      await request(gateway.url)
        .get('/v1/models')
        .set(headers)
        .expect(401, { error: { message: 'No API key provided', type: 'authentication_error', code: 'missing_api_key' } });
      await request(gateway.url).post('/v1/chat/completions').set(headers).send({}).expect(401);
    });

    const shape = (type: string, error_code: string) => ({
      type: 'error',
      error: { type, message: expect.any(String) as string, details: { error_code } },
      request_id: expect.any(String) as string,
    });

    it.each([
      ['no key', () => post().send(question), 401, 'authentication_error', 'missing_api_key'],
      ['a wrong key', () => post().set('x-api-key', 'sk-live-no').send(question), 401, 'authentication_error', 'invalid_api_key'],
      [
        'a broken body',
        () => signed(post()).set('content-type', 'application/json').send('{"model":'),
        400,
        'invalid_request_error',
        'invalid_request',
      ],
      [
        'a body of another kind',
        () => signed(post()).set('content-type', 'text/plain').send('x'),
        415,
        'invalid_request_error',
        'unsupported_media_type',
      ],
      ['a body without its fields', () => signed(post()).send({ model: 'm' }), 400, 'invalid_request_error', 'invalid_request'],
      ['another method', () => signed(request(gateway.url).get('/v1/messages')), 405, 'invalid_request_error', 'method_not_allowed'],
      ['an address that is not there', () => signed(post('/v1/messages/batches')).send({}), 404, 'not_found_error', 'not_found'],
      ['an address that cannot be read', () => signed(post('/v1/messages/%')).send({}), 400, 'invalid_request_error', 'invalid_request'],
      ['a model that is not there', () => signed(post()).send({ ...question, model: 'no' }), 404, 'not_found_error', 'model_not_found'],
      [
        'a model that completes only',
        () => signed(post()).send({ ...question, model: 'sandbox-text' }),
        400,
        'invalid_request_error',
        'unsupported_model',
      ],
      [
        'a model that is overloaded',
        () => signed(post()).send({ ...question, model: 'sandbox-overloaded' }),
        503,
        'overloaded_error',
        'model_overloaded',
      ],
      [
        'a count for a model that is not there',
        () => signed(post('/v1/messages/count_tokens')).send({ ...question, model: 'no' }),
        404,
        'not_found_error',
        'model_not_found',
      ],
    ] as const)('is refused in its own shape: %s', async (_name, send, status, type, code) => {
      const { body, headers } = await send().expect(status);
      expect(body).toEqual(shape(type, code));
      const { request_id } = body as { request_id: string };
      expect([headers['x-request-id'], headers['request-id']]).toEqual([request_id, request_id]);
    });

    it('throws the classes that its users catch', async () => {
      await expect(clientWith({ apiKey: 'sk-live-no' }).messages.create(question)).rejects.toThrow(AuthenticationError);
      await expect(client.messages.create({ ...question, model: 'no' })).rejects.toThrow(NotFoundError);
      await expect(client.messages.create({ ...question, model: 'sandbox-rate-limited' })).rejects.toThrow(RateLimitError);
      await expect(client.messages.create({ ...question, max_tokens: 0 })).rejects.toThrow(BadRequestError);
      const poor = await gateway.newCustomer('0');
      const error = await clientWith({ apiKey: poor.liveKey })
        .messages.create(question)
        .catch((thrown: unknown) => thrown as APIError);
      expect(error).toMatchObject({ status: 402, type: 'billing_error' });
    });

    function signed(test: request.Test): request.Test {
      return test.set('x-api-key', gateway.customer.liveKey);
    }
  });

  it('lists the models in its own shape', async () => {
    const models: Anthropic.ModelInfo[] = [];
    for await (const model of client.models.list()) models.push(model);
    expect(models.find(({ id }) => id === 'claude-haiku-4-5')).toMatchObject({
      type: 'model',
      display_name: 'claude-haiku-4-5',
      max_tokens: 64_000,
    });
    expect(models.map(({ id }) => id)).not.toContain('sandbox-text');
    expect(await client.models.retrieve('sandbox-chat')).toMatchObject({ type: 'model', id: 'sandbox-chat' });
    await expect(client.models.retrieve('no')).rejects.toThrow(NotFoundError);
    const { body } = await gateway.get('models');
    expect(body).toMatchObject({ object: 'list' });
  });
});

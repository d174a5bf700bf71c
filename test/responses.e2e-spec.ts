import { readFileSync } from 'node:fs';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount, jsonSchema, type ModelMessage, Output, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type { Responses } from 'openai/resources/responses/responses';
import { z } from 'zod';
import { LoopbackUpstream, type Reply } from '../src/providers/testing/loopback-upstream.js';
import { isWeatherArguments, type WeatherArguments, weatherQuestion, weatherReport, weatherTool } from './clients/weather-tool.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { responseEventsOf, ResponseStreamMachine } from './support/response-stream.js';
import { anthropicVendor } from './vendors/anthropic-vendor.js';
import { chatCompletionsVendor } from './vendors/chat-completions-vendor.js';
import { geminiVendor } from './vendors/gemini-vendor.js';
import { json, sse, type Vendor } from './vendors/vendor.js';

useLoopbackOnly();

// Its warnings concern its user, not us.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

type Create = Responses.ResponseCreateParamsNonStreaming;
type Answer = Responses.Response;

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const weather: Responses.FunctionTool = { type: 'function', strict: null, ...weatherTool };
const functions = ['weather', 'now', 'tide_table'].map((name): Responses.FunctionTool => ({
  type: 'function',
  name,
  parameters: null,
  strict: null,
}));

/** Bodies of chat completions for what the fixtures of that wire do not have. */
function chatBody(deltas: readonly object[], finish_reason: string | null, stream: boolean): string {
  const usage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };
  const envelope = { id: 'x', created: 1, model: 'm' };
  if (!stream) {
    const message = Object.assign({ role: 'assistant', content: null }, ...deltas) as object;
    return JSON.stringify({ ...envelope, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage });
  }
  const events = deltas.map((delta) => ({
    ...envelope,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: null }],
  }));
  const end = { ...envelope, object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason }], usage };
  const all = finish_reason ? [...events, end] : events;
  return `${all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}${finish_reason ? 'data: [DONE]\n\n' : ''}`;
}

const fixture = (folder: string, name: string): Reply['body'] =>
  readFileSync(new URL(`../src/providers/${folder}/__fixtures__/${name}`, import.meta.url));
const of = (folder: string, name: string) => (stream: boolean) => fixture(folder, `${name}.${stream ? 'sse' : 'json'}`);

/** What each wire answers in a cell, and what becomes of it; a cell that a wire does not have says why. */
interface Wire {
  readonly vendor: Vendor;
  readonly bodies: Readonly<Record<'text' | 'tools' | 'reasoning' | 'length' | 'refusal', (stream: boolean) => Reply['body']>>;
  readonly cut: Reply['body'];
  readonly outlines: Readonly<Record<keyof Wire['bodies'], object>>;
  readonly image: object;
}

const done = { status: 'completed' };
const call = (name: string, given: object) => ({ call: name, arguments: given });

const wires: readonly Wire[] = [
  {
    vendor: chatCompletionsVendor,
    bodies: {
      text: of('openai-compatible', 'text'),
      tools: of('openai-compatible', 'tools'),
      reasoning: of('openai-compatible', 'reasoning'),
      length: (stream) => chatBody([{ content: 'Jedna dvě' }], 'length', stream),
      refusal: (stream) => chatBody([{ refusal: 'I shall not.' }], 'stop', stream),
    },
    cut: chatBody([{ content: 'Jed' }, { content: 'na' }], null, true),
    outlines: {
      text: done,
      tools: { ...done, output: [call('weather', { city: 'Žilina' }), call('now', {})] },
      reasoning: { ...done, output: [{ thought: 'Šesť krát sedem.' }, { text: '42' }] },
      length: { status: 'incomplete', reason: 'max_output_tokens', output: [{ text: 'Jedna dvě' }] },
      refusal: { ...done, output: [{ refusal: 'I shall not.' }] },
    },
    image: { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}`, detail: 'low' } },
  },
  {
    vendor: anthropicVendor,
    bodies: {
      text: of('anthropic', 'text'),
      tools: of('anthropic', 'tools'),
      reasoning: of('anthropic', 'reasoning'),
      length: of('anthropic', 'length'),
      refusal: of('anthropic', 'refusal'),
    },
    cut: fixture('anthropic', 'truncated.sse'),
    outlines: {
      text: done,
      tools: {
        ...done,
        output: [{ text: 'I shall look at both ports.' }, call('tide_table', { port: 'Göteborg', days: 2 }), call('now', {})],
      },
      reasoning: { ...done, output: [{ thought: expect.stringMatching(/\S/) }, { text: expect.stringMatching(/\S/) }] },
      length: { status: 'incomplete', reason: 'max_output_tokens' },
      refusal: { status: 'incomplete', reason: 'content_filter', output: [{ text: 'First you ' }] },
    },
    image: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
  },
  {
    vendor: geminiVendor,
    bodies: {
      text: of('gemini', 'text'),
      tools: of('gemini', 'tools'),
      reasoning: of('gemini', 'reasoning'),
      length: of('gemini', 'length'),
      refusal: of('gemini', 'filtered'),
    },
    cut: fixture('gemini', 'truncated.sse'),
    outlines: {
      text: done,
      tools: { ...done, output: [call('tide_table', { port: 'Göteborg', days: 2 }), call('tide_table', { port: 'Bergen', days: 2 })] },
      reasoning: { ...done, output: [{ thought: expect.stringMatching(/boats/) }, { text: 'Fourteen crates.' }] },
      length: { status: 'incomplete', reason: 'max_output_tokens' },
      refusal: { status: 'incomplete', reason: 'content_filter' },
    },
    image: { inlineData: { mimeType: 'image/png', data: PIXEL } },
  },
];

function outlineOf({ status, incomplete_details, output }: Answer): { status?: string; reason?: string; output: object[] } {
  return {
    status,
    ...(incomplete_details?.reason && { reason: incomplete_details.reason }),
    output: output.flatMap((item): object[] => {
      switch (item.type) {
        case 'message':
          return item.content.map((part) => (part.type === 'refusal' ? { refusal: part.refusal } : { text: part.text }));
        case 'reasoning':
          return [...item.summary, ...(item.content ?? [])].map(({ text }) => ({ thought: text }));
        case 'function_call':
          return [call(item.name, JSON.parse(item.arguments) as object)];
        case 'custom_tool_call':
          return [{ call: item.name, input: item.input }];
        default:
          throw new Error(`no item of ours: ${item.type}`);
      }
    }),
  };
}

/** What two answers to the same request have in common. */
function comparable(answer: Answer): object {
  const own = JSON.stringify(answer).replaceAll(answer.id.slice('resp_'.length), 'ID');
  return { ...(JSON.parse(own) as object), created_at: 0, completed_at: 0, output_text: '' };
}

let gateway: Gateway;
let client: OpenAI;
const upstreams = new Map<Vendor, LoopbackUpstream>();

beforeAll(async () => {
  const providers: Record<string, NonNullable<ReturnType<Vendor['provider']>>> = {};
  for (const [index, { vendor }] of wires.entries()) {
    const upstream = await LoopbackUpstream.start();
    upstreams.set(vendor, upstream);
    const { models, ...provider } = vendor.provider(upstream.origin)!;
    const capabilities = { chat: true, function_calling: true, json_mode: true, vision: true };
    const facts = { context_length: 100_000, max_tokens: 10_000, capabilities };
    providers[`wire-${index}`] = {
      ...provider,
      models: { [vendor.model]: vendor === chatCompletionsVendor ? facts : (models?.[vendor.model] ?? {}) },
    };
  }
  gateway = await Gateway.start({ providers });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.customer.liveKey, maxRetries: 0 });
});

afterAll(async () => {
  await gateway.close();
  for (const upstream of upstreams.values()) await upstream.stop();
});

/** The answer as a whole, or from a stream that keeps all rules. */
async function ask(body: Omit<Create, 'stream'>, stream: boolean): Promise<Answer> {
  if (!stream) return (await gateway.post('responses', body).expect(200)).body as Answer;
  const open = await gateway.stream('responses', body);
  const text = await open.text();
  expect([open.status, text.includes('[DONE]')]).toEqual([200, false]);
  return ResponseStreamMachine.run(text);
}

describe.each(wires)('a response through $vendor.name', ({ vendor, bodies, cut, outlines, image }) => {
  const upstream = () => upstreams.get(vendor)!;
  const play = (body: (stream: boolean) => Reply['body'], more: Reply = {}) =>
    upstream().replies((request) => {
      const { stream } = vendor.asked(request);
      return {
        headers: stream ? sse : json,
        body: body(stream),
        cuts: stream ? Array.from({ length: 30 }, (_, index) => 41 * index) : [],
        ...more,
      };
    });
  const sent = () => JSON.parse(upstream().requests.at(-1)!.body) as Record<string, unknown>;

  it.each(['text', 'tools', 'reasoning', 'length', 'refusal'] as const)('%s is the same streamed and as a whole', async (cell) => {
    play(bodies[cell]);
    const request: Create = {
      model: vendor.model,
      input: 'Ask.',
      tools: functions,
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    };
    const [whole, streamed] = [await ask(request, false), await ask(request, true)];
    expect(outlineOf(whole)).toMatchObject(outlines[cell]);
    expect(comparable(streamed)).toEqual(comparable(whole));
    expect(whole).toMatchObject({
      object: 'response',
      model: vendor.model,
      store: false,
      background: false,
      tools: [{ name: 'weather' }, {}, {}],
    });
    expect(whole.usage!.total_tokens).toBe(whole.usage!.input_tokens + whole.usage!.output_tokens);
  });

  it('reasoning is text of its own where no summary is asked for', async () => {
    play(bodies.reasoning);
    const { output } = await ask({ model: vendor.model, input: 'Ask.', reasoning: { effort: 'low' } }, true);
    expect(output[0]).toMatchObject({ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text' }] });
    expect(output[0]).not.toHaveProperty('encrypted_content');
  });

  it('a tool loop is sent as one turn of the assistant and its results', async () => {
    const calls = [
      { id: 'call_1', name: 'weather', arguments: { city: 'Oslo' } },
      { id: 'call_2', name: 'now', arguments: {} },
    ];
    upstream().replies((request) => vendor.answer({ calls }, vendor.asked(request).stream));
    const input: Responses.ResponseInput = [{ role: 'user', content: 'Weather?' }];
    const { output } = await ask({ model: vendor.model, instructions: 'Be brief.', input, tools: functions }, true);
    const made = output as Responses.ResponseFunctionToolCall[];
    expect(made.map(({ call_id }) => call_id)).toEqual(['call_1', 'call_2']);
    const results = made.map(({ call_id }): Responses.ResponseInputItem => ({
      type: 'function_call_output',
      call_id,
      output: '{"degrees":21}',
    }));
    upstream().replies((request) => vendor.answer({ text: 'Fine.' }, vendor.asked(request).stream));
    const last = await ask(
      { model: vendor.model, instructions: 'Be brief.', input: [...input, ...made, ...results], tools: functions },
      false,
    );
    expect(outlineOf(last).output).toEqual([{ text: 'Fine.' }]);
    const asked = vendor.asked(upstream().requests.at(-1)!);
    expect(asked.calls).toEqual(calls);
    expect(asked.results).toEqual(calls.map(({ id }) => ({ id, value: { degrees: 21 } })));
  });

  it('images and structured output are what the vendor asks for', async () => {
    upstream().replies((request) => vendor.answer({ text: '{"city":"Oslo"}' }, vendor.asked(request).stream));
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
    const picture: Responses.ResponseInputImage = { type: 'input_image', detail: 'low', image_url: `data:image/png;base64,${PIXEL}` };
    const content: Responses.ResponseInputContent[] = [{ type: 'input_text', text: 'Where?' }, picture];
    const format = { type: 'json_schema', name: 'place', schema, strict: true } as const;
    const answer = await ask({ model: vendor.model, input: [{ role: 'user', content }], text: { format } }, false);
    expect(answer.text).toEqual({ format });
    expect(vendor.asked(upstream().requests.at(-1)!).schema).toMatchObject({ properties: schema.properties });
    const [turn] = (sent()['messages'] ?? sent()['contents']) as { content?: object[]; parts?: object[] }[];
    expect((turn!.content ?? turn!.parts)![1]).toEqual(image);
  });

  it('a provider that breaks off ends in response.failed, and is recorded as that', async () => {
    const customer = await gateway.newCustomer();
    upstream().replies({ headers: sse, body: cut });
    const open = await gateway.stream('responses', { model: vendor.model, input: 'Ask.' }, { key: customer.liveKey });
    const answer = ResponseStreamMachine.run(await open.text());
    expect(answer).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    expect((await gateway.usage(1, customer))[0]).toMatchObject({ operation: 'responses', outcome: 'provider_failed' });
  });

  it('an error before the first event is the error envelope', async () => {
    upstream().replies({ status: 400, headers: json, body: '{"error":{"message":"no","type":"invalid_request_error","code":400}}' });
    for (const stream of [false, true]) {
      const failed = await gateway.post('responses', { model: vendor.model, input: 'Ask.', stream }).expect(400);
      expect(failed.body).toMatchObject({ error: { code: 'invalid_request', type: 'invalid_request_error' } });
    }
  });

  it('a client that leaves ends the call of the provider', async () => {
    play(bodies.text, { after: bodies.text(true)!.length - 20, ending: 'stall' });
    const coming = upstream().nextRequest();
    const open = await gateway.stream('responses', { model: vendor.model, input: 'Ask.' });
    open.leave();
    await (
      await coming
    ).closed;
  });
});

describe('the conversation', () => {
  const { vendor } = wires[1]!;
  const upstream = () => upstreams.get(vendor)!;

  it.each([false, true])('keeps signed thinking among text and calls where encrypted content is included (stream: %s)', async (stream) => {
    upstream().replies({ headers: stream ? sse : json, body: fixture('anthropic', `interleaved.${stream ? 'sse' : 'json'}`) });
    const request: Create = {
      model: vendor.model,
      input: 'Tide?',
      tools: functions,
      include: ['reasoning.encrypted_content'],
      store: false,
    };
    const { output } = await ask(request, stream);
    const types = ['reasoning', 'message', 'reasoning', 'function_call', 'reasoning', 'function_call'];
    expect(output.map(({ type }) => type)).toEqual(types);
    const results = output.flatMap((item): Responses.ResponseInputItem[] =>
      item.type === 'function_call' ? [{ type: 'function_call_output', call_id: item.call_id, output: '"noon"' }] : [],
    );
    upstream().replies({ headers: json, body: fixture('anthropic', 'text.json') });
    await ask({ ...request, input: [{ role: 'user', content: 'Tide?' }, ...(output as Responses.ResponseInputItem[]), ...results] }, false);
    const { messages } = JSON.parse(upstream().requests.at(-1)!.body) as { messages: { role: string; content: object[] }[] };
    const { content } = JSON.parse(String(fixture('anthropic', 'interleaved.json'))) as { content: Record<string, unknown>[] };
    expect(messages[1]!.content).toEqual(content.map(({ caller: _caller, ...block }) => block));
  });

  it('asks for custom tools by functions, and gives their calls back as free text', async () => {
    const { vendor: chat } = wires[0]!;
    const provider = upstreams.get(chat)!;
    const patch = '*** Begin Patch\n*** Update File: a "b"\n*** End Patch';
    provider.replies((request) =>
      chat.answer({ calls: [{ id: 'call_9', name: 'apply_patch', arguments: { input: patch } }] }, chat.asked(request).stream),
    );
    const tools: Responses.Tool[] = [
      { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
      ...functions,
    ];
    const tool_choice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'custom', name: 'apply_patch' }] } as const;
    for (const stream of [false, true]) {
      const { output } = await ask(
        { model: chat.model, input: 'Edit.', tools, tool_choice: { ...tool_choice, tools: [...tool_choice.tools] } },
        stream,
      );
      expect(output).toMatchObject([
        { type: 'custom_tool_call', call_id: 'call_9', name: 'apply_patch', input: patch, status: 'completed' },
      ]);
      expect(chat.asked(provider.requests.at(-1)!).tools.map(({ name }) => name)).toEqual(['apply_patch']);
      expect(JSON.parse(provider.requests.at(-1)!.body)).toMatchObject({ tool_choice: 'required' });
      const result: Responses.ResponseInputItem = { type: 'custom_tool_call_output', call_id: 'call_9', output: '"done"' };
      await ask(
        { model: chat.model, input: [{ role: 'user', content: 'Edit.' }, output[0] as Responses.ResponseCustomToolCall, result], tools },
        false,
      );
      const asked = chat.asked(provider.requests.at(-1)!);
      expect(asked.calls).toEqual([{ id: 'call_9', name: 'apply_patch', arguments: { input: patch } }]);
      expect(asked.results).toEqual([{ id: 'call_9', value: 'done' }]);
    }
  });

  it('has tools of namespaces called by both names', async () => {
    const { vendor: chat } = wires[0]!;
    const provider = upstreams.get(chat)!;
    provider.replies((request) =>
      chat.answer({ calls: [{ id: 'call_1', name: 'files__list', arguments: {} }] }, chat.asked(request).stream),
    );
    const tools = [
      { type: 'namespace', name: 'files', description: 'Files', tools: [{ type: 'function', name: 'list' }] },
    ] as Responses.Tool[];
    const { output } = await ask({ model: chat.model, input: 'List.', tools }, true);
    expect(output).toMatchObject([{ type: 'function_call', name: 'list', namespace: 'files' }]);
    await ask(
      { model: chat.model, input: [{ role: 'user', content: 'List.' }, output[0] as Responses.ResponseFunctionToolCall], tools },
      false,
    );
    expect(chat.asked(provider.requests.at(-1)!)).toMatchObject({ tools: [{ name: 'files__list' }], calls: [{ name: 'files__list' }] });
  });

  it('has log probabilities where they are included', async () => {
    const request: Create = {
      model: 'sandbox-chat',
      input: 'Hello?',
      max_output_tokens: 4,
      include: ['message.output_text.logprobs'],
      top_logprobs: 2,
    };
    for (const stream of [false, true]) {
      const [item] = (await ask(request, stream)).output as [Responses.ResponseOutputMessage];
      const [part] = item.content as [Responses.ResponseOutputText];
      expect(part.logprobs!.map(({ token }) => token).join('')).toBe(part.text);
      expect(part.logprobs![0]!.top_logprobs).toHaveLength(2);
    }
  });
});

describe('what is refused', () => {
  const refused = (body: object, code: string, message: RegExp) =>
    gateway
      .post('responses', { model: 'sandbox-chat', input: 'Hello', ...body })
      .expect(400)
      .expect(({ body: { error } }: { body: { error: { code: string; message: string } } }) => {
        expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
      });

  it.each([
    [{ tools: [{ type: 'web_search' }] }, /does not have the hosted tool 'web_search': declare a function/],
    [{ tools: [weather, { type: 'mcp', server_label: 'x', server_url: 'https://x.example' }] }, /hosted tool 'mcp'/],
    [{ tool_choice: { type: 'file_search' } }, /tool_choice.type: 'file_search'/],
    [{ input: [{ type: 'computer_call_output', call_id: 'c', output: {} }] }, /hosted tool 'computer_call_output'/],
    [{ store: true }, /^store is not supported/],
    [{ background: true }, /^background is not supported/],
    [{ previous_response_id: 'resp_1' }, /^previous_response_id is not supported/],
    [{ conversation: { id: 'conv_1' } }, /^conversation is not supported/],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, /'msg_1' is not stored here/],
    [{ input: [{ type: 'constructor' }] }, /^input\[0\].type: 'constructor'/],
    [{ prompt: { id: 'pmpt_1' } }, /^prompt is not supported/],
  ])('%j', async (body, message) => {
    await refused(body, 'unsupported_parameter', message);
  });

  it.each([
    [{ input: [] }, /^input must be/],
    [{ input: [{ role: 'tool', content: 'x' }] }, /^input\[0\].role/],
    [{ input: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }, /^input\[0\].content\[0\].type/],
    [{ input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: {} }] }, /^input\[0\].arguments/],
    [{ input: [{ type: 'item_reference', id: '_'.repeat(300) }] }, /^input\[0\].id must be a non-empty string of at most 256/],
    [
      { input: [{ type: 'reasoning', summary: [{ type: 'valueOf', text: 'x' }], encrypted_content: 'e' }] },
      /^input\[0\].summary\[0\].type/,
    ],
    [{ tools: [{ type: 'function', parameters: {} }] }, /^tools\[0\].name/],
    [{ tools: [weather], tool_choice: { type: 'function', name: 'other' } }, /^tool_choice.name/],
    [{ text: { format: { type: 'json_schema', schema: {} } } }, /^text.format.name/],
    [{ include: ['everything'] }, /^include\[0\]/],
    [{ metadata: { a: 1 } }, /^metadata/],
    [{ max_output_tokens: 0 }, /^max_output_tokens/],
  ])('%j as malformed', async (body, message) => {
    await refused(body, 'invalid_request', message);
  });

  it('names what is left out', async () => {
    const answer = await gateway
      .post('responses', { model: 'sandbox-chat', input: 'Hello', truncation: 'auto', client_metadata: { a: 'b' } })
      .expect(200);
    expect(answer.headers['x-switchyard-dropped-parameters']).toBe('client_metadata, truncation');
    expect(answer.body).toMatchObject({ truncation: 'disabled' });
  });
});

describe('the pipeline', () => {
  it('charges, records and replays as for chat', async () => {
    const customer = await gateway.newCustomer();
    const post = () =>
      gateway
        .post('responses', { model: 'sandbox-chat', input: 'Hello', max_output_tokens: 5 }, customer.liveKey)
        .set('idempotency-key', 'once')
        .expect(200);
    const [first, again] = [await post(), await post()];
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const [row, ...more] = await gateway.usage(1, customer);
    expect(more).toEqual([]);
    const { id, usage } = first.body as Answer;
    expect(row).toMatchObject({
      operation: 'responses',
      prompt_tokens: BigInt(usage!.input_tokens),
      completion_tokens: BigInt(usage!.output_tokens),
    });
    expect(id).toBe(`resp_${row!.request_id}`);
  });
});

describe('the official client', () => {
  it('creates, streams and parses', async () => {
    const made = await client.responses.create({ model: 'sandbox-chat', input: 'Hello there', metadata: { a: 'b' } });
    expect(made.output_text).toMatch(/\S/);
    expect(made.metadata).toEqual({ a: 'b' });
    const stream = client.responses.stream({ model: 'sandbox-chat', input: 'Hello there', temperature: 0 });
    let text = '';
    for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta;
    const final = await stream.finalResponse();
    expect([final.status, final.output_text]).toEqual(['completed', text]);
    const City = z.object({ name: z.string(), inhabitants: z.int() });
    const parsed = await client.responses.parse({ model: 'sandbox-chat', input: 'A city', text: { format: zodTextFormat(City, 'city') } });
    expect(City.safeParse(parsed.output_parsed).success).toBe(true);
  });

  it('runs a tool loop without storing anything', async () => {
    const input: Responses.ResponseInput = [{ role: 'user', content: weatherQuestion }];
    const request = { model: 'sandbox-chat', tools: [weather], temperature: 0, max_output_tokens: 200 };
    const first = await client.responses.create({ ...request, input });
    const calls = first.output.filter((item) => item.type === 'function_call');
    expect(calls.length).toBeGreaterThan(0);
    for (const { call_id, arguments: given } of calls) {
      const asked: unknown = JSON.parse(given);
      expect(isWeatherArguments(asked)).toBe(true);
      input.push({
        type: 'function_call_output',
        call_id,
        output: JSON.stringify(weatherReport(asked as Parameters<typeof weatherReport>[0])),
      });
    }
    const second = await client.responses.create({ ...request, input: [input[0]!, ...calls, ...input.slice(1)] });
    expect(second.output_text).toMatch(/\S/);
  });

  it('ends a stream that the provider cuts with response.failed', async () => {
    const open = await gateway.stream('responses', { model: 'sandbox-cut', input: 'Hello' });
    const events = responseEventsOf(await open.text());
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed', error: { code: 'server_error' } } });
  });
});

describe('the AI SDK with openai()', () => {
  const model = () => createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.customer.liveKey })('sandbox-chat');
  const tools = {
    [weatherTool.name]: tool({
      description: weatherTool.description,
      inputSchema: jsonSchema<WeatherArguments>(weatherTool.parameters as Parameters<typeof jsonSchema>[0]),
      execute: (given) => Promise.resolve(weatherReport(given)),
    }),
  };
  const settings = { temperature: 0, maxOutputTokens: 200, stopWhen: isStepCount(3) };

  it('runs a tool loop as it comes, whole and streamed', async () => {
    const whole = await generateText({ model: model(), tools, prompt: weatherQuestion, ...settings });
    expect(whole.steps[0]!.toolCalls.map(({ toolName, input }) => [toolName, isWeatherArguments(input)])).toEqual([
      [weatherTool.name, true],
    ]);
    expect(whole.text).toMatch(/\S/);
    const streamed = streamText({ model: model(), tools, prompt: weatherQuestion, ...settings });
    let text = '';
    for await (const piece of streamed.textStream) text += piece;
    expect(text).toBe(whole.text);
    expect(await streamed.finishReason).toBe(whole.finishReason);
    expect((await streamed.totalUsage).totalTokens).toBe(whole.totalUsage.totalTokens);
  });

  it('gets an object of a schema', async () => {
    const schema = z.object({ city: z.string() });
    const { output } = await generateText({ model: model(), prompt: 'A city', output: Output.object({ schema }) });
    expect(schema.safeParse(output).success).toBe(true);
  });

  it('goes on with a conversation where it is told that nothing is stored', async () => {
    const first = await generateText({ model: model(), prompt: 'Hello', maxOutputTokens: 8 });
    const messages: ModelMessage[] = [
      { role: 'user', content: 'Hello' },
      ...first.response.messages,
      { role: 'user', content: 'And now?' },
    ];
    const second = await generateText({ model: model(), messages, maxOutputTokens: 8, providerOptions: { openai: { store: false } } });
    expect(second.text).toMatch(/\S/);
    const referred = generateText({ model: model(), messages, maxOutputTokens: 8 });
    await expect(referred).rejects.toThrow(/is not stored here.*store: false/);
  });
});

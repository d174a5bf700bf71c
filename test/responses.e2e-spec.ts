import { readFileSync } from 'node:fs';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type ModelMessage } from 'ai';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type { Responses } from 'openai/resources/responses/responses';
import { z } from 'zod';
import { expectToolLoop } from './clients/ai-sdk-weather.js';
import { started } from '../src/common/testing/started.js';
import type { Reply } from '../src/providers/testing/loopback-upstream.js';
import { said } from '../src/wire/testing/said.js';
import { isWeatherArguments, weatherQuestion, weatherReport, weatherTool } from './clients/weather-tool.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { ResponseStreamMachine } from './support/response-stream.js';
import { useGateway, useUpstream } from './support/started.js';
import { anthropicVendor } from './vendors/anthropic-vendor.js';
import { chatCompletionsVendor } from './vendors/chat-completions-vendor.js';
import { json, sse } from './vendors/vendor.js';

useLoopbackOnly();

// Its warnings concern its user, not us.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

type Create = Responses.ResponseCreateParamsNonStreaming;
type Answer = Responses.Response;

const weather: Responses.FunctionTool = { type: 'function', strict: null, ...weatherTool };
const functions = ['weather', 'now', 'tide_table'].map((name): Responses.FunctionTool => ({
  type: 'function',
  name,
  parameters: null,
  strict: null,
}));

const fixture = (folder: string, name: string): Reply['body'] =>
  readFileSync(new URL(`../src/providers/${folder}/__fixtures__/${name}`, import.meta.url));

const upstream = useUpstream();
const gateway = useGateway(() => {
  const [chat, messages] = [chatCompletionsVendor, anthropicVendor].map((vendor) => vendor.provider(upstream.origin));
  return Gateway.start({ providers: { chat: chat!, messages: messages! } });
});
const client = started(() => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.customer.liveKey, maxRetries: 0 }));
/** The answer as a whole, or from a stream that keeps all rules. */
async function ask(body: Omit<Create, 'stream'>, stream: boolean): Promise<Answer> {
  if (!stream) return (await gateway.post('responses', body).expect(200)).body as Answer;
  const open = await gateway.stream('responses', body);
  const text = await open.text();
  expect([open.status, text.includes('[DONE]')]).toEqual([200, false]);
  return ResponseStreamMachine.run(text);
}

describe('the conversation', () => {
  const chat = chatCompletionsVendor;
  const { model } = anthropicVendor;

  it.each([false, true])(
    'has refusals, and reasoning of which no summary is asked for, as parts of their own (stream: %s)',
    async (stream) => {
      const message = { role: 'assistant', content: null, reasoning_content: 'Hm.', refusal: 'I shall not.' };
      const choice = { index: 0, finish_reason: 'stop', [stream ? 'delta' : 'message']: message };
      const body = JSON.stringify({
        id: 'x',
        object: `chat.completion${stream ? '.chunk' : ''}`,
        created: 1,
        model: 'm',
        choices: [choice],
      });
      upstream.replies(stream ? { headers: sse, body: `data: ${body}\n\ndata: [DONE]\n\n` } : { headers: json, body });
      const { output } = await ask({ model: chat.model, input: 'Ask.', reasoning: { effort: 'low' } }, stream);
      expect(output).toMatchObject([
        { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
        { type: 'message', content: [{ type: 'refusal', refusal: 'I shall not.' }] },
      ]);
      expect(output[0]).not.toHaveProperty('encrypted_content');
    },
  );

  it.each([false, true])('keeps signed thinking among text and calls where encrypted content is included (stream: %s)', async (stream) => {
    upstream.replies({ headers: stream ? sse : json, body: fixture('anthropic', `interleaved.${stream ? 'sse' : 'json'}`) });
    const request: Create = {
      model,
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
    upstream.replies({ headers: json, body: fixture('anthropic', 'text.json') });
    await ask({ ...request, input: [said.user('Tide?'), ...(output as Responses.ResponseInputItem[]), ...results] }, false);
    const { messages } = JSON.parse(upstream.requests.at(-1)!.body) as { messages: { role: string; content: object[] }[] };
    const { content } = JSON.parse(String(fixture('anthropic', 'interleaved.json'))) as { content: Record<string, unknown>[] };
    expect(messages[1]!.content).toEqual(content.map(({ caller: _caller, ...block }) => block));
  });

  it('asks for custom tools by functions, and gives their calls back as free text', async () => {
    const patch = '*** Begin Patch\n*** Update File: a "b"\n*** End Patch';
    upstream.replies((request) =>
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
      expect(chat.asked(upstream.requests.at(-1)!).tools.map(({ name }) => name)).toEqual(['apply_patch']);
      expect(JSON.parse(upstream.requests.at(-1)!.body)).toMatchObject({ tool_choice: 'required' });
      const result: Responses.ResponseInputItem = { type: 'custom_tool_call_output', call_id: 'call_9', output: '"done"' };
      await ask({ model: chat.model, input: [said.user('Edit.'), output[0] as Responses.ResponseCustomToolCall, result], tools }, false);
      const asked = chat.asked(upstream.requests.at(-1)!);
      expect(asked.calls).toEqual([{ id: 'call_9', name: 'apply_patch', arguments: { input: patch } }]);
      expect(asked.results).toEqual([{ id: 'call_9', value: 'done' }]);
    }
  });

  it('has tools of namespaces called by both names', async () => {
    upstream.replies((request) =>
      chat.answer({ calls: [{ id: 'call_1', name: 'files__list', arguments: {} }] }, chat.asked(request).stream),
    );
    const tools = [
      { type: 'namespace', name: 'files', description: 'Files', tools: [{ type: 'function', name: 'list' }] },
    ] as Responses.Tool[];
    const { output } = await ask({ model: chat.model, input: 'List.', tools }, true);
    expect(output).toMatchObject([{ type: 'function_call', name: 'list', namespace: 'files' }]);
    await ask({ model: chat.model, input: [said.user('List.'), output[0] as Responses.ResponseFunctionToolCall], tools }, false);
    expect(chat.asked(upstream.requests.at(-1)!)).toMatchObject({ tools: [{ name: 'files__list' }], calls: [{ name: 'files__list' }] });
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
    [{ input: [{ type: 'computer_call_output', call_id: 'c', output: {} }] }, /parameter 'input.computer_call_output'/],
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
    [{ input: [said.user([said.text('x')])] }, /^input\[0\].content\[0\].type/],
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
    const input: Responses.ResponseInput = [said.user(weatherQuestion)];
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
});

describe('the AI SDK with openai()', () => {
  const model = () => createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.customer.liveKey })('sandbox-chat');

  it('runs a tool loop as it comes, whole and streamed', () => expectToolLoop(model()));

  it('goes on with a conversation where it is told that nothing is stored', async () => {
    const first = await generateText({ model: model(), prompt: 'Hello', maxOutputTokens: 8 });
    const messages: ModelMessage[] = [said.user('Hello'), ...first.response.messages, said.user('And now?')];
    const second = await generateText({ model: model(), messages, maxOutputTokens: 8, providerOptions: { openai: { store: false } } });
    expect(second.text).toMatch(/\S/);
    const referred = generateText({ model: model(), messages, maxOutputTokens: 8 });
    await expect(referred).rejects.toThrow(/is not stored here.*store: false/);
  });
});

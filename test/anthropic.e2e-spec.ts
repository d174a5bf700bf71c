import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import { LoopbackUpstream } from '../src/providers/testing/loopback-upstream.js';
import { Gateway } from './support/gateway.js';

const fixture = (name: string) => readFileSync(new URL(`../src/providers/anthropic/__fixtures__/${name}`, import.meta.url));
const json = { 'content-type': 'application/json' };
const sse = { 'content-type': 'text/event-stream; charset=utf-8' };

const tools: OpenAI.ChatCompletionTool[] = ['tide_table', 'now'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { port: { type: 'string' } } } },
}));

interface SentTurn {
  role: string;
  content: Record<string, unknown>[];
}

describe('the official OpenAI client and a Claude model', () => {
  let upstream: LoopbackUpstream;
  let gateway: Gateway;
  let client: OpenAI;

  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    gateway = await Gateway.start({
      providers: {
        anthropic: {
          type: 'anthropic',
          base_url: upstream.origin,
          api_key: 'sk-ant-e2e',
          models: { 'claude-opus-5-5': {}, 'claude-haiku-4-5': {} },
        },
      },
    });
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.customer.liveKey, maxRetries: 0 });
  });

  afterAll(async () => {
    await gateway.close();
    await upstream.stop();
  });

  const asked = () => JSON.parse(upstream.requests.at(-1)?.body ?? '') as { messages: SentTurn[] } & Record<string, unknown>;
  const results = (calls: readonly { id: string }[]): OpenAI.ChatCompletionMessageParam[] =>
    calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'noon' }));
  const vendorBlocks = () =>
    (JSON.parse(fixture('interleaved.json').toString()) as { content: Record<string, unknown>[] }).content.map(
      ({ caller: _caller, ...block }) => block,
    );

  it('run a tool loop in which signed thinking survives', async () => {
    upstream.replies({ headers: json, body: fixture('interleaved.json') });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Tide in Bergen?' }];
    const { choices } = await client.chat.completions.create({ model: 'claude-opus-5-5', messages, tools });
    const [{ message, finish_reason }] = choices as [OpenAI.ChatCompletion.Choice];
    expect(finish_reason).toBe('tool_calls');
    upstream.replies({ headers: json, body: fixture('text.json') });
    const calls = message.tool_calls ?? [];
    const last = await client.chat.completions.create({
      model: 'claude-opus-5-5',
      messages: [...messages, message, ...results(calls)],
      tools,
    });
    expect(last.choices[0]?.message.content).toContain('Göteborg');
    expect(asked().messages.slice(1)).toEqual([
      { role: 'assistant', content: vendorBlocks() },
      { role: 'user', content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'noon' })) },
    ]);
  });

  it('stream a tool loop in which signed thinking survives', async () => {
    upstream.replies({ headers: sse, body: fixture('interleaved.sse') });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Tide in Bergen?' }];
    const body = { model: 'claude-opus-5-5', messages, tools, stream: true, stream_options: { include_usage: true } } as const;
    const kept = {
      role: 'assistant' as const,
      content: '',
      thinking_blocks: [] as unknown[],
      tool_calls: [] as OpenAI.ChatCompletionMessageFunctionToolCall[],
    };
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of await client.chat.completions.create(body)) {
      usage = chunk.usage ?? usage;
      const delta: (OpenAI.ChatCompletionChunk.Choice.Delta & { thinking_blocks?: unknown[] }) | undefined = chunk.choices[0]?.delta;
      kept.content += delta?.content ?? '';
      kept.thinking_blocks.push(...(delta?.thinking_blocks ?? []));
      for (const { index, id = '', function: { name = '', arguments: text = '' } = {} } of delta?.tool_calls ?? []) {
        const call = (kept.tool_calls[index] ??= { id, type: 'function', function: { name, arguments: '' } });
        call.function.arguments += text;
      }
    }
    expect(usage).toMatchObject({ prompt_tokens: 412, completion_tokens: 240, completion_tokens_details: { reasoning_tokens: 131 } });
    upstream.replies({ headers: sse, body: fixture('text.sse') });
    for await (const _chunk of await client.chat.completions.create({
      ...body,
      messages: [...messages, kept, ...results(kept.tool_calls)],
    }));
    expect(asked().messages[1]).toEqual({ role: 'assistant', content: vendorBlocks() });
  });

  it('get a structured answer', async () => {
    const schema = { type: 'object', properties: { port: { type: 'string' } }, required: ['port'], additionalProperties: false };
    const message = { ...(JSON.parse(fixture('text.json').toString()) as object), content: [{ type: 'text', text: '{"port":"Bergen"}' }] };
    upstream.replies({ headers: json, body: JSON.stringify(message) });
    const answer = await client.chat.completions.parse({
      model: 'claude-opus-5-5',
      messages: [{ role: 'user', content: 'Which port?' }],
      response_format: { type: 'json_schema', json_schema: { name: 'port', schema, strict: true } },
    });
    expect(answer.choices[0]?.message.parsed).toEqual({ port: 'Bergen' });
    expect(asked()).toMatchObject({ output_config: { format: { type: 'json_schema', schema } } });
  });

  it('are told what the model cannot take, before it is asked', async () => {
    upstream.replies({ headers: json, body: fixture('text.json') });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }];
    const { response } = await client.chat.completions
      .create({ model: 'claude-opus-5-5', messages, temperature: 0.2, seed: 1 })
      .withResponse();
    expect(response.headers.get('x-switchyard-dropped-parameters')?.split(/, ?/).sort()).toEqual(['seed', 'temperature']);
    expect(asked()).not.toHaveProperty('temperature');
    upstream.replies({ status: 500 });
    const wanted = [{ logprobs: true }, { tools, tool_choice: 'required' as const }];
    for (const more of wanted) {
      await expect(client.chat.completions.create({ model: 'claude-opus-5-5', messages, ...more })).rejects.toMatchObject({ status: 400 });
    }
    await expect(client.completions.create({ model: 'claude-opus-5-5', prompt: 'Hello' })).rejects.toMatchObject({
      code: 'unsupported_model',
    });
    expect(upstream.requests).toHaveLength(0);
  });

  it('are charged the vendor’s usage, cache included', async () => {
    upstream.replies({ headers: sse, body: fixture('cached.sse') });
    const customer = await gateway.newCustomer('10');
    const own = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: customer.liveKey, maxRetries: 0 });
    for await (const _chunk of await own.chat.completions.create({
      model: 'claude-haiku-4-5',
      messages: [{ role: 'user', content: 'As before?' }],
      stream: true,
    }));
    const [row] = await gateway.usage(1, customer);
    expect(row).toMatchObject({ prompt_tokens: 2148n, completion_tokens: 3n });
  });
});

import { readFileSync } from 'node:fs';
import OpenAI, { APIError, RateLimitError } from 'openai';
import { LoopbackUpstream } from '../src/providers/testing/loopback-upstream.js';
import { createTestApp, type TestApp } from './support/create-test-app.js';
import { createCustomer } from './support/customer.js';

const fixture = (name: string): Buffer => readFileSync(new URL(`../src/providers/gemini/__fixtures__/${name}`, import.meta.url));
const sse = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };

interface Turn {
  role: string;
  parts: { thoughtSignature?: string; functionCall?: { name: string }; functionResponse?: { name: string; response: unknown } }[];
}

/** The official client of the OpenAI format, and a provider of type gemini behind the gateway. */
describe('a Gemini model through the openai client', () => {
  let upstream: LoopbackUpstream;
  let gateway: TestApp;
  let client: OpenAI;

  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    const models = { 'gemini-3.8-flash': {} };
    gateway = await createTestApp({
      providers: { gemini: { type: 'gemini', base_url: `${upstream.origin}/v1beta`, api_key: 'AIzaLoopback', models } },
    });
    const { liveKey } = await createCustomer(gateway.app);
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: liveKey, maxRetries: 0 });
  });

  afterAll(async () => {
    await gateway.close();
    await upstream.stop();
  });

  const sent = (index: number) => JSON.parse(upstream.requests[index]?.body ?? '') as { contents: Turn[]; generationConfig: unknown };

  const question = { model: 'gemini-3.8-flash', messages: [{ role: 'user' as const, content: 'When?' }] };
  const tideTable = {
    name: 'tide_table',
    description: 'Tides of a port',
    parameters: { type: 'object', properties: { port: { type: 'string' } } },
  };
  const answer = 'The harbour lights of Göteborg — 灯火 — are lit at dusk. 🌆';
  const tide = { high: '12:00' };

  /** Tool calls first, and the answer once their results are there. */
  const play = (suffix: 'json' | 'sse') =>
    upstream.replies(({ body }) => {
      const name = body.includes('functionResponse') ? 'text' : 'tools';
      return { headers: suffix === 'sse' ? sse : json, body: fixture(`${name}.${suffix}`) };
    });

  it('keeps the thought signature of a message that is sent back as it came', async () => {
    play('json');
    const tools = [{ type: 'function' as const, function: tideTable }];
    const [first] = (await client.chat.completions.create({ ...question, tools })).choices;
    const calls = first?.message.tool_calls ?? [];
    const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: JSON.stringify(tide) }));
    const messages = [...question.messages, first!.message, ...results];
    const [last] = (await client.chat.completions.create({ ...question, messages, tools })).choices;
    expect([first?.finish_reason, last?.message.content]).toEqual(['tool_calls', answer]);
    const recorded = JSON.parse(fixture('tools.json').toString()) as { candidates: { content: Turn }[] };
    expect(sent(1).contents[1]).toEqual(recorded.candidates[0]?.content);
    expect(sent(1).contents[2]?.parts.map(({ functionResponse }) => functionResponse)).toEqual([
      { id: 'x7c2m9qa', name: 'tide_table', response: tide },
      { id: 'p0r4t8ws', name: 'tide_table', response: tide },
    ]);
  });

  it('runs a streamed tool loop whose client does not keep signatures', async () => {
    play('sse');
    const ports: unknown[] = [];
    const run = ({ port }: { port: string }) => {
      ports.push(port);
      return tide;
    };
    const parse = JSON.parse as (text: string) => { port: string };
    const tools = [{ type: 'function' as const, function: { ...tideTable, parse, function: run } }] as const;
    expect(await client.chat.completions.runTools({ ...question, tools, stream: true }).finalContent()).toBe(answer);
    expect(ports).toEqual(['Göteborg', 'Bergen']);
    expect(sent(1).contents[1]?.parts.map(({ thoughtSignature }) => thoughtSignature)).toEqual([
      'skip_thought_signature_validator',
      undefined,
    ]);
  });

  it('asks for structured output by schema', async () => {
    const body = JSON.stringify({
      candidates: [{ content: { parts: [{ text: '{"high":"12:00"}' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 },
    });
    upstream.replies({ headers: json, body });
    const schema = { type: 'object', properties: { high: { type: 'string' } }, required: ['high'], additionalProperties: false };
    const { choices, usage } = await client.chat.completions.parse({
      ...question,
      response_format: { type: 'json_schema', json_schema: { name: 'tide', schema, strict: true } },
      reasoning_effort: 'low',
    });
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({ high: '12:00' });
    expect(usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 });
    expect(sent(0).generationConfig).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
      thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true },
    });
  });

  const chat = () => client.chat.completions.create({ ...question, stream: true });

  it('meets typed errors before the stream and within it', async () => {
    upstream.replies({ status: 429, headers: json, body: fixture('error-429-minute.json') });
    const limited = await chat().catch((error: unknown) => error);
    expect(limited).toBeInstanceOf(RateLimitError);
    expect((limited as RateLimitError).headers?.get('retry-after')).toBe('37');
    upstream.replies({ headers: sse, body: fixture('in-band-error.sse') });
    const read = async () => {
      for await (const chunk of await chat()) expect(chunk.choices).toHaveLength(1);
    };
    await expect(read()).rejects.toBeInstanceOf(APIError);
  });
});

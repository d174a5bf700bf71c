import { readFileSync } from 'node:fs';
import OpenAI, { APIError } from 'openai';
import { LoopbackUpstream, type Reply } from '../src/providers/testing/loopback-upstream.js';
import { createTestApp, type TestApp } from './support/create-test-app.js';
import { createCustomer } from './support/customer.js';

const fixture = (name: string): Buffer => readFileSync(new URL(`../src/providers/ollama/__fixtures__/${name}`, import.meta.url));
const shows = JSON.parse(fixture('shows.json').toString()) as Record<string, object>;
const json = { 'content-type': 'application/json; charset=utf-8' };
const ndjson = { 'content-type': 'application/x-ndjson' };

/** The official client of the OpenAI format, and a server of Ollama behind the gateway. */
describe('Ollama through the openai client', () => {
  let upstream: LoopbackUpstream;
  let gateway: TestApp;
  let client: OpenAI;
  let answer: Reply;

  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    upstream.replies(({ path, body }) => {
      if (path === '/api/tags') return { headers: json, body: fixture('tags.json') };
      if (path === '/api/show') return { headers: json, body: JSON.stringify(shows[(JSON.parse(body) as { model: string }).model]) };
      return answer;
    });
    gateway = await createTestApp({ providers: { ollama: { type: 'ollama', base_url: `${upstream.origin}/v1`, free: true } } });
    const { liveKey } = await createCustomer(gateway.app);
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: liveKey, maxRetries: 0 });
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.stop();
  });

  const question = { model: 'qwen3:latest', messages: [{ role: 'user' as const, content: 'When?' }] };
  const sent = (): Record<string, unknown> => JSON.parse(upstream.requests.at(-1)!.body) as Record<string, unknown>;
  const refusal = async (asked: Promise<unknown>): Promise<{ status: unknown; code: unknown; message: string }> => {
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    if (!(error instanceof APIError)) throw new Error('not refused');
    return { status: error.status, code: error.code, message: error.message };
  };

  it('lists what the server has, as its models are', async () => {
    const { data } = await client.models.list();
    const offered = data.filter(({ owned_by }) => owned_by === 'ollama');
    expect(offered.map(({ id }) => id)).toEqual(['hf.co/acme/base:Q8_0', 'llava:7b', 'nomic-embed-text:latest', 'qwen3:latest']);
    expect(offered).toMatchObject([
      { context_length: 4_096 },
      { capabilities: { vision: true, function_calling: false } },
      { capabilities: { embeddings: true, function_calling: false } },
      { context_length: 8_192 },
    ]);
  });

  it('streams thoughts and text with the server’s own count', async () => {
    answer = { headers: ndjson, body: fixture('reasoning.ndjson'), cuts: Array.from({ length: 60 }, (_, i) => 13 * i) };
    const stream = await client.chat.completions.create({
      ...question,
      stream: true,
      stream_options: { include_usage: true },
      reasoning_effort: 'high',
    });
    let text = '';
    let thoughts = '';
    let usage: unknown;
    for await (const { choices, usage: counted } of stream) {
      const delta = choices[0]?.delta as { content?: string; reasoning_content?: string } | undefined;
      text += delta?.content ?? '';
      thoughts += delta?.reasoning_content ?? '';
      usage = counted ?? usage;
    }
    expect([text, thoughts]).toEqual(['Fourteen crates.', 'Two boats carry seven crates each.\n7 × 2 = 14']);
    expect(usage).toMatchObject({ prompt_tokens: 21, completion_tokens: 69 });
    expect(sent()).toMatchObject({ think: true, stream: true });
  });

  it('counts a prompt that the server has not counted', async () => {
    answer = { headers: json, body: fixture('uncounted.json') };
    const { usage } = await client.chat.completions.create(question);
    expect(usage?.prompt_tokens).toBeGreaterThan(0);
    expect(usage?.completion_tokens).toBeGreaterThanOrEqual(3);
  });

  it('answers legacy completions with log probabilities, and fills in where the model can', async () => {
    answer = { headers: json, body: fixture('completion.json') };
    const { choices, usage } = await client.completions.create({
      model: 'hf.co/acme/base:Q8_0',
      prompt: 'The',
      suffix: 'end',
      logprobs: 2,
    });
    expect(choices).toMatchObject([
      { text: 'Low tide', finish_reason: 'stop', logprobs: { tokens: ['Low', ' tide'], text_offset: [0, 3] } },
    ]);
    expect(usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 2 });
    expect(sent()).toMatchObject({ prompt: 'The', suffix: 'end', logprobs: true, top_logprobs: 2 });
    expect(await refusal(client.completions.create({ model: 'qwen3:latest', prompt: 'The', suffix: 'end' }))).toMatchObject({
      status: 400,
      code: 'unsupported_parameter',
    });
  });

  it('sees images that are sent, and none by their addresses', async () => {
    answer = { headers: json, body: fixture('text.json') };
    const look = (model: string, url: string) =>
      client.chat.completions.create({ model, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] });
    await look('llava:7b', 'data:image/png;base64,iVBORw0KGgo=');
    expect(sent()['messages']).toEqual([{ role: 'user', content: '', images: ['iVBORw0KGgo='] }]);
    expect(await refusal(look('llava:7b', 'https://example.com/a.png'))).toMatchObject({
      status: 400,
      message: expect.stringContaining('send it as a data: URL') as string,
    });
    expect(await refusal(look('qwen3:latest', 'data:image/png;base64,iVBORw0KGgo='))).toMatchObject({ status: 400 });
  });

  it('refuses what the server would ignore, and names what it drops', async () => {
    answer = { headers: json, body: fixture('text.json') };
    const tools = [{ type: 'function' as const, function: { name: 'now' } }];
    for (const more of [
      { model: 'llava:7b', tools },
      { tools, tool_choice: 'required' as const },
    ])
      expect(await refusal(client.chat.completions.create({ ...question, ...more }))).toMatchObject({
        status: 400,
        code: 'unsupported_parameter',
      });
    const { response } = await client.chat.completions
      .create({ ...question, model: 'llava:7b', reasoning_effort: 'low', user: 'u' })
      .withResponse();
    expect(response.headers.get('x-switchyard-dropped-parameters')?.split(/, ?/).toSorted()).toEqual(['reasoning_effort', 'user']);
  });

  it('refuses arguments of a call that are too deep to be written', async () => {
    answer = { headers: json, body: fixture('text.json') };
    const call = (args: string) => ({ id: 'c', type: 'function' as const, function: { name: 'f', arguments: args } });
    const before = upstream.requests.length;
    for (const args of [`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, '[1]']) {
      const messages = [{ role: 'assistant' as const, content: null, tool_calls: [call(args)] }];
      expect(await refusal(client.chat.completions.create({ ...question, messages }))).toMatchObject({
        status: 400,
        message: expect.stringContaining('messages[0].tool_calls[0].function.arguments') as string,
      });
    }
    expect(upstream.requests).toHaveLength(before);
  });

  it.each([
    ['a prompt that is too long', 400, 'too-long.ndjson', 400, 'context_length_exceeded'],
    ['a server that has failed', 500, 'error-at-once.ndjson', 503, 'model_overloaded'],
    ['a model that was loaded in the place of an answer', 200, 'loaded.json', 502, 'upstream_error'],
  ])('tells %s', async (_, status, body, expected, code) => {
    answer = { status, headers: json, body: fixture(body) };
    expect(await refusal(client.chat.completions.create(question))).toMatchObject({ status: expected, code });
  });

  // Another model each, because an offer that fails is paused.
  it.each([
    ['error-in-mid-stream.ndjson', 'llava:7b'],
    ['undone.json', 'hf.co/acme/base:Q8_0'],
  ])('ends a stream with an error where it breaks off: %s', async (name, model) => {
    answer = { headers: ndjson, body: fixture(name) };
    const stream = await client.chat.completions.create({ ...question, model, stream: true });
    const read = async (): Promise<string> => {
      let text = '';
      for await (const { choices } of stream) {
        text += choices[0]?.delta.content ?? '';
        expect(choices[0]?.finish_reason ?? null).toBeNull();
      }
      return text;
    };
    await expect(read()).rejects.toThrow(APIError);
  });
});

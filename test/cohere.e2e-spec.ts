import { readFileSync } from 'node:fs';
import OpenAI, { APIError } from 'openai';
import { LoopbackUpstream } from '../src/providers/testing/loopback-upstream.js';
import { Gateway } from './support/gateway.js';

const fixture = (name: string): Buffer => readFileSync(new URL(`../src/providers/cohere/__fixtures__/${name}`, import.meta.url));
const sse = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };

const model = 'command-a-03-2025';
const question = { model, messages: [{ role: 'user' as const, content: 'How many?' }] };
const documents = [{ id: 'doc:1', data: { title: 'Ferries of Ærø', url: 'https://ferries.example/aeroe' } }];
const text = 'There are nine sailings a day, the first at 05:15.';

/** What Cohere has beyond the OpenAI format, through the gateway and the official client of that format. */
describe('a Cohere model through the openai client', () => {
  let upstream: LoopbackUpstream;
  let gateway: Gateway;
  let client: OpenAI;

  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    const models = { [model]: { pricing: { prompt: 2, completion: 10, cached_input: 0.5 } } };
    const entry = { type: 'cohere', base_url: `${upstream.origin}/compatibility/v1`, api_key: 'co-loopback', models };
    gateway = await Gateway.start({ providers: { cohere: entry }, routing: { retries: 0 } }, '100000');
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.customer.liveKey, maxRetries: 0 });
  });

  afterAll(async () => {
    await gateway.close();
    await upstream.stop();
  });

  const { citations } = (JSON.parse(fixture('citations.json').toString()) as { message: { citations: { start: number }[] } }).message;
  const cited = ['nine sailings', '05:15'];
  const quoted = (annotations: readonly { url_citation: { start_index: number; end_index: number } }[]) =>
    annotations.map(({ url_citation: { start_index, end_index } }) => text.slice(start_index, end_index));

  it('cites documents that the client sends', async () => {
    upstream.replies({ headers: json, body: fixture('citations.json') });
    const { data, response } = await client.chat.completions.create({ ...question, documents } as typeof question).withResponse();
    expect(upstream.requests[0]?.path).toBe('/v2/chat');
    expect(JSON.parse(upstream.requests[0]!.body)).toMatchObject({ documents });
    expect(response.headers.get('x-switchyard-dropped-parameters')).toBeNull();
    const message = data.choices[0]!.message;
    expect(message).toMatchObject({ content: text, citations });
    expect(message.annotations?.map(({ url_citation: { url, title } }) => [url, title])).toEqual(
      cited.map(() => ['https://ferries.example/aeroe', 'Ferries of Ærø']),
    );
    expect(quoted(message.annotations!)).toEqual(cited);
  });

  it('cites in a stream as well', async () => {
    upstream.replies({ headers: sse, body: fixture('citations.sse') });
    const stream = await client.chat.completions.create({ ...question, stream: true, documents } as typeof question & { stream: true });
    const deltas: { content?: string | null; citations?: object[]; annotations?: Parameters<typeof quoted>[0][number][] }[] = [];
    for await (const { choices } of stream) deltas.push(choices[0]!.delta);
    expect(deltas.map(({ content = '' }) => content).join('')).toBe(text);
    expect(deltas.flatMap((delta) => delta.citations ?? [])).toEqual(citations);
    expect(quoted(deltas.flatMap((delta) => delta.annotations ?? []))).toEqual(cited);
  });

  it.each(['json', 'sse'])('charges what Cohere bills (%s)', async (form) => {
    upstream.replies({ headers: form === 'sse' ? sse : json, body: fixture(`tools.${form}`) });
    const tools = [{ type: 'function', function: { name: 'timetable' } }];
    const { body, headers } = await gateway.post('chat/completions', { ...question, tools });
    const usage = { prompt_tokens: 59, completion_tokens: 46, total_tokens: 105, prompt_tokens_details: { cached_tokens: 41 } };
    expect((body as { usage: object }).usage).toEqual(usage);
    // 18 x 2 + 41 x 0.5 + 46 x 10, for a thousand.
    expect(headers['x-switchyard-cost']).toBe('0.5165');
  });

  it('fails where Cohere’s answer has failed, before its first text and behind it', async () => {
    upstream.replies({ headers: json, body: fixture('error.json') });
    await expect(client.chat.completions.create(question)).rejects.toMatchObject({ status: 503 });
    upstream.replies({ headers: sse, body: fixture('error.sse') });
    const stream = await client.chat.completions.create({ ...question, stream: true });
    const read = async () => {
      for await (const { choices } of stream) expect(choices[0]?.finish_reason).toBeNull();
    };
    await expect(read()).rejects.toBeInstanceOf(APIError);
  });
});

import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import { LoopbackUpstream } from '../src/providers/testing/loopback-upstream.js';
import { createTestApp, type TestApp } from './support/create-test-app.js';

const fixture = (name: string): Buffer => readFileSync(new URL(`../src/providers/ai-sdk/__fixtures__/${name}`, import.meta.url));

/** The official client of the OpenAI format, and two packages of the AI SDK behind the gateway. */
describe('Models of AI SDK packages through the openai client', () => {
  let upstream: LoopbackUpstream;
  let gateway: TestApp;
  let client: OpenAI;

  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    const terms = { pricing: { prompt: 0.001, completion: 0.002 }, context_length: 100_000, max_tokens: 8_000 };
    const entry = (vendor: string, model: string) => ({
      type: 'ai-sdk',
      base_url: `${upstream.origin}/v1`,
      api_key: `sk-${vendor}-loopback`,
      options: { package: `@ai-sdk/${vendor}`, provider_options: vendor === 'openai' ? { openai: { store: false } } : {} },
      models: { [model]: terms },
    });
    gateway = await createTestApp({
      providers: { mistral: entry('mistral', 'mistral-large-latest'), responses: entry('openai', 'gpt-5.5') },
    });
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.liveKey, maxRetries: 0 });
  });

  afterAll(async () => {
    await gateway.close();
    await upstream.stop();
  });

  const vendors = [
    ['mistral', 'mistral-large-latest', '/v1/chat/completions'],
    ['openai', 'gpt-5.5', '/v1/responses'],
  ] as const;
  const plays = (vendor: string, name: string) =>
    upstream.replies(({ body }) => {
      const streamed = (JSON.parse(body) as { stream?: boolean }).stream === true;
      const type = streamed ? 'text/event-stream' : 'application/json';
      return { headers: { 'content-type': type }, body: fixture(`${vendor}-${name}.${streamed ? 'sse' : 'json'}`) };
    });
  const question = { messages: [{ role: 'user' as const, content: 'hello' }] };
  const tools = [{ type: 'function' as const, function: { name: 'tide_table', parameters: { type: 'object', properties: {} } } }];

  it('are given back what proves their reasoning, and none of the ids that a client sends', async () => {
    const answer = JSON.parse(fixture('openai-reasoning.json').toString()) as { output: object[] };
    Object.assign(answer.output[0]!, { encrypted_content: 'gAAAAproof' });
    upstream.replies({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) });
    const asked = { ...question, model: 'gpt-5.5', reasoning_effort: 'low' as const };
    const { message } = (await client.chat.completions.create(asked)).choices[0]!;
    const { extra_content: proofs } = message as unknown as { extra_content: { ai_sdk: { reasoning: { signed?: { openai: object } }[] } } };
    for (const { signed } of proofs.ai_sdk.reasoning) Object.assign(signed?.openai ?? {}, { itemId: 'rs_of_somebody_else' });
    upstream.requests.length = 0;
    await client.chat.completions.create({ ...asked, messages: [...question.messages, message, { role: 'user', content: 'Sure?' }] });
    const { input } = JSON.parse(upstream.requests[0]!.body) as { input: { type?: string }[] };
    expect(input.filter(({ type }) => type === 'reasoning')).toEqual([
      { type: 'reasoning', encrypted_content: 'gAAAAproof', summary: [{ type: 'summary_text', text: 'Two boats.\n\nSedm beden každá.' }] },
    ]);
    expect(upstream.requests[0]!.body).not.toContain('rs_of_somebody_else');
  });

  describe.each(vendors)('%s', (vendor, model, path) => {
    it('answers with text and counts, streamed and not', async () => {
      plays(vendor, 'text');
      const text = 'Přístav Göteborg — 灯火 — září. 🌆';
      const whole = await client.chat.completions.create({ ...question, model });
      expect(whole.choices[0]).toMatchObject({ message: { content: text }, finish_reason: 'stop' });
      expect(whole.usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 8 } });
      expect(upstream.requests[0]?.path).toBe(path);
      expect(upstream.requests[0]?.headers.authorization).toBe(`Bearer sk-${vendor}-loopback`);
      const streamed = await client.chat.completions
        .stream({ ...question, model, stream_options: { include_usage: true } })
        .finalChatCompletion();
      expect(streamed.choices[0]).toMatchObject({ message: { content: text }, finish_reason: 'stop' });
      expect(streamed.usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 9 });
    });

    it('reasons, streamed and not', async () => {
      plays(vendor, 'reasoning');
      const reasoning = vendor === 'openai' ? 'Two boats.\n\nSedm beden každá.' : 'Two boats, sedm beden každá.';
      const asked = { ...question, model, ...(vendor === 'openai' && { reasoning_effort: 'low' as const }) };
      const whole = await client.chat.completions.create(asked);
      expect(whole.choices[0]?.message).toMatchObject({ content: 'Čtrnáct.', reasoning_content: reasoning });
      if (vendor === 'openai') {
        expect(JSON.parse(upstream.requests[0]!.body)).toMatchObject({ reasoning: { effort: 'low' }, store: false });
        expect(whole.usage?.completion_tokens_details?.reasoning_tokens).toBe(64);
      }
      let told = '';
      for await (const { choices } of await client.chat.completions.create({ ...asked, stream: true }))
        told += (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? '';
      expect(told).toBe(reasoning);
    });

    it('calls tools, and is told their results', async () => {
      plays(vendor, 'tools');
      const whole = await client.chat.completions.create({ ...question, model, tools });
      const streamed = await client.chat.completions.stream({ ...question, model, tools }).finalChatCompletion();
      for (const { choices } of [whole, streamed]) {
        expect(choices[0]?.finish_reason).toBe('tool_calls');
        const calls = choices[0]?.message.tool_calls?.map((call) =>
          'function' in call ? (JSON.parse(call.function.arguments) as unknown) : call,
        );
        expect(calls).toEqual([
          { port: 'Göteborg', days: 2 },
          { port: 'Bergen', days: 2 },
        ]);
      }
      plays(vendor, 'text');
      const { message } = whole.choices[0]!;
      const results = message.tool_calls!.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: '{"high":"12:00"}' }));
      await client.chat.completions.create({ model, tools, messages: [...question.messages, message, ...results] });
      const body = upstream.requests[0]!.body;
      for (const { id } of message.tool_calls!) expect(body.split(`"${id}"`)).toHaveLength(3);
      expect(body).toContain('12:00');
    });

    it('refuses, is busy, and breaks off', async () => {
      const fails = async (status: number, body: string, stream = false) => {
        upstream.replies({ status, headers: { 'content-type': 'application/json', 'retry-after': '7' }, body });
        return client.chat.completions.create({ ...question, model, stream }).then(
          () => undefined,
          (error: unknown) => error,
        );
      };
      const said = (message: string) =>
        JSON.stringify({ object: 'error', message, type: 'invalid_request_error', param: null, code: null, error: { message } });
      expect(await fails(400, said('No such voice'))).toMatchObject({
        status: 400,
        code: 'invalid_request',
        message: expect.stringContaining('No such voice') as string,
      });
      expect(await fails(401, said('Wrong key'), true)).toMatchObject({ status: 503 });
      expect(await fails(429, said('Slower'))).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
      const stream = fixture(`${vendor}-text.sse`);
      upstream.replies({ headers: { 'content-type': 'text/event-stream' }, body: stream, after: stream.length - 200 });
      const cut = (async () => {
        for await (const chunk of await client.chat.completions.create({ ...question, model, stream: true })) void chunk;
      })();
      await expect(cut).rejects.toMatchObject({ code: 'upstream_error' });
    });

    it('is left as soon as the client leaves', async () => {
      const stream = fixture(`${vendor}-text.sse`).toString();
      const first =
        stream
          .slice(0, stream.lastIndexOf('\n\n', stream.length - 3) + 2)
          .split('\n\n')
          .slice(0, 3)
          .join('\n\n') + '\n\n';
      upstream.replies({ headers: { 'content-type': 'text/event-stream' }, body: first, ending: 'stall' });
      const abort = new AbortController();
      const chunks = await client.chat.completions.create({ ...question, model, stream: true }, { signal: abort.signal });
      for await (const { choices } of chunks) if (choices[0]?.delta.content) abort.abort();
      await upstream.requests[0]!.closed;
    });
  });
});

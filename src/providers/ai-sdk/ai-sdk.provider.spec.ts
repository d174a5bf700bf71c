import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProviderConfig } from '../../config/config.schema.js';
import type { ContentPart } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { testCall } from '../testing/call.js';
import { collect, readAll } from '../testing/collect.js';
import { ManualClock } from '../../common/testing/manual-clock.js';
import { LoopbackProxy } from '../testing/loopback-proxy.js';
import { LoopbackUpstream } from '../testing/loopback-upstream.js';
import type { SuiteEntry } from '../testing/provider-suite.js';
import { settled } from '../testing/settled.js';
import { suiteEntry } from '../testing/suite-entry.js';
import { HttpTransport } from '../transport/http-transport.js';
import { AiSdkProvider } from './ai-sdk.provider.js';
import type { AiSdkModel, AiSdkSettings, CreateVendor } from './wire.js';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '__fixtures__', name));
const sse = (body: string | Buffer) => ({ headers: { 'content-type': 'text/event-stream' }, body });
const json = (body: string | Buffer) => ({ headers: { 'content-type': 'application/json' }, body });
const mistral = createMistral;
const openai = createOpenAI;

const chat: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: true, n: 1, messages: [{ role: 'user', content: 'hello' }] };

describe('a package of the AI SDK', () => {
  const entries: SuiteEntry[] = [];
  const upstream = LoopbackUpstream.during(() => Promise.all(entries.map((entry) => entry.close())));

  const provider = (create: CreateVendor, entry: Partial<ProviderConfig> = {}, base = `${upstream.origin}/v1`): AiSdkProvider => {
    const whole = suiteEntry(base, { options: { package: 'any' }, ...entry });
    entries.push(whole);
    return new AiSdkProvider('any', whole.config, { create, version: 'v4' }, whole.services.transport as HttpTransport);
  };
  const ask = (asked: AiSdkProvider, request: Partial<ChatGenerationRequest> = {}, call = testCall({ upstreamModel: 'any-model' })) =>
    readAll(asked.generate({ ...chat, ...request }, call));

  /** A package whose model answers with what `answer` makes of its settings. */
  const packageOf =
    (answer: (settings: AiSdkSettings) => Promise<unknown>): CreateVendor =>
    (settings) => ({
      languageModel: () =>
        ({
          specificationVersion: 'v4',
          supportedUrls: {},
          doStream: () => answer(settings),
          doGenerate: () => answer(settings),
        }) as unknown as AiSdkModel,
    });

  /** What the model answers when it has read what the upstream answers. */
  const after =
    (answer: () => Promise<unknown>) =>
    async ({ fetch, baseURL }: AiSdkSettings): Promise<unknown> => {
      await (await fetch(`${baseURL}/chat`, { method: 'POST', body: '{}' })).text();
      return answer();
    };

  describe('asks through the transport', () => {
    it('by the entry’s proxy', async () => {
      const proxy = await LoopbackProxy.start();
      proxy.leadsTo = Number(new URL(upstream.origin).port);
      upstream.replies(sse(fixture('mistral-text.sse')));
      await ask(provider(mistral, { proxy: `http://127.0.0.1:${proxy.port}` }, 'http://127.0.0.1:9/v1'));
      expect(proxy.asked.map(({ target }) => target)).toEqual(['127.0.0.1:9']);
      await proxy.stop();
    });

    it('and reaches link-local addresses only where the entry says so', async () => {
      const proxy = await LoopbackProxy.start();
      proxy.leadsTo = Number(new URL(upstream.origin).port);
      upstream.replies(sse(fixture('mistral-text.sse')));
      const entry = { proxy: `http://127.0.0.1:${proxy.port}` };
      const base = 'http://169.254.169.254/v1';
      await expect(ask(provider(mistral, entry, base))).rejects.toMatchObject({ name: 'ProviderError', kind: 'unreachable' });
      expect(proxy.asked).toHaveLength(0);
      await ask(provider(mistral, { ...entry, allow_link_local: true }, base));
      expect(proxy.asked).toHaveLength(1);
      await proxy.stop();
    });

    it('and reaches this machine only where the entry may', async () => {
      upstream.replies(sse(fixture('mistral-text.sse')));
      const asked = ask(provider(mistral, { allow_private_addresses: false }));
      await expect(asked).rejects.toMatchObject({ name: 'ProviderError', kind: 'unreachable' });
    });

    it('and at no other address than the entry’s', async () => {
      const other = await LoopbackUpstream.start();
      const wandering = packageOf(async ({ fetch }) => {
        await fetch(`${other.origin}/v1/chat`, { method: 'POST', body: '{}' });
        throw new Error('it went');
      });
      await expect(ask(provider(wandering))).rejects.toMatchObject({
        kind: 'bad_response',
        message: expect.stringContaining(other.origin) as string,
      });
      expect(other.requests).toHaveLength(0);
      await other.stop();
    });

    it('or is refused where it has an answer all the same', async () => {
      const parts = [
        { type: 'text-delta', id: '0', delta: 'from elsewhere' },
        { type: 'finish', usage: {}, finishReason: { unified: 'stop', raw: 'stop' } },
      ];
      const silent = packageOf(() => Promise.resolve({ stream: ReadableStream.from(parts), content: [] }));
      for (const stream of [true, false])
        await expect(ask(provider(silent), { stream })).rejects.toMatchObject({
          kind: 'bad_response',
          message: expect.stringContaining('setting fetch') as string,
        });
    });

    it('without a key that the environment has for another address', async () => {
      const before = process.env['MISTRAL_API_KEY'];
      process.env['MISTRAL_API_KEY'] = 'key-of-the-environment';
      try {
        upstream.replies(sse(fixture('mistral-text.sse')));
        const whole = suiteEntry(`${upstream.origin}/v1`, { options: { package: 'any' }, api_key: undefined });
        entries.push(whole);
        const transport = whole.services.transport as HttpTransport;
        await ask(new AiSdkProvider('any', whole.config, { create: mistral, version: 'v4' }, transport));
        expect(JSON.stringify(upstream.requests[0]!.headers)).not.toContain('key-of-the-environment');
      } finally {
        if (before === undefined) delete process.env['MISTRAL_API_KEY'];
        else process.env['MISTRAL_API_KEY'] = before;
      }
    });

    it('with bodies of every form', async () => {
      upstream.replies(json('{}'));
      const bodies: [BodyOf, RegExp, RegExp][] = [
        ['text', /^text$/, /^text\/plain/],
        [new TextEncoder().encode('bytes'), /^bytes$/, /^undefined$/],
        [new TextEncoder().encode('buffer').buffer, /^buffer$/, /^undefined$/],
        [new URLSearchParams({ a: '1' }), /^a=1$/, /^application\/x-www-form-urlencoded/],
        [new Blob(['blob'], { type: 'text/csv' }), /^blob$/, /^text\/csv$/],
        [ReadableStream.from([new TextEncoder().encode('stream')]), /^stream$/, /^undefined$/],
      ];
      for (const [body, text, type] of bodies) {
        upstream.requests.length = 0;
        const asking = packageOf(async ({ fetch, baseURL }) => {
          const headers: Record<string, string> =
            body === 'text' ? { 'content-type': 'text/plain', Host: 'elsewhere', 'Accept-Encoding': 'gzip' } : {};
          await fetch(new URL(`${baseURL}/there?x=1`), { method: 'post', body: body as never, headers });
          throw new Error('enough');
        });
        await ask(provider(asking)).catch(() => undefined);
        const [asked] = upstream.requests;
        expect([asked?.method, asked?.path, asked?.headers.host]).toEqual(['POST', '/v1/there?x=1', new URL(upstream.origin).host]);
        expect(asked?.headers['accept-encoding']).toBe('identity');
        expect(asked?.body).toMatch(text);
        expect(String(asked?.headers['content-type'])).toMatch(type);
      }
    });

    it('and ends with the call, whether it heeds the abort or not', async () => {
      const abort = new AbortController();
      const deaf = packageOf(() => new Promise(() => undefined));
      const asking = ask(provider(deaf), {}, testCall({ signal: abort.signal }));
      abort.abort();
      expect(await asking).toEqual([]);
    });
  });

  describe('is limited', () => {
    it('in the length of an event', async () => {
      upstream.replies({ ...sse(`data: ${'x'.repeat(1024 * 1024)}`), endless: true });
      await expect(ask(provider(mistral))).rejects.toMatchObject({ kind: 'limit_exceeded' });
    });

    it('in the length of a whole answer, and of one in a form of its own', async () => {
      upstream.replies({ ...json(' '.repeat(1024 * 1024)), endless: true });
      const tooLong = { kind: 'limit_exceeded', message: 'The answer has more than 33554432 bytes.' };
      await expect(ask(provider(mistral), { stream: false })).rejects.toMatchObject(tooLong);
      upstream.replies({ headers: { 'content-type': 'application/x-ndjson' }, body: '\n'.repeat(1024 * 1024), endless: true });
      await expect(ask(provider(mistral))).rejects.toMatchObject(tooLong);
    });

    it.each([
      ['before it asks', () => new Promise(() => undefined), 'timeout'],
      ['before its answer', after(() => new Promise(() => undefined)), 'total_timeout'],
      ['within its answer', after(() => Promise.resolve({ stream: new ReadableStream() })), 'total_timeout'],
    ])('in its time, where the package hangs %s', async (_, answer, kind) => {
      upstream.replies(json('{}'));
      const clock = ManualClock.running();
      const { config } = suiteEntry(`${upstream.origin}/v1`, { options: { package: 'any' } });
      const transport = new HttpTransport(undefined, clock);
      const hanging = new AiSdkProvider('any', config, { create: packageOf(answer), version: 'v4' }, transport);
      const arrived = kind === 'total_timeout' && upstream.nextRequest();
      const failed = ask(hanging).catch((error: unknown) => error);
      const request = await arrived;
      await settled(() => (request ? request.sent() : 0));
      await clock.advance(config.timeouts.total);
      expect(await failed).toMatchObject({ name: 'ProviderError', kind, message: 'The package took too long to finish its answer' });
      await transport.onApplicationShutdown();
    });

    it('in the depth of what is parsed', async () => {
      const deep = '['.repeat(1_000) + ']'.repeat(1_000);
      upstream.replies(json(deep));
      await expect(ask(provider(mistral), { stream: false })).rejects.toMatchObject({ kind: 'limit_exceeded' });
      upstream.replies(sse(`data: ${deep}\n\n`));
      await expect(ask(provider(mistral))).rejects.toMatchObject({ kind: 'limit_exceeded' });
    });
  });

  it('never takes an answer of the other form for a whole one', async () => {
    upstream.replies(json(fixture('mistral-text.json')));
    await expect(ask(provider(mistral))).rejects.toMatchObject({ kind: 'bad_response' });
    upstream.replies(sse(fixture('mistral-text.sse')));
    await expect(ask(provider(mistral), { stream: false })).rejects.toMatchObject({ kind: 'bad_response' });
  });

  it('never takes parts without the last one for a whole answer', async () => {
    upstream.replies(json('{}'));
    const unended = packageOf(after(() => Promise.resolve({ stream: ReadableStream.from([]) })));
    await expect(ask(provider(unended))).rejects.toMatchObject({ kind: 'bad_response' });
  });

  it.each([
    ['text', { text: 'Přístav Göteborg — 灯火 — září. 🌆' }, { prompt_tokens: 12, prompt_tokens_details: { cached_tokens: 8 } }],
    [
      'reasoning',
      { text: 'Čtrnáct.', reasoning: 'Two boats.\n\nSedm beden každá.' },
      { completion_tokens_details: { reasoning_tokens: 64 } },
    ],
    ['tools', { toolCalls: [{ id: 'call_x7' }, { id: 'call_p0' }], finishReason: 'tool_calls' }, { prompt_tokens: 88 }],
  ])('asks OpenAI’s package with its provider_options, and reads %s, whole and streamed', async (name, choice, usage) => {
    const asked = provider(openai, { options: { package: 'any', provider_options: { openai: { store: false } } } });
    for (const stream of [false, true]) {
      upstream.replies(stream ? sse(fixture(`openai-${name}.sse`)) : json(fixture(`openai-${name}.json`)));
      expect(collect(await ask(asked, { stream }))).toMatchObject({ choices: [choice], usage });
      expect(JSON.parse(upstream.requests[0]!.body)).toMatchObject({ store: false });
    }
  });

  const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 9, ...fields })}\n\n`;
  const delta = event('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'Ah', logprobs: [] });
  const failed = (code: string) => ({ id: 'resp_1', status: 'failed', error: { code, message: 'No room' }, usage: null, output: [] });

  it.each<[string, string, string]>([
    ['before the output', event('error', { code: 'server_error', message: 'No room', param: null }), 'overloaded'],
    ['in the middle', delta + event('response.failed', { response: failed('server_error') }), 'overloaded'],
    ['that is a rate limit', delta + event('response.failed', { response: failed('rate_limit_exceeded') }), 'rate_limited'],
    ['instead of an end', delta, 'bad_response'],
    ['in an answer of status 200', JSON.stringify(failed('server_error')), 'overloaded'],
  ])('knows an error of OpenAI’s %s', async (_, body, kind) => {
    const stream = !body.startsWith('{');
    upstream.replies(stream ? sse(body) : json(body));
    await expect(ask(provider(openai), { stream })).rejects.toMatchObject({ kind });
  });

  it('names what the package has left out, and refuses where that changes the answer', async () => {
    for (const [stream, reply] of [
      [true, sse(fixture('openai-text.sse'))],
      [false, json(fixture('openai-text.json'))],
    ] as const) {
      upstream.replies(reply);
      const call = testCall({ upstreamModel: 'gpt-5.5' });
      const asked = { stream, temperature: 0.5, seed: 7, user: 'someone', extra: { min_p: 0.1 } };
      expect(collect(await ask(provider(openai), asked, call)).choices).toHaveLength(1);
      expect(call.droppedParameters.toSorted()).toEqual(['min_p', 'seed', 'temperature', 'user']);
      await expect(ask(provider(openai), { stream, stop: ['.'] })).rejects.toMatchObject({ kind: 'parameter_ignored', parameter: 'stop' });
    }
  });

  describe('given an address by a client', () => {
    const picture: ContentPart = { type: 'image_url', image_url: { url: 'https://pictures.example/cat.png' } };
    const messages = [{ role: 'user' as const, content: [picture] }];

    it('passes it on where its model takes addresses, and nobody fetches it', async () => {
      upstream.replies(sse(fixture('openai-text.sse')));
      await ask(provider(openai), { messages });
      expect(upstream.requests).toHaveLength(1);
      expect(JSON.parse(upstream.requests[0]!.body)).toMatchObject({
        input: [{ content: [{ type: 'input_image', image_url: 'https://pictures.example/cat.png' }] }],
      });
    });

    it('is not asked where it does not', async () => {
      upstream.replies(sse(fixture('mistral-text.sse')));
      await expect(ask(provider(mistral), { messages })).rejects.toMatchObject({
        kind: 'invalid_request',
        message: 'messages[0].content[0] has an address, which this model does not take; send a data: URL',
      });
      expect(upstream.requests).toHaveLength(0);
    });
  });
});

type BodyOf = string | Uint8Array | ArrayBuffer | URLSearchParams | Blob | ReadableStream;

describe('the models of an entry', () => {
  const offered = async (packageName: string, entry: Record<string, unknown>, version: 'v3' | 'v4' = 'v4') => {
    const { config, services, ...made } = suiteEntry('http://127.0.0.1:1/v1', { options: { package: packageName }, ...entry });
    const provider = new AiSdkProvider(
      'any',
      config,
      { create: createMistral, version },
      services.transport as HttpTransport,
      services.facts,
    );
    await made.close();
    return { models: await provider.models(), open: provider.open('any-name') };
  };

  it('have public prices and limits where the package’s vendor is known', async () => {
    const { models, open } = await offered('@ai-sdk/mistral', { models: { mine: { upstream_model: 'mistral-large-latest' } } });
    expect(models).toMatchObject([{ id: 'mine', upstreamModel: 'mistral-large-latest', price: expect.anything() as unknown }]);
    expect(open).toBeUndefined();
  });

  it('have what the operator says of any other', async () => {
    const { models } = await offered('acme', { models: { 'mistral-large-latest': {} } });
    expect(models[0]?.price).toBeUndefined();
    const terms = { pricing: { prompt: '1', completion: '2' }, context_length: 1_000, max_tokens: 100, parameters: ['stop'] };
    const told = { price: terms.pricing, contextLength: 1_000, maxTokens: 100, parameters: ['stop'] };
    expect(await offered('acme', { models: { any: terms }, open: terms })).toMatchObject({ models: [told], open: told });
  });

  it('take what the package can be told', async () => {
    const { models: newest } = await offered('acme', { models: { any: {} } });
    expect(newest[0]?.parameters).toEqual(
      expect.arrayContaining(['max_tokens', 'stop', 'tools', 'tool_choice', 'response_format', 'seed', 'top_k', 'reasoning_effort']),
    );
    for (const name of ['n', 'logprobs', 'user', 'logit_bias', 'parallel_tool_calls', 'suffix', 'echo'])
      expect(newest[0]?.parameters).not.toContain(name);
    const { models: older } = await offered('acme', { models: { any: {} } }, 'v3');
    expect(older[0]?.parameters).not.toContain('reasoning_effort');
    const { models: plain } = await offered('acme', { models: { any: { capabilities: { function_calling: false, json_mode: false } } } });
    for (const name of ['tools', 'tool_choice', 'response_format']) expect(plain[0]?.parameters).not.toContain(name);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../src/cli/testing/run-command.js';
import type { CacheBreakpoint } from '../src/config/provider.schema.js';
import { Database } from '../src/database/database.js';
import { RequestHistories } from '../src/observability/request-history.js';
import type { Reply } from '../src/providers/testing/loopback-upstream.js';
import { said } from '../src/wire/testing/said.js';
import { Gateway } from './support/gateway.js';
import { jsonReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { expectError } from './support/wire-schemas.js';

const pricing = { prompt: '0.003', completion: '0.015', cached_input: '0.0003', cache_write_5m: '0.00375', cache_write_1h: '0.006' };
const { cache_write_5m: _5m, cache_write_1h: _1h, ...unpriced } = pricing;
const facts = { context_length: 100_000, max_tokens: 1_000 };
const mark = { type: 'ephemeral' };
const hour = { type: 'ephemeral', ttl: '1h' };
const explicit = { mode: 'explicit' };

const json = (body: object): Reply => jsonReply(body);
const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
const chatAnswer = { choices: [{ index: 0, message: said.assistant('Hi'), finish_reason: 'stop' }], usage };
const geminiAnswer = { candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] };
const claudeAnswer = (counts: object = { input_tokens: 10, output_tokens: 1 }) => ({
  type: 'message',
  role: 'assistant',
  content: [said.text('Hi')],
  stop_reason: 'end_turn',
  usage: counts,
});

const tool = (more: object = {}) => ({
  type: 'function',
  function: { name: 'look', parameters: { type: 'object', properties: {} } },
  ...more,
});
const part = (text: string, more: object = {}) => ({ type: 'text', text, ...more });

interface SentBody {
  messages: { role: string; content: unknown }[];
  tools: { cache_control?: object }[];
  system?: unknown;
  cache_control?: object;
  prompt_cache_key?: string;
}

describe('Caching of prompts', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const at = (type: string | undefined, models: object) => ({
      ...(type && { type }),
      base_url: type && type !== 'openai' && type !== 'openrouter' && type !== 'xai' ? upstream.origin : `${upstream.origin}/v1`,
      api_key: 'key',
      models,
    });
    const all: CacheBreakpoint[] = ['tools', 'system', 'last_turns'];
    return Gateway.start(
      {
        providers: {
          router: at('openrouter', { 'anthropic/one': { ...facts, pricing }, 'openai/one': { ...facts, pricing } }),
          gpt: at('openai', { gpt: { ...facts, pricing }, old: { ...facts, pricing: unpriced } }),
          grok: at('xai', { grok: { ...facts, pricing: unpriced } }),
          google: at('gemini', { gemini: { ...facts, pricing } }),
          other: at(undefined, {
            other: { ...facts, pricing },
            plain: { ...facts, pricing: unpriced },
            short: { ...facts, pricing: { ...unpriced, cache_write_5m: '0.00375' } },
          }),
          claude: at('anthropic', {
            claude: { ...facts, pricing },
            marking: { ...facts, pricing, cache_breakpoints: all },
            unknown: { ...facts, pricing: unpriced, cache_breakpoints: all },
          }),
        },
        models: {
          routed: { cache_breakpoints: ['system'], offers: [{ provider: 'router', model: 'anthropic/one', cache_breakpoints: all }] },
          foreign: { offers: [{ provider: 'gpt', model: 'gpt' }], cache_breakpoints: all },
        },
      },
      '1000000',
    );
  });
  beforeEach(() =>
    upstream.replies(({ path }) =>
      json(path.includes('generateContent') ? geminiAnswer : path.includes('messages') ? claudeAnswer() : chatAnswer),
    ),
  );

  const ask = (model: string, more: object) => gateway.post('chat/completions', { model, max_tokens: 5, ...more });
  const sent = () => JSON.parse(upstream.requests.at(-1)!.body) as SentBody;
  const dropped = (response: { headers: Record<string, string> }) => response.headers['x-switchyard-dropped-parameters'];
  const markedBody = (cache_control: object) => ({
    messages: [said.system([part('Be brief.', { cache_control })]), said.user([part('Ahoj', { cache_control })])],
    tools: [tool({ cache_control })],
  });

  describe('as the client asks for it', () => {
    it.each([mark, hour])('goes on to Anthropic from system text, messages and tools: %j', async (cache_control) => {
      expect(dropped(await ask('claude', markedBody(cache_control)))).toBeUndefined();
      expect(sent()).toMatchObject({
        system: [part('Be brief.', { cache_control })],
        messages: [said.user([part('Ahoj', { cache_control })])],
        tools: [{ name: 'look', cache_control }],
      });
    });

    it('goes on to Anthropic for the request as a whole', async () => {
      const messages = [said.user('Ahoj')];
      expect(dropped(await ask('claude', { messages, cache_control: mark }))).toBeUndefined();
      expect(sent().cache_control).toEqual(mark);
    });

    it.each(['anthropic/one', 'openai/one', 'other'])('goes on in the OpenAI format to %s', async (model) => {
      for (const cache_control of [mark, hour]) {
        expect(dropped(await ask(model, markedBody(cache_control)))).toBeUndefined();
        expect(sent()).toMatchObject(markedBody(cache_control));
      }
    });

    it.each(['gpt', 'gemini', 'old', 'unknown'])('is dropped, and named, where it means nothing or has no price: %s', async (model) => {
      expect(dropped(await ask(model, markedBody(mark)))).toBe('cache_control');
      expect(upstream.requests[0]!.body).not.toContain('cache_control');
    });

    const call = said.call('c', 'look', '{"cache_control":1}');
    const properties = { cache_control: { type: 'string' } };
    const assistant = said.assistant('Hi');
    const toolResult = said.result('c', 'Seen');
    it.each<[string, object]>([
      ['a call', { messages: [{ ...assistant, tool_calls: [{ ...call, cache_control: mark }] }, toolResult] }],
      [
        'its function',
        { messages: [{ ...assistant, tool_calls: [{ ...call, function: { ...call.function, cache_control: mark } }] }, toolResult] },
      ],
      ['reasoning', { messages: [{ ...assistant, reasoning_details: [{ type: 'reasoning.text', text: 'Hm', cache_control: mark }] }] }],
      ['other letters', { messages: [said.user([part('Ahoj', { Cache_Control: mark })])] }],
      ['something in a part', { messages: [said.user([part('Ahoj', { x: [{ CACHE_CONTROL: mark }] })])] }],
      ['a schema', { tools: [tool({ function: { name: 'look', parameters: { type: 'object', cache_control: mark } } })] }],
    ])('is dropped wherever it is, where it has no price: %s', async (_where, body) => {
      const whole = { messages: [said.user('Ahoj')], ...body };
      expect(dropped(await ask('plain', whole))).toBe('cache_control');
      expect(upstream.requests[0]!.body).not.toMatch(/"cache_control"/i);
      expect(dropped(await ask('other', whole))).toBeUndefined();
      expect(upstream.requests[1]!.body).toMatch(/"cache_control"/i);
    });

    it('is no mark in what the client names itself', async () => {
      const messages = [said.user('cache_control'), { ...assistant, tool_calls: [call] }, toolResult];
      const body = { messages, tools: [tool({ function: { name: 'look', parameters: { type: 'object', properties } } })] };
      expect(dropped(await ask('plain', body))).toBeUndefined();
      expect(sent()).toMatchObject(body);
    });

    it.each([[[hour]], 'ttl', { type: 'ephemeral', TTL: '1h' }])(
      'for nobody knows how long needs the price of an hour: %j',
      async (odd) => {
        expect(dropped(await ask('short', markedBody(odd as object)))).toBe('cache_control');
      },
    );

    it('goes on as a breakpoint of OpenAI where writing has a price', async () => {
      const body = { messages: [said.user([part('Ahoj', { prompt_cache_breakpoint: explicit })])] };
      expect(dropped(await ask('gpt', body))).toBeUndefined();
      expect(sent()).toMatchObject(body);
      expect(dropped(await ask('old', body))).toBe('prompt_cache_breakpoint');
      expect(upstream.requests.at(-1)!.body).not.toContain('prompt_cache_breakpoint');
    });

    it('goes on as the key and the retention of a prompt', async () => {
      const messages = [said.user('Ahoj')];
      const named = { prompt_cache_key: 'thread', prompt_cache_retention: '24h' };
      for (const model of ['gpt', 'old', 'other']) {
        expect(dropped(await ask(model, { messages, ...named }))).toBeUndefined();
        expect(sent()).toMatchObject(named);
      }
      expect(dropped(await ask('anthropic/one', { messages, ...named }))).toBe('prompt_cache_retention');
      expect(sent().prompt_cache_key).toBe('thread');
    });

    it('goes on to xAI as the header that it reads, where it can be one', async () => {
      const messages = [said.user('Ahoj')];
      for (const [prompt_cache_key, header] of [
        ['thread-7', 'thread-7'],
        ['a\r\nx-other: b', undefined],
        ['é', undefined],
        ['x'.repeat(257), undefined],
        [7, undefined],
        [undefined, undefined],
      ]) {
        expect((await ask('grok', { messages, prompt_cache_key })).status).toBe(200);
        expect(upstream.requests.at(-1)!.headers['x-grok-conv-id']).toBe(header);
        expect(upstream.requests.at(-1)!.headers).not.toHaveProperty('x-other');
      }
    });

    it('is refused by the vendor where there are more than four marks', async () => {
      const message = 'A maximum of 4 blocks with cache_control may be provided. Found 5.';
      upstream.replies({ ...json({ type: 'error', error: { type: 'invalid_request_error', message } }), status: 400 });
      const content = Array.from({ length: 5 }, (_, index) => part(`part ${index}`, { cache_control: mark }));
      const answer = await ask('claude', { messages: [said.user(content)] });
      expectError(answer, 400, 'invalid_request');
      expect(answer.body.error.message).toContain('maximum of 4 blocks');
      expect(sent().messages[0]!.content).toEqual(content);
    });
  });

  describe('where the gateway sets the marks', () => {
    const messages = [
      said.system('Be brief.'),
      said.user('One'),
      said.assistant('Hi'),
      said.user('Two'),
      said.assistant('Hi'),
      said.user('Three'),
    ];
    const own = { cache_control: mark };

    it('marks tools, system prompt and the last two turns at Anthropic', async () => {
      const response = await ask('marking', { messages, tools: [tool(), tool({ function: { name: 'hear' } })] });
      expect([response.status, dropped(response)]).toEqual([200, undefined]);
      const body = sent();
      expect(body.tools.map(({ cache_control }) => cache_control)).toEqual([undefined, mark]);
      expect(body.system).toEqual([part('Be brief.', own)]);
      expect(body.messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
        [part('One')],
        [part('Two', own)],
        [part('Three', own)],
      ]);
    });

    it('marks the same places in the OpenAI format, as the offer says rather than the model', async () => {
      await ask('routed', { messages, tools: [tool()] });
      const body = sent();
      expect(body.tools).toEqual([tool(own)]);
      expect([0, 3, 5].map((index) => body.messages[index]!.content)).toEqual(
        ['Be brief.', 'Two', 'Three'].map((text) => [part(text, own)]),
      );
      expect(body.messages[1]).toEqual(messages[1]);
    });

    it('marks nothing beside the marks of the client', async () => {
      const marked = [said.system([part('Be brief.', { cache_control: hour })]), messages[1]];
      await ask('marking', { messages: marked, tools: [tool()] });
      expect(upstream.requests[0]!.body.split('cache_control')).toHaveLength(2);
    });

    it.each(['claude', 'unknown', 'foreign'])('marks nothing unless it is on, priced, and understood: %s', async (model) => {
      const response = await ask(model, { messages, tools: [tool()] });
      expect([response.status, dropped(response)]).toEqual([200, undefined]);
      expect(upstream.requests[0]!.body).not.toContain('cache_control');
    });

    it('holds what writing costs', async () => {
      const body = { max_tokens: 1, messages: [said.user('x'.repeat(10_000))] };
      // 10,000 x 0.003 are less than this, and 10,000 x 0.006 are more.
      const poor = await gateway.newCustomer('0.04');
      expect((await gateway.post('chat/completions', { model: 'claude', ...body }, poor.liveKey)).status).toBe(200);
      expectError(await gateway.post('chat/completions', { model: 'marking', ...body }, poor.liveKey), 402, 'insufficient_credits');
    });

    it('shows where it has marked a request, and what came of it', async () => {
      const counts = { input_tokens: 10, cache_creation_input_tokens: 1_000, cache_read_input_tokens: 2_000, output_tokens: 10 };
      upstream.replies(json(claudeAnswer(counts)));
      const histories = new RequestHistories(gateway.running.app.get(Database));
      const shown = async (model: string): Promise<string> => {
        const id = (await ask(model, { messages })).headers['x-request-id']!;
        await until(async () => {
          const { lines, status = null } = (await histories.find(id)) ?? {};
          return lines !== undefined && status !== null;
        }, 'the record and the lines of the charge');
        const file = join(gateway.running.config.store.data_dir, 'for-the-command-line.json');
        writeFileSync(file, JSON.stringify({ store: gateway.running.config.store }));
        const { code, out } = await runCommand('requests', 'show', id, '--config', file);
        expect(code).toBe(0);
        return out;
      };
      const text = await shown('marking');
      expect(text).toMatch(/^breakpoints +set by the gateway: system, last_turns \(claude\/marking\)$/m);
      // 2,000 x (0.003 - 0.0003), and 1,000 x (0.00375 - 0.003), each for 1,000
      expect(text).toMatch(/^saved +0\.0054 credits/m);
      expect(text).toMatch(/^cache writes +0\.00075 credits more/m);
      expect(await shown('claude')).not.toContain('breakpoints');
    });
  });
});

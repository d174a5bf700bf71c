import { join } from 'node:path';
import type { JsonObject } from '../src/wire/json-object.js';
import { said } from '../src/wire/testing/said.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { noonChat as completion, noonMessage as message } from './support/vendor-answers.js';
import { jsonReply } from './support/openai-bytes.js';
import { publishedMembers } from './support/published-members.js';
import { useGateway, useUpstream } from './support/started.js';
import { text, wholeResponse } from './support/vendor-response.js';
import { cohereVendor } from './vendors/cohere-vendor.js';
import { geminiVendor } from './vendors/gemini-vendor.js';
import { ollamaVendor } from './vendors/ollama-vendor.js';
import { json, type Vendor } from './vendors/vendor.js';

useLoopbackOnly();

const folder = process.env['SWITCHYARD_VENDOR_SCHEMAS'];
const [describePublished, reason] = folder ? [describe, ''] : [describe.skip, ' (SWITCHYARD_VENDOR_SCHEMAS names no folder)'];

const response = { headers: json, body: wholeResponse([text('Noon.')]) };

const question = said.user('Go.');
const parameters = { type: 'object', properties: {} };
const mark = { prompt_cache_breakpoint: { mode: 'explicit' } };

/** What items of answers have beside what they say, and what asks for nothing, as the documents have it. */
const spared = [
  /\.caller(\(direct\)|$)/,
  /\.citations$/,
  /^\.tools\[\]\.type$/,
  /^\.input\[\].*\.(id|\w+_id|status|type)$/,
  /^\.input\[\]\(code_interpreter_call\)/,
  /^\.input\[\]\(reasoning\)\.content$/,
  /^\.(model|metadata|include|max_tool_calls|parallel_tool_calls|n|function_call|output_config)$/,
  /^\.tool_choice/,
  /^\.reasoning\.generate_summary$/,
  /^\.tools\[\]\(custom\)\.custom\.format$/,
];

/** Vendors of other formats than those of clients, and the ends of their addresses. */
const others = [geminiVendor, cohereVendor, ollamaVendor];
const addresses: Readonly<Record<string, string>> = { Gemini: ':generateContent', Cohere: '/v2/chat', Ollama: '/api/chat' };
const isAsked = ({ name }: Vendor, path: string): boolean => path.endsWith(addresses[name]!);

const asItIs = (body: JsonObject): JsonObject => body;

/** The turns of a request as answers of the model, between questions. */
const answered = ({ messages, ...body }: JsonObject): JsonObject => ({
  ...body,
  ...(Array.isArray(messages) && { messages: [question, ...messages.map((turn: object) => ({ ...turn, role: 'assistant' })), question] }),
});

interface Sent {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
  /** Why the gateway itself has refused it. */
  readonly refusal: string;
}

/** Whether the member, or what it is in, is named. */
const isNamed = ({ dropped }: Sent, member: string): boolean => {
  const names = member.split(/[.[\]()]+/);
  return dropped.some((name) => names.includes(name.split('.').at(-1)!));
};

describe('A member of a request that a vendor publishes', () => {
  const upstream = useUpstream(() => undefined);
  const gateway = useGateway(() => {
    const entry = (type: string | undefined, path: string, model: string) => ({
      ...(type && { type }),
      base_url: `${upstream.origin}${path}`,
      api_key: 'key',
      free: true,
      models: { [model]: {} },
    });
    return Gateway.start({
      providers: {
        openai: entry('openai', '/v1', 'gpt'),
        anthropic: entry('anthropic', '', 'claude-opus-5'),
        engine: entry(undefined, '/v1', 'engine'),
        responding: { ...entry(undefined, '/v1', 'responding'), options: { responses: true } },
        mistral: entry('mistral', '/v1', 'mistral-small-latest'),
        groq: entry('groq', '/openai/v1', 'llama-3.3-70b-versatile'),
        ...Object.fromEntries(others.map((vendor) => [vendor.name.toLowerCase(), vendor.provider(upstream.origin)])),
      },
    });
  });
  beforeEach(() => {
    upstream.requests.length = 0;
    upstream.replies(({ path }) => {
      const other = others.find((vendor) => isAsked(vendor, path));
      if (other) return other.answer({ text: 'Noon.' }, false);
      return path.endsWith('/responses') ? response : jsonReply(path.endsWith('/messages') ? message : completion);
    });
  });

  /** What the vendor gets, and what is told as left out. */
  async function sent(path: string, model: string, body: object): Promise<Sent> {
    const before = upstream.requests.length;
    // Answers repeat what is in tools and texts, whatever it is.
    const answer = await gateway.stream(path, { stream: false, ...body, model });
    const read = await answer.text();
    const asked = upstream.requests.length > before ? upstream.requests.at(-1)!.body : '{}';
    const told = answer.headers['x-switchyard-dropped-parameters'] as string | undefined;
    return {
      body: JSON.parse(asked) as JsonObject,
      dropped: told?.split(', ') ?? [],
      refusal: upstream.requests.length > before ? '' : read,
    };
  }

  const inResponses = { input: [{ ...question, content: [{ type: 'input_text', text: 'Go.' }] }] };
  const inMessages = { max_tokens: 9, messages: [question] };
  const tool = { name: 'look', input_schema: parameters };
  const format = { type: 'json_schema', schema: { ...parameters, additionalProperties: false } };

  it.each<[string, string, string, object, object]>([
    ['reasoning.mode', 'responses', 'gpt', { ...inResponses, reasoning: { mode: 'pro' } }, { reasoning: { mode: 'pro' } }],
    ['reasoning.context', 'responses', 'gpt', { ...inResponses, reasoning: { context: 'auto' } }, { reasoning: { context: 'auto' } }],
    [
      'tools.web_search.external_web_access',
      'responses',
      'gpt',
      { ...inResponses, tools: [{ type: 'web_search', external_web_access: false }] },
      { tools: [{ type: 'web_search', external_web_access: false }] },
    ],
    [
      'tools.defer_loading',
      'messages',
      'claude-opus-5',
      { ...inMessages, tools: [{ ...tool, defer_loading: true }] },
      { tools: [{ defer_loading: true }] },
    ],
    [
      'output_config.task_budget',
      'messages',
      'claude-opus-5',
      { ...inMessages, output_config: { task_budget: { type: 'tokens', total: 90_000 } } },
      { output_config: { task_budget: { type: 'tokens', total: 90_000 } } },
    ],
    [
      'thinking.display',
      'messages',
      'claude-opus-5',
      { ...inMessages, thinking: { type: 'adaptive', display: 'omitted' } },
      { thinking: { type: 'adaptive', display: 'omitted' } },
    ],
  ])('%s goes to the vendor of the format, and is named elsewhere', async (name, path, model, body, expected) => {
    const own = await sent(path, model, body);
    expect(own.dropped).not.toContain(name);
    expect(own.body).toMatchObject(expected);
    const other = await sent(path, 'engine', body);
    if (path === 'responses' && 'tools' in body) expect(other.refusal).toContain('web_search');
    else expect(other.dropped).toContain(name);
  });

  it.each([{ temperature: 1 }, { top_p: 0.9 }, { top_k: 3 }, { service_tier: 'auto' }])(
    '%j is left out alone where the model does not take it',
    async (setting) => {
      const body = { output_config: { task_budget: { type: 'tokens', total: 90_000 } } };
      const own = await sent('messages', 'claude-opus-5', { ...inMessages, ...body, ...setting });
      expect(own.dropped).toEqual(Object.keys(setting));
      expect(own.body).toMatchObject(body);
    },
  );

  it.each([
    ['gpt', (body: JsonObject) => body['input']],
    ['engine', (body: JsonObject) => body['messages']],
  ])('a mark of OpenAI’s cache reaches %s', async (model, messagesOf) => {
    const { body, dropped } = await sent('responses', model, {
      input: [{ ...question, content: [{ type: 'input_text', text: 'Go.', ...mark }] }],
    });
    expect(messagesOf(body)).toMatchObject([{ role: 'user', content: [{ text: 'Go.', ...mark }] }]);
    expect(dropped).toEqual([]);
  });

  it.each([
    ['claude-opus-5', { output_config: { format } }],
    ['engine', { response_format: { type: 'json_schema', json_schema: { schema: format.schema, strict: true } } }],
  ])('the older output_format keeps its schema at %s', async (model, expected) => {
    expect((await sent('messages', model, { ...inMessages, output_format: format })).body).toMatchObject(expected);
  });

  it('reasoning without a signature is named where its vendor cannot go on with it', async () => {
    const thought = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] };
    const body = { input: [question, thought, said.assistant('Noon.'), question] };
    expect((await sent('responses', 'gpt', body)).dropped).toEqual(['input.reasoning']);
    const { body: asked, dropped } = await sent('responses', 'engine', body);
    expect([JSON.stringify(asked).includes('Hm.'), dropped]).toEqual([true, []]);
  });

  it.each(['mode', 'context'])('reasoning.%s goes to an address of the format that hosts no tools', async (name) => {
    const reasoning = { [name]: 'auto' };
    const { body, dropped } = await sent('responses', 'responding', { ...inResponses, reasoning });
    expect([body['reasoning'], dropped]).toEqual([reasoning, []]);
  });

  it('encrypted reasoning is named where a vendor’s messages have no place for it', async () => {
    const thought = { type: 'reasoning', summary: [], encrypted_content: 'enc' };
    const body = { input: [question, thought, said.assistant('Noon.'), question] };
    expect((await sent('responses', 'gpt', body)).dropped).toEqual([]);
    for (const model of ['mistral-small-latest', 'llama-3.3-70b-versatile'])
      expect((await sent('responses', model, body)).dropped).toEqual(['reasoning.encrypted_content']);
  });

  it('citations of an earlier answer go to Claude, and are named elsewhere', async () => {
    const citations = [{ type: 'char_location', cited_text: 'N', document_index: 0, start_char_index: 0, end_char_index: 1 }];
    const body = { max_tokens: 9, messages: [question, said.assistant([{ ...said.text('Noon.'), citations }]), question] };
    const { body: asked, dropped } = await sent('messages', 'claude-opus-5', body);
    expect([asked['messages'], dropped]).toEqual([body.messages, []]);
    for (const model of ['gpt', 'engine', 'mistral-small-latest', ...others.map((vendor) => vendor.model)])
      expect((await sent('messages', model, body)).dropped).toEqual(['messages.content.text.citations']);
  });

  const unheard = { unheard: 1 };
  it('a member of a message goes to an engine, and is named where the vendor would refuse it', async () => {
    const body = { messages: [{ ...question, ...unheard }] };
    const { body: asked, dropped } = await sent('chat/completions', 'engine', body);
    expect([asked['messages'], dropped]).toEqual([body.messages, []]);
    for (const model of ['gpt', 'mistral-small-latest', 'llama-3.3-70b-versatile'])
      expect((await sent('chat/completions', model, body)).dropped).toEqual(['messages.unheard']);
  });

  it.each<[string, string, object]>([
    ['text.unheard', 'responses', { ...inResponses, text: unheard }],
    ['text.format.text.unheard', 'responses', { ...inResponses, text: { format: { type: 'text', ...unheard } } }],
    ['reasoning.unheard', 'responses', { ...inResponses, reasoning: unheard }],
    ['tools.function.unheard', 'responses', { ...inResponses, tools: [{ type: 'function', name: 'look', parameters, ...unheard }] }],
    ['tools.namespace.unheard', 'responses', { ...inResponses, tools: [{ type: 'namespace', name: 'n', tools: [], ...unheard }] }],
    ['input.unheard', 'responses', { input: [{ ...question, ...unheard }] }],
    ['input.input_text.unheard', 'responses', { input: [{ ...question, content: [{ type: 'input_text', text: 'Go.', ...unheard }] }] }],
    ['stream_options.unheard', 'responses', { ...inResponses, stream: true, stream_options: unheard }],
    ['tools.unheard', 'messages', { ...inMessages, tools: [{ ...tool, ...unheard }] }],
    ['tool_choice.auto.unheard', 'messages', { ...inMessages, tools: [tool], tool_choice: { type: 'auto', ...unheard } }],
    ['messages.unheard', 'messages', { ...inMessages, messages: [{ ...question, ...unheard }] }],
    ['messages.content.text.unheard', 'messages', { ...inMessages, messages: [said.user([{ ...said.text('Go.'), ...unheard }])] }],
    ['system.text.unheard', 'messages', { ...inMessages, system: [{ ...said.text('Be brief.'), ...unheard }] }],
    ['output_config.unheard', 'messages', { ...inMessages, output_config: unheard }],
    ['thinking.disabled.unheard', 'messages', { ...inMessages, thinking: { type: 'disabled', ...unheard } }],
    ['metadata.unheard', 'messages', { ...inMessages, metadata: unheard }],
    ['stream_options.unheard', 'chat/completions', { messages: [question], stream: true, stream_options: unheard }],
  ])('that nobody knows is named: %s', async (name, path, body) => {
    for (const model of ['gpt', 'claude-opus-5', 'engine']) expect((await sent(path, model, body)).dropped).toContain(name);
  });

  describePublished(`is passed on, refused or named${reason}`, () => {
    it.each<[string, string, string, object, RegExp?]>([
      ['openai/requests-sdk', 'responses', 'gpt', { input: 'Go.' }],
      ['openai/requests-sdk', 'chat/completions', 'gpt', { messages: [question] }],
      ['anthropic/requests-beta', 'messages', 'claude-opus-5', inMessages],
      ['anthropic/requests-beta', 'messages', 'engine', inMessages],
      ['anthropic/requests-beta', 'messages', 'gpt', inMessages],
      ['anthropic/requests-beta', 'messages', cohereVendor.model, inMessages],
      ...others.flatMap(({ model }): [string, string, string, object, RegExp][] => [
        ['openai/requests-sdk', 'responses', model, { input: 'Go.' }, /\.prompt_cache_breakpoint$/],
        ['openai/requests-sdk', 'chat/completions', model, { messages: [question] }, /\.prompt_cache_breakpoint$/],
      ]),
    ])(
      '%s, %s, %s',
      async (file, path, model, base, alone = /(?:)/) => {
        const vanished: string[] = [];
        let tried = 0;
        const seen = new Map<string, Promise<Sent>>();
        const outcome = (body: JsonObject): Promise<Sent> => {
          const key = JSON.stringify(body);
          const known = seen.get(key) ?? sent(path, model, body);
          seen.set(key, known);
          return known;
        };
        const members = publishedMembers(join(folder!, `${file}.json`), path).filter((member) => alone.test(member.path));
        for (const form of path === 'messages' ? [asItIs, answered] : [asItIs]) {
          // What is in a member that is refused or named has gone with it.
          const gone: string[] = [];
          for (const { path: member, present, absent } of members) {
            if (gone.some((above) => member.startsWith(above)) || spared.some((expression) => expression.test(member))) continue;
            const [one, other] = [await outcome(form({ ...base, ...present })), await outcome(form({ ...base, ...absent }))];
            tried++;
            if (one.refusal !== '' || isNamed(one, member)) gone.push(member);
            else if (JSON.stringify(one) === JSON.stringify(other)) vanished.push(member);
          }
        }
        expect(vanished).toEqual([]);
        expect(tried).toBeGreaterThan(members.length / 20);
      },
      120_000,
    );
  });
});

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
import { bedrockVendor } from './vendors/bedrock-vendor.js';
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
  /^\.tools\[\]\.type$/,
  /^\.input\[\].*\.(id|\w+_id|status|type|execution)$/,
  /^\.input\[\]\(code_interpreter_call\)/,
  /^\.input\[\]\(reasoning\)\.content$/,
  /^\.(model|metadata|include|max_tool_calls|parallel_tool_calls|n|function_call|output_config|stream|text|truncation)$/,
  /^\.tool_choice/,
  /^\.reasoning\.generate_summary$/,
  // Five minutes, which are those of a mark without a time.
  /\.cache_control\(ephemeral\)\.ttl$/,
  // Text, which is the form without one.
  /^\.(response_format|text\.format)$/,
  /\(custom\)(\.custom)?\.format$/,
  // Schemas of answers are kept to by all that take them.
  /\(json_schema\)(\.json_schema)?\.strict$/,
  // An action without commands, a file that is there as data, and no parameters.
  /^\.input\[\]\(shell_call\)\.action$/,
  /\(input_file\)\.file_url$/,
  /\.input_schema\(object\)/,
];

/** Vendors of other formats than those of clients, and the ends of their addresses. */
const others = [geminiVendor, cohereVendor, ollamaVendor];
const addresses: Readonly<Record<string, string>> = { Gemini: ':generateContent', Cohere: '/v2/chat', Ollama: '/api/chat' };
const isAsked = ({ name }: Vendor, path: string): boolean => path.endsWith(addresses[name]!);

type Form = (body: JsonObject) => JsonObject;

/** Gives a request what it needs, and puts a conversation of its own between questions: an answer is to the last one. */
const within =
  (base: JsonObject, name: string, before: readonly object[], turn: (one: object) => object = (one) => one): Form =>
  (body) => {
    const given = body[name];
    return { ...base, ...body, ...(Array.isArray(given) && { [name]: [question, ...before, ...given.map(turn), question] }) };
  };

const bare = { input: 'Go.' };
const called = { type: 'function_call', call_id: 'text', name: 'called', arguments: '{}' };
const forms: Readonly<Record<string, readonly [file: string, ...Form[]]>> = {
  responses: ['openai/requests-sdk', within(bare, 'input', [called])],
  'chat/completions': [
    'openai/requests',
    within({ messages: [question] }, 'messages', [said.assistant(null, [said.call('text', 'called', '{}')])]),
  ],
  messages: [
    'anthropic/requests-beta',
    (body) => ({ max_tokens: 9, messages: [question], ...body }),
    within({ max_tokens: 9, messages: [question] }, 'messages', [], (turn) => ({ ...turn, role: 'assistant' })),
  ],
};

const seeing = { capabilities: { vision: true } };

interface Sent {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
  /** Why the gateway itself has refused it. */
  readonly refusal: string;
}

/** Whether the member, or what it is in, is named. */
const isNamed = ({ dropped }: Sent, member: string): boolean => {
  const names = member.replaceAll('input_file', 'file').split(/[.[\]()]+/);
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
      models: { [model]: seeing },
    });
    return Gateway.start({
      providers: {
        openai: entry('openai', '/v1', 'gpt'),
        anthropic: entry('anthropic', '', 'claude-opus-5'),
        engine: entry(undefined, '/v1', 'engine'),
        responding: { ...entry(undefined, '/v1', 'responding'), options: { responses: true } },
        mistral: entry('mistral', '/v1', 'mistral-small-latest'),
        groq: entry('groq', '/openai/v1', 'llama-3.3-70b-versatile'),
        ...Object.fromEntries(
          [bedrockVendor, ...others].map(({ name, model, provider }) => [
            name.toLowerCase(),
            { ...provider(upstream.origin), models: { [model]: seeing } },
          ]),
        ),
      },
    });
  });
  beforeEach(() => {
    upstream.requests.length = 0;
    upstream.replies(({ path }) => {
      const other = others.find((vendor) => isAsked(vendor, path));
      if (other) return other.answer({ text: 'Noon.' }, false);
      if (path.endsWith('/converse')) return bedrockVendor.answer({ text: 'Noon.' }, false);
      return path.endsWith('/responses') ? response : jsonReply(/\/(messages|invoke)$/.test(path) ? message : completion);
    });
  });

  /** What the vendor gets, and what is told as left out. */
  async function sent(path: string, model: string, body: object): Promise<Sent> {
    const before = upstream.requests.length;
    // Answers repeat what is in tools and texts, whatever it is.
    const answer = await gateway.stream(path, { stream: false, ...body, model });
    const read = await answer.text();
    // What lists models has no body.
    const asked = upstream.requests.slice(before).filter(({ body: sentBody }) => sentBody !== '');
    const told = answer.headers['x-switchyard-dropped-parameters'] as string | undefined;
    return {
      body: JSON.parse(asked.at(-1)?.body ?? '{}') as JsonObject,
      dropped: told?.split(', ') ?? [],
      refusal: asked.length > 0 ? '' : read,
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

  const translating = ['gpt', 'engine', 'claude-opus-5', bedrockVendor.model, ...others.map(({ model }) => model)];

  it.each(translating)('annotations beside a reference at the root of a schema reach %s, or are named', async (model) => {
    const schema = { $ref: '#/$defs/A', title: 'Titled.', $defs: { A: { ...format.schema, description: 'Its own.' } } };
    const named = { name: 'n', description: 'Described.', schema };
    const { body, dropped } = await sent('chat/completions', model, {
      messages: [question],
      response_format: { type: 'json_schema', json_schema: named },
      tools: [{ type: 'function', function: { ...named, schema: undefined, parameters: schema } }],
    });
    const [asked, told] = [JSON.stringify(body), dropped.join()];
    expect(asked.split('Titled.')).toHaveLength(3);
    expect(asked.split('Described.').length + Number(told.includes('response_format.json_schema.description'))).toBe(3);
  });

  it.each<[string, string, boolean]>([
    ...translating.flatMap((model): [string, string, boolean][] =>
      ['responses', 'chat/completions'].map((path) => [path, model, model === 'gpt']),
    ),
    ['responses', 'responding', true],
  ])(
    'an image is seen as large as it is where the vendor has a word for that, which is named elsewhere: %s, %s, %p',
    async (path, model, has) => {
      const url = 'data:image/png;base64,iVBORw0KGgo=';
      const large = [{ type: 'image_url', image_url: { url, detail: 'original' } }];
      const inInput = [{ type: 'input_image', image_url: url, detail: 'original' }];
      const name = 'messages.content.image_url.detail';
      const { body, dropped } = await sent(
        path,
        model,
        path === 'responses' ? { input: [said.user(inInput)] } : { messages: [said.user(large)] },
      );
      expect([JSON.stringify(body).includes('"detail":"original"'), dropped.includes(name)]).toEqual([has, !has]);
    },
  );

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
  const translated = ['claude-opus-5', ...others.map((vendor) => vendor.model)];
  it.each<[object, readonly string[]] | [object]>([
    [unheard],
    [{ annotations: [{ type: 'url_citation' }] }],
    [{ extra_content: unheard }, []],
  ])(
    'a member of a message goes to an engine, and is named where the vendor would not read it: %j',
    async (more, elsewhere = translated) => {
      const body = { messages: [{ ...question, ...more }] };
      const { body: asked, dropped } = await sent('chat/completions', 'engine', body);
      expect([asked['messages'], dropped]).toEqual([body.messages, []]);
      for (const model of ['gpt', 'mistral-small-latest', 'llama-3.3-70b-versatile', ...elsewhere])
        expect((await sent('chat/completions', model, body)).dropped).toContain(`messages.${Object.keys(more)[0]}`);
    },
  );

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
    it.each<[string, string]>([
      ...translating.map((model): [string, string] => ['responses', model]),
      ...[...translating, 'mistral-small-latest', 'llama-3.3-70b-versatile'].map((model): [string, string] => ['chat/completions', model]),
      ...translating.map((model): [string, string] => ['messages', model]),
    ])(
      '%s, %s',
      async (path, model) => {
        const vanished: string[] = [];
        let tried = 0;
        const seen = new Map<string, Promise<Sent>>();
        const outcome = (body: JsonObject): Promise<Sent> => {
          const key = JSON.stringify(body);
          const known = seen.get(key) ?? sent(path, model, body);
          seen.set(key, known);
          return known;
        };
        const [file, ...ways] = forms[path]!;
        const members = publishedMembers(join(folder!, `${file}.json`), path);
        for (const form of ways) {
          // What is in a member that is refused or named has gone with it.
          const gone: string[] = [];
          for (const { path: member, present, absent } of members) {
            if (gone.some((above) => member.startsWith(above)) || spared.some((expression) => expression.test(member))) continue;
            const [one, other] = [await outcome(form(present)), await outcome(form(absent))];
            tried++;
            if (isNamed(one, member) || (one.refusal.includes(member.split('.').at(-1)!) && other.refusal === '')) gone.push(member);
            else if (one.refusal === '' && JSON.stringify(one) === JSON.stringify(other)) vanished.push(member);
          }
        }
        expect(vanished).toEqual([]);
        expect(tried).toBeGreaterThan(members.length / 20);
      },
      120_000,
    );
  });
});

import { accumulate } from '../src/wire/accumulate.js';
import { StreamedMessage } from '../src/messages/testing/streamed-message.js';
import type { MessageStreamEvent } from '../src/wire/anthropic-message.js';
import type { GenerationChunk } from '../src/wire/generation.js';
import { said } from '../src/wire/testing/said.js';
import { chatFormat } from './formats/chat-format.js';
import type { Format } from './formats/format.js';
import { messagesFormat } from './formats/messages-format.js';
import { responsesFormat } from './formats/responses-format.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { noonMessage as message } from './support/vendor-answers.js';
import { chatEvents, jsonReply } from './support/openai-bytes.js';
import { ResponseStreamMachine } from './support/response-stream.js';
import { useGateway, useUpstream } from './support/started.js';
import { anthropicVendor } from './vendors/anthropic-vendor.js';
import { bedrockVendor } from './vendors/bedrock-vendor.js';
import { chatCompletionsVendor } from './vendors/chat-completions-vendor.js';
import { cohereVendor } from './vendors/cohere-vendor.js';
import { geminiVendor } from './vendors/gemini-vendor.js';
import { ollamaVendor } from './vendors/ollama-vendor.js';
import { sse } from './vendors/vendor.js';

useLoopbackOnly();

const facts = { google: { thought_signature: 'c2lnbmVk' } };
const call = { id: 'call_1', type: 'function' as const, function: { name: 'now', arguments: '{}' }, extra_content: facts };
const chat = {
  choices: [{ index: 0, message: said.assistant(null, [call]), finish_reason: 'tool_calls' }],
  usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
};

const base64 = (json: string) => Buffer.from(json).toString('base64url');

describe('What clients carry back for vendors', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    upstream.replies(({ path }) => jsonReply(path.endsWith('/messages') ? message : chat));
    return Gateway.start({
      providers: {
        engine: { base_url: `${upstream.origin}/v1`, free: true, models: { engine: {} } },
        claude: { type: 'anthropic', base_url: upstream.origin, api_key: 'key', models: { 'claude-haiku-4-5': {} } },
      },
    });
  });

  const question = said.user('What time is it?');
  const tool = { name: 'now', input_schema: { type: 'object' } };
  const inMessages = (content: object[], model = 'engine') => ({
    model,
    max_tokens: 50,
    tools: [tool],
    messages: [question, said.assistant(content), said.user([{ type: 'tool_result', tool_use_id: 'call_1', content: 'Noon.' }])],
  });
  const inResponses = (items: object[]) => ({
    model: 'engine',
    include: ['reasoning.encrypted_content'],
    tools: [{ type: 'function', name: 'now', parameters: {} }],
    input: [question, ...items, { type: 'function_call_output', call_id: 'call_1', output: 'Noon.' }],
  });
  const use = { type: 'tool_use', id: 'call_1', name: 'now', input: {} };
  const called = { type: 'function_call', call_id: 'call_1', name: 'now', arguments: '{}' };
  const asked = () => JSON.parse(upstream.requests.at(-1)!.body) as { messages: { tool_calls?: { extra_content?: object }[] }[] };

  it('is what the vendor gave, in both formats', async () => {
    const { body } = await gateway.post('messages', { model: 'engine', max_tokens: 50, tools: [tool], messages: [question] }).expect(200);
    const { content } = body as { content: object[] };
    const again = await gateway.post('messages', inMessages(content)).expect(200);
    expect(asked().messages[1]!.tool_calls).toMatchObject([{ extra_content: facts }]);
    const { body: response } = await gateway.post('responses', { ...inResponses([]), input: [question] }).expect(200);
    const { output } = response as { output: object[] };
    const answer = await gateway.post('responses', inResponses(output)).expect(200);
    expect(asked().messages[1]!.tool_calls).toMatchObject([{ extra_content: facts }]);
    for (const { headers } of [again, answer]) expect(headers['x-switchyard-dropped-parameters']).toBeUndefined();
  });

  const forged = `switchyard:${base64(JSON.stringify({ extra_content: facts }))}`;

  it('is left out of messages where it is forged, and told so', async () => {
    const content = [{ type: 'thinking', thinking: 'Hm.', signature: forged }, { type: 'redacted_thinking', data: forged }, use];
    for (const model of ['engine', 'claude-haiku-4-5']) {
      const { headers } = await gateway.post('messages', inMessages(content, model)).expect(200);
      expect(headers['x-switchyard-dropped-parameters']?.split(', ')).toEqual(
        expect.arrayContaining(['thinking.signature', 'redacted_thinking.data']),
      );
      expect(upstream.requests.at(-1)!.body).not.toMatch(/switchyard|signature|thought|\[\[|n4999/);
    }
    const { headers } = await gateway.post('messages/count_tokens', inMessages(content)).expect(200);
    expect(headers['x-switchyard-dropped-parameters']).toBe('thinking.signature, redacted_thinking.data');
  });

  it('is left out of responses where it is forged, and told so', async () => {
    const reasoning = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: forged };
    const { headers } = await gateway.post('responses', inResponses([reasoning, called])).expect(200);
    expect(headers['x-switchyard-dropped-parameters']).toBe('reasoning.encrypted_content');
    expect(upstream.requests.at(-1)!.body).not.toMatch(/switchyard|signature|\[\[|n4999/);
  });

  it('is read by every gateway of a store, and by no other one', async () => {
    const { body } = await gateway.post('messages', { model: 'engine', max_tokens: 50, tools: [tool], messages: [question] }).expect(200);
    await using other = await Gateway.start({
      providers: { engine: { base_url: `${upstream.origin}/v1`, free: true, models: { engine: {} } } },
    });
    const { headers } = await other.post('messages', inMessages((body as { content: object[] }).content)).expect(200);
    expect(headers['x-switchyard-dropped-parameters']).toBe('redacted_thinking.data');
  });
});

const opened = { id: 'call_1', name: 'read_file', arguments: { path: 'a.txt' } };
const written = said.call('call_1', 'read_file', '{"path":"a.txt"}');
const ofAnswer = { google: { thought_signature: 'YW5zd2Vy' } };
const claudeDetail = { type: 'reasoning.text', text: 'Let me see.', signature: 'c2lnbmVk', format: 'anthropic-claude-v1', index: 0 };
const sealedDetail = { type: 'reasoning.encrypted', data: 'c2VhbGVk', id: 'rs_1', format: 'openai-responses-v1', index: 1 };

/** A vendor of the chat format whose answer has these members beside a call; its stream has them in these deltas. */
const chatVendor = (members: object, deltas: readonly object[] = [members], made: object = written) => ({
  answer: (_answer: object, stream: boolean) => {
    if (!stream)
      return jsonReply({
        ...chat,
        choices: [{ ...chat.choices[0], message: { ...said.assistant(null), ...members, tool_calls: [made] } }],
      });
    const all = [{ role: 'assistant' }, ...deltas, { tool_calls: [{ index: 0, ...made }] }];
    const body = chatEvents(...all.map((delta) => [{ index: 0, delta, finish_reason: null }]), [
      { index: 0, delta: {}, finish_reason: 'tool_calls' },
    ]);
    return { headers: sse, body: `${body}data: [DONE]\n\n` };
  },
});

/**
 * What vendors want to have back, and where the next request must have it. Cohere, Ollama and Mistral sign and encrypt
 * nothing. OpenAI encrypts in Responses alone, where the client has the vendor's own items
 * (responses-native.e2e-spec.ts).
 */
const proofs = {
  Anthropic: [anthropicVendor, { messages: [{}, { content: [{ type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' }, {}] }, {}] }],
  Bedrock: [
    bedrockVendor,
    { messages: [{}, { content: [{ reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2lnbmVk' } } }, {}] }, {}] },
  ],
  Gemini: [geminiVendor, { contents: [{}, { parts: [{ thoughtSignature: expect.stringMatching(/^EoQB/) as unknown }] }, {}] }],
  'extra_content of a call': [
    chatVendor({}, [], { ...written, extra_content: facts }),
    { messages: [{}, { tool_calls: [{ extra_content: facts }] }, {}] },
  ],
  'extra_content of an answer': [chatVendor({ extra_content: ofAnswer }), { messages: [{}, { extra_content: ofAnswer }, {}] }],
  'reasoning_details of OpenRouter': [
    chatVendor({ reasoning: 'Let me see.', reasoning_details: [claudeDetail, sealedDetail] }, [
      { reasoning: 'Let me ', reasoning_details: [{ ...claudeDetail, text: 'Let me ', signature: undefined }] },
      { reasoning: 'see.', reasoning_details: [{ ...claudeDetail, text: 'see.', signature: undefined }] },
      { reasoning_details: [{ ...claudeDetail, text: undefined }, sealedDetail] },
    ]),
    { messages: [{}, { reasoning_details: [claudeDetail, sealedDetail] }, {}] },
  ],
} as const;

/** How a client of each format sends an answer back, as it came. */
const replays: ReadonlyMap<
  Format,
  { whole: (body: unknown) => object[]; streamed: (text: string) => object[]; result: object; conversation: string; more?: object }
> = new Map([
  [
    chatFormat,
    {
      conversation: 'messages',
      whole: (body) => [(body as typeof chat).choices[0]!.message],
      streamed: (text) => {
        const chunks = text
          .split('\n\n')
          .filter((line) => line.startsWith('data: {'))
          .map((line) => JSON.parse(line.slice(6)) as GenerationChunk);
        return [accumulate(chunks).choices[0]!.delta!];
      },
      result: said.result('call_1', 'Red.'),
    },
  ],
  [
    messagesFormat,
    {
      conversation: 'messages',
      whole: (body) => [said.assistant((body as { content: object[] }).content)],
      streamed: (text) => {
        const events = text
          .split('\n\n')
          .filter(Boolean)
          .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as MessageStreamEvent);
        return [said.assistant(StreamedMessage.of(events).content)];
      },
      result: said.user([{ type: 'tool_result', tool_use_id: 'call_1', content: 'Red.' }]),
    },
  ],
  [
    responsesFormat,
    {
      conversation: 'input',
      more: { include: ['reasoning.encrypted_content'] },
      whole: (body) => (body as { output: object[] }).output,
      streamed: (text) => ResponseStreamMachine.run(text).output,
      result: { type: 'function_call_output', call_id: 'call_1', output: 'Red.' },
    },
  ],
]);

const clients = [...replays].map(([format, replay]) => ({ name: format.name, format, replay }));
const cells = Object.entries(proofs).flatMap(([name, [vendor, expected]]) =>
  [false, true].map((stream) => ({ name, vendor, expected, stream })),
);

describe.each(clients)('What a client of $name carries back', ({ format, replay }) => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const router = {
      type: 'openrouter',
      base_url: `${upstream.origin}/v1`,
      api_key: 'key',
      free: true,
      models: { chat: { context_length: 100_000 } },
    };
    const [anthropic, bedrock, gemini] = [anthropicVendor, bedrockVendor, geminiVendor].map(({ provider }) => provider(upstream.origin));
    return Gateway.start({ providers: { router, anthropic, bedrock, gemini } });
  });
  const tools = [{ name: 'read_file', description: 'Reads a file', parameters: { type: 'object', properties: {} } }];
  // Clients of the format join the pieces of OpenRouter themselves.
  const own = cells.filter(({ name, stream }) => format !== chatFormat || !stream || !name.startsWith('reasoning_details'));

  it.each(own)('$name (stream: $stream)', async ({ vendor, expected, stream }) => {
    upstream.replies(({ path }) => {
      const answerOf = path.includes('invoke') ? bedrockVendor.messages! : vendor.answer;
      return answerOf({ thought: 'Hm.', calls: [opened] }, stream);
    });
    const model = 'model' in vendor ? vendor.model : 'chat';
    const question = format.body(model, { text: 'Which colour?', tools, effort: 'low', limit: 4_000 }, stream);
    const first = { ...question, ...replay.more } as Record<string, object[]>;
    const answer = stream
      ? replay.streamed(await (await gateway.stream(format.path, first)).text())
      : replay.whole((await gateway.post(format.path, first).expect(200)).body);
    const { conversation } = replay;
    const next = { ...first, [conversation]: [...first[conversation]!, ...answer, replay.result] };
    expect((await gateway.stream(format.path, next)).status).toBe(200);
    // Bedrock has Anthropic's own form for clients of it.
    const wire = vendor === bedrockVendor && format === messagesFormat ? proofs.Anthropic[1] : expected;
    expect(JSON.parse(upstream.requests.at(-1)!.body)).toMatchObject(wire);
  });
});

/** What clients carry back, each with the name by which it is reported. */
const carriedProofs = {
  'thinking.signature': { thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' }] },
  'redacted_thinking.data': { thinking_blocks: [{ type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' }] },
  'reasoning.encrypted_content': { thinking_blocks: [{ type: 'redacted_thinking', data: 'ZW5jcnlwdGVk', wire: 'openai-responses' }] },
  reasoning_details: { reasoning_details: [sealedDetail] },
  extra_content: { tool_calls: [{ ...written, extra_content: facts }] },
};
const takers = [
  [anthropicVendor, ['thinking.signature', 'redacted_thinking.data']],
  [bedrockVendor, ['thinking.signature', 'redacted_thinking.data']],
  [geminiVendor, ['extra_content']],
  [cohereVendor, []],
  [ollamaVendor, []],
  [chatCompletionsVendor, ['thinking.signature', 'redacted_thinking.data', 'reasoning_details', 'extra_content']],
] as const;

describe('What a client carries back for another vendor', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() =>
    Gateway.start({
      routing: { strict_parameters: true },
      providers: Object.fromEntries(takers.map(([{ provider }], index) => [`p${index}`, provider(upstream.origin)])),
    }),
  );

  it.each(takers.map(([vendor, taken]) => ({ name: vendor.name, vendor, taken: taken as readonly string[] })))(
    'is left out and named, and refuses nothing: $name',
    async ({ vendor, taken }) => {
      upstream.replies(vendor.answer({ text: 'Noon.' }, false));
      for (const [name, proof] of Object.entries(carriedProofs)) {
        const tool_calls = [written];
        const messages = [said.user('Read.'), { ...said.assistant(null, tool_calls), ...proof }, said.result('call_1', '{}')];
        const { headers } = await gateway.post('chat/completions', { model: vendor.model, messages }).expect(200);
        expect(headers['x-switchyard-dropped-parameters']).toBe(taken.includes(name) ? undefined : name);
      }
    },
  );

  it('is left out and named, and refuses nothing, where no gateway of the store has written it', async () => {
    upstream.replies(chatCompletionsVendor.answer({ text: 'Noon.' }, false));
    const data = 'switchyard.forged';
    const { model } = chatCompletionsVendor;
    const messages = [said.user('Read.'), said.assistant([{ type: 'redacted_thinking', data }]), said.user('Go on.')];
    const input = [said.user('Read.'), { type: 'reasoning', summary: [], encrypted_content: data }, said.user('Go on.')];
    const answers = [
      await gateway.post('messages', { model, max_tokens: 50, messages }).expect(200),
      await gateway.post('responses', { model, input }).expect(200),
    ];
    expect(answers.map(({ headers }) => headers['x-switchyard-dropped-parameters'] as string)).toEqual([
      'redacted_thinking.data',
      'reasoning.encrypted_content',
    ]);
  });
});

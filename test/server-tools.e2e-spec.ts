import { StreamedMessage } from '../src/messages/testing/streamed-message.js';
import { blocksOf } from './support/event-stream.js';
import { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { useGateway, useLedgerChecks, useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { said } from '../src/wire/testing/said.js';
import type { AnthropicMessage, MessageStreamEvent } from '../src/wire/anthropic-message.js';
import { bedrockVendor } from './vendors/bedrock-vendor.js';
import { json, piecesOf, sse } from './vendors/vendor.js';

type Block = { readonly type: string } & Readonly<Record<string, unknown>>;

const tokens = { prompt: '0.001', completion: '0.001' };
const facts = { upstream_model: 'claude-haiku-4-5', context_length: 100_000, max_tokens: 1_000 };
const citation = {
  type: 'web_search_result_location',
  url: 'https://tides.example',
  title: 'Tides',
  encrypted_index: 'ei',
  cited_text: 'Noon.',
};
const found = { type: 'web_search_result', url: 'https://tides.example', title: 'Tides', encrypted_content: 'enc', page_age: null };
const searched: Block[] = [
  { type: 'text', text: 'Let me look.', citations: null },
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'tides' } },
  { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [found] },
  { type: 'text', text: 'High', citations: [citation] },
  { type: 'text', text: ' at noon.', citations: null },
];
const ran = (content: readonly object[]): Block[] => [
  { type: 'server_tool_use', id: 'srvtoolu_2', name: 'bash_code_execution', input: { command: 'ls' } },
  {
    type: 'bash_code_execution_tool_result',
    tool_use_id: 'srvtoolu_2',
    content: { type: 'bash_code_execution_result', stdout: 'a.txt', stderr: '', return_code: 0, content },
  },
];
const webSearch = { type: 'web_search_20250305', name: 'web_search', max_uses: 3, allowed_domains: ['tides.example'] };
const execution = { type: 'code_execution_20250825', name: 'code_execution' };

/** How a block comes in a stream. */
function deltasOf({ type, text, citations, input }: Block): [begun: object, deltas: object[]] {
  if (type === 'server_tool_use')
    return [{ input: {} }, piecesOf(JSON.stringify(input)).map((partial_json) => ({ type: 'input_json_delta', partial_json }))];
  if (type !== 'text') return [{}, []];
  const cited = ((citations ?? []) as object[]).map((one) => ({ type: 'citations_delta', citation: one }));
  const begun = citations ? { text: '', citations: [] } : { text: '', citations: undefined };
  return [begun, [...cited, ...piecesOf(text as string).map((piece) => ({ type: 'text_delta', text: piece }))]];
}

function streamed(blocks: readonly Block[], end: object, usage: object): string {
  const events: { type: string }[] = [];
  const say = (type: string, more: object = {}): void => void events.push({ type, ...more });
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null };
  say('message_start', { message: { ...message, usage: { input_tokens: 100, output_tokens: 1 } } });
  for (const [index, block] of blocks.entries()) {
    const [begun, deltas] = deltasOf(block);
    say('content_block_start', { index, content_block: { ...block, ...begun } });
    for (const delta of deltas) say('content_block_delta', { index, delta });
    say('content_block_stop', { index });
  }
  say('message_delta', { delta: { stop_sequence: null, ...end }, usage });
  say('message_stop');
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

describe('Tools that Anthropic runs or has declared', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const claude = { type: 'anthropic', base_url: upstream.origin, api_key: 'sk-ant' };
    return Gateway.start({
      providers: {
        claude: {
          ...claude,
          models: {
            claude: { ...facts, pricing: { ...tokens, search: '10', hosted_call: '5' } },
            unpriced: { ...facts, pricing: tokens },
          },
        },
        vertex: {
          type: 'vertex',
          base_url: upstream.origin,
          api_key: 'key',
          options: { project: 'harbour-1' },
          models: { vertex: { ...facts, pricing: { ...tokens, search: '10' } } },
        },
        bedrock: {
          type: 'bedrock',
          base_url: upstream.origin,
          api_key: 'key',
          options: { region: 'eu-central-1' },
          models: { bedrock: { ...facts, max_tokens: 5_000, upstream_model: 'anthropic.claude-haiku-4-5-20251001-v1:0', pricing: tokens } },
        },
        other: { base_url: `${upstream.origin}/v1`, free: true, models: { other: {} } },
      },
    });
  });
  useLedgerChecks(gateway);

  const sent = () => JSON.parse(upstream.requests.at(-1)!.body) as { messages: object[]; tools: object[] };
  const ask = { model: 'claude', max_tokens: 100, messages: [said.user('When is high tide?')] };
  const play = (blocks: readonly Block[], made: object = {}, stop_reason = 'end_turn'): void => {
    const usage = { input_tokens: 100, output_tokens: 100, server_tool_use: made };
    upstream.replies(({ body }) => {
      const { stream } = JSON.parse(body) as { stream: boolean };
      const whole = { id: 'msg_1', type: 'message', role: 'assistant', content: blocks, stop_reason, stop_sequence: null, usage };
      return stream
        ? { headers: sse, body: streamed(blocks, { stop_reason }, usage), cuts: [100, 901] }
        : { headers: json, body: JSON.stringify(whole) };
    });
  };

  async function answered(body: object, key?: string): Promise<AnthropicMessage> {
    const text = await (await gateway.stream('messages', { stream: false, ...ask, ...body }, { key })).text();
    if (text.startsWith('{')) return JSON.parse(text) as AnthropicMessage;
    return StreamedMessage.of(blocksOf(text).map((block) => JSON.parse(block.slice(block.indexOf('{'))) as MessageStreamEvent));
  }

  describe.each([false, true])('streamed: %p', (stream) => {
    it('are passed on, and their blocks come back and go on as they came', async () => {
      play(searched, { web_search_requests: 1, web_fetch_requests: 2 });
      const before = await gateway.balance();
      const { content, usage } = await answered({ stream, tools: [webSearch] });
      expect(content).toEqual(searched);
      expect(usage.server_tool_use).toEqual({ web_search_requests: 1, web_fetch_requests: 2 });
      // 200 tokens and a search
      expect(before - (await gateway.balance())).toBe(10_200_000n);
      expect(sent().tools).toEqual([webSearch]);
      const messages = [...ask.messages, said.assistant(content), said.user('And tomorrow?')];
      await answered({ stream, tools: [webSearch], messages });
      expect(sent().messages).toEqual(messages);
    });

    it('may pause, and go on where the answer is sent back', async () => {
      play(searched.slice(0, 2), {}, 'pause_turn');
      const { content, stop_reason } = await answered({ stream, tools: [webSearch] });
      expect([content, stop_reason]).toEqual([searched.slice(0, 2), 'pause_turn']);
      const messages = [...ask.messages, said.assistant(content)];
      const answer = await gateway.post('messages', { ...ask, tools: [webSearch], messages }).expect(200);
      expect(answer.headers['x-switchyard-dropped-parameters']).toBeUndefined();
      expect(sent().messages).toEqual(messages);
    });

    it('run code, whose calls are charged, without files of the account', async () => {
      play([...ran([{ type: 'bash_code_execution_output', file_id: 'file_1' }]), ...searched], { web_search_requests: 1 });
      const before = await gateway.balance();
      const { content } = await answered({ stream, tools: [execution, webSearch] });
      expect(content).toEqual([...ran([]), ...searched]);
      expect(before - (await gateway.balance())).toBe(15_200_000n);
      const messages = [...ask.messages, said.assistant(content), said.user('Next.')];
      await answered({ stream, tools: [execution], messages });
      expect(sent().messages).toEqual(messages);
    });

    it('cost no more than may be used, and code within a search nothing', async () => {
      play([...ran([]), ...searched], { web_search_requests: 7 });
      const before = await gateway.balance();
      await answered({ stream, tools: [webSearch] });
      expect(before - (await gateway.balance())).toBe(30_200_000n);
    });

    it('cost no more than each of them may be used, and nothing where it was not asked for', async () => {
      play([...ran([]), ...searched], { web_search_requests: 7 });
      for (const [tools, cost] of [
        [[execution, webSearch], 35_200_000n],
        [[execution], 5_200_000n],
      ] as const) {
        const before = await gateway.balance();
        await answered({ stream, tools });
        expect(before - (await gateway.balance())).toBe(cost);
      }
    });
  });

  it.each<[string, number, string, number]>([
    ['before a search', 1, 'look.', 0],
    ['behind it', 3, 'encrypted_content', 1],
  ])('cost what has been made where the client leaves %s', async (_when, shown, text, searches) => {
    const customer = await gateway.newCustomer('1');
    const body = streamed(searched.slice(0, shown), {}, {});
    upstream.replies({ headers: sse, body: body.slice(0, body.indexOf('event: message_delta')), ending: 'stall' });
    const answer = await gateway.stream('messages', { ...ask, tools: [webSearch] }, { key: customer.liveKey });
    await until(() => answer.received.includes(text), 'the block');
    answer.leave();
    const [row] = await gateway.usage(1, customer);
    // A token is 1,000, and a search 10,000,000.
    expect([row!.outcome, Number(row!.amount / 10_000_000n)]).toEqual(['client_left', searches]);
  });

  it('are used so often at most as is held', async () => {
    play(searched);
    const poor = await gateway.newCustomer('0.15');
    await answered({ tools: [webSearch] }, poor.liveKey);
    const { type, name } = webSearch;
    await gateway.post('messages', { ...ask, tools: [{ type, name }] }, poor.liveKey).expect(402);
    const unlimited = [
      { type, name },
      { type: 'web_fetch_20250910', name: 'web_fetch' },
    ];
    await answered({ tools: unlimited });
    expect(sent().tools).toEqual(unlimited.map((tool) => ({ ...tool, max_uses: 20 })));
  });

  it.each([
    [{ type: 'bash_20250124', name: 'bash' }],
    [{ type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 500 }],
    [{ type: 'memory_20250818', name: 'memory' }],
    [{ type: 'web_fetch_20250910', name: 'web_fetch', citations: { enabled: true }, max_uses: 2 }],
    [{ type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }],
  ])('cost nothing beside their tokens, beside tools of the client: %j', async (tool) => {
    play([{ type: 'tool_use', id: 't', name: 'bash', input: { command: 'ls' } }], {}, 'tool_use');
    const own = { name: 'own', input_schema: { type: 'object', properties: {} } };
    const { content } = await answered({ model: 'unpriced', tools: [tool, own], tool_choice: { type: 'auto' } });
    expect(content).toMatchObject([{ type: 'tool_use', name: 'bash', input: { command: 'ls' } }]);
    expect(sent().tools).toEqual([tool, own]);
  });

  const bash = { type: 'bash_20250124', name: 'bash' };
  const memory = { type: 'memory_20250818', name: 'memory' };
  const regex = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
  it.each<[string, object, string | undefined]>([
    ['vertex', webSearch, 'web-search-2025-03-05'],
    ['vertex', { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }, 'tool-search-tool-2025-10-19'],
    ...['vertex', 'bedrock'].flatMap((cloud): [string, object, string | undefined][] => [
      [cloud, bash, undefined],
      [cloud, { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' }, undefined],
      [cloud, { type: 'computer_20251124', name: 'computer', display_width_px: 800, display_height_px: 600 }, 'computer-use-2025-11-24'],
      [cloud, memory, 'context-management-2025-06-27'],
      [cloud, regex, 'tool-search-tool-2025-10-19'],
    ]),
  ])('go on to %s, by the feature that it wants: %j, %s', async (cloud, tool, feature) => {
    play([{ type: 'tool_use', id: 't', name: 'bash', input: { command: 'ls' } }], {}, 'tool_use');
    const own = { name: 'own', input_schema: { type: 'object', properties: {} }, defer_loading: true };
    const headers = { 'anthropic-beta': 'structured-outputs-2025-11-13' };
    const answer = await gateway
      .post('messages', { ...ask, model: cloud, tools: [tool, own] })
      .set(headers)
      .expect(200);
    expect(answer.body).toMatchObject({ content: [{ type: 'tool_use', name: 'bash', input: { command: 'ls' } }] });
    expect(answer.headers['x-switchyard-dropped-parameters']).toBeUndefined();
    expect(sent().tools).toEqual([tool, own]);
    const { headers: asked, body } = upstream.requests.at(-1)!;
    expect([asked['anthropic-beta'], (JSON.parse(body) as { anthropic_beta?: string[] }).anthropic_beta?.join(',')]).toEqual(
      cloud === 'vertex' ? [feature, undefined] : [undefined, feature],
    );
  });

  it.each([
    ['vertex', ran([]), { tools: [{ name: 'bash_code_execution' }, memory] }],
    ['bedrock', searched, { additionalModelRequestFields: { tools: [memory], anthropic_beta: ['context-management-2025-06-27'] } }],
  ])('are put in words in the history of %s, which does not have them, beside those that it has', async (cloud, blocks, told) => {
    if (cloud === 'bedrock') upstream.replies(bedrockVendor.answer({ text: 'Noon.' }, false));
    else play([{ type: 'text', text: 'Noon.' }]);
    const messages = [...ask.messages, said.assistant(blocks), said.user('And tomorrow?')];
    await gateway.post('messages', { ...ask, model: cloud, messages, tools: [memory] }).expect(200);
    expect(JSON.stringify(sent())).not.toContain('server_tool_use');
    expect(sent()).toMatchObject(told);
  });

  it('are no searches for tools where Converse is asked: the tools are offered at once', async () => {
    upstream.replies(bedrockVendor.answer({ text: 'Noon.' }, false));
    const own = { name: 'own', input_schema: { type: 'object', properties: {} }, defer_loading: true };
    const content = { type: 'tool_search_tool_search_result', tool_references: [{ type: 'tool_reference', tool_name: 'own' }] };
    const history = [
      said.assistant([
        { type: 'server_tool_use', id: 'srvtoolu_3', name: 'tool_search_tool_regex', input: { pattern: 'own' } },
        { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_3', content },
        said.text('Found.'),
        { type: 'tool_use', id: 'toolu_1', name: 'own', input: {} },
      ]),
      said.user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Noon.' }]),
      said.assistant('Noon.'),
      said.user('And tomorrow?'),
    ];
    const body = {
      ...ask,
      model: 'bedrock',
      max_tokens: 5_000,
      // The model does not think so, and is not asked with what the client wrote.
      thinking: { type: 'adaptive', display: 'omitted' },
      messages: [...ask.messages, ...history],
      tools: [regex, own, memory],
    };
    const { headers } = await gateway.post('messages', body).expect(200);
    expect(headers['x-switchyard-dropped-parameters']).toBe('tools.tool_search_tool_regex_20251119, tools.defer_loading, thinking.display');
    expect(sent()).toMatchObject({
      toolConfig: { tools: [{ toolSpec: { name: 'own' } }] },
      additionalModelRequestFields: { tools: [memory], anthropic_beta: ['context-management-2025-06-27'] },
    });
  });

  it('are searched with and called by vertex, which reads its blocks again', async () => {
    play(searched, { web_search_requests: 1 });
    const before = await gateway.balance();
    const { content } = await answered({ model: 'vertex', stream: true, tools: [webSearch] });
    expect(content).toEqual(searched);
    expect(before - (await gateway.balance())).toBe(10_200_000n);
    const messages = [...ask.messages, said.assistant(content), said.user('And tomorrow?')];
    await answered({ model: 'vertex', messages });
    expect(sent().messages).toEqual(messages);
  });

  it.each<[string, object, RegExp]>([
    ['have no price', { model: 'unpriced', tools: [webSearch] }, /has no price for calls of the hosted tool 'web_search_20250305'/],
    ['nobody else has', { model: 'other', tools: [webSearch] }, /does not have the hosted tool 'web_search_20250305'/],
    ['vertex does not have', { model: 'vertex', tools: [execution] }, /does not have the hosted tool 'code_execution_20250825'/],
    ['bedrock does not have', { model: 'bedrock', tools: [webSearch] }, /does not have the hosted tool 'web_search_20250305'/],
    ['nobody knows', { tools: [{ type: 'time_travel_20990101', name: 'x' }] }, /tools\[0\]\.type: tools of the type 'time_travel/],
    ['are used less than once', { tools: [{ ...webSearch, max_uses: 0 }] }, /tools\[0\]\.max_uses/],
    ['reach containers of the account', { tools: [{ ...execution, configs: { container: 'c' } }] }, /container/],
  ])('are refused where they %s', async (_what, body, message) => {
    upstream.requests.length = 0;
    const { body: refused } = (await gateway.post('messages', { ...ask, ...body }).expect(400)) as { body: { error: { message: string } } };
    expect(refused.error.message).toMatch(message);
    expect(upstream.requests).toEqual([]);
  });

  it('are left out where they search for tools that another model is told of at once', async () => {
    upstream.replies(chatReply('Hi'));
    const own = { name: 'own', input_schema: { type: 'object', properties: {} }, defer_loading: true };
    const tools = [{ type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }, own];
    const { headers } = await gateway.post('messages', { ...ask, model: 'other', tools }).expect(200);
    expect(headers['x-switchyard-dropped-parameters']).toBe('tools.tool_search_tool_bm25_20251119, tools.defer_loading');
    expect(sent().tools).toMatchObject([{ function: { name: 'own' } }]);
  });
});

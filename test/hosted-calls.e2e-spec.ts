import { Gateway } from './support/gateway.js';
import { jsonReply } from './support/openai-bytes.js';
import { useGateway, useLedgerChecks, useUpstream } from './support/started.js';
import { expectError } from './support/wire-schemas.js';

const tokens = { prompt: '0.001', completion: '0.001' };
const searching = { ...tokens, search: '10', hosted_call: '5' };
const facts = { context_length: 10_000, max_tokens: 100 };
const ask = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 };
const counted = { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 };
const citation = { annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.org' } }] };
const asked = { web_search_options: {} };

describe('Calls of hosted tools', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const base_url = `${upstream.origin}/v1`;
    const entry = (type: string, models: object) => ({ type, base_url: `${upstream.origin}/${type}/v1`, api_key: 'key', models });
    const extra_parameters = ['web_search_options', 'plugins', 'search_parameters', 'mcp_servers'];
    return Gateway.start(
      {
        providers: {
          openai: entry('openai', {
            'gpt-4o-search-preview': { ...facts, pricing: searching },
            'gpt-5-search-api': { ...facts, pricing: { ...tokens, request: '7' } },
          }),
          router: { ...entry('openrouter', {}), open: { ...facts, pricing: tokens } },
          perplexity: entry('perplexity', { sonar: { ...facts, pricing: searching } }),
          groq: entry('groq', { compound: { ...facts, pricing: searching } }),
          vendor: {
            base_url,
            extra_parameters,
            models: {
              m: { ...facts, pricing: searching },
              unpriced: { ...facts, pricing: tokens },
              tiered: { ...facts, pricing: { ...tokens, tiers: [{ above: 50, search: '10' }] } },
            },
          },
        },
      },
      '1000',
    );
  });
  beforeEach(() => (upstream.requests.length = 0));
  useLedgerChecks(gateway);

  const answers = (message: object, usage: object) =>
    upstream.replies(
      jsonReply({
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hi', ...message }, finish_reason: 'stop' }],
        usage: { ...counted, ...usage },
      }),
    );
  const tools = [
    { index: 0, type: 'search', arguments: '{}' },
    { index: 1, type: 'search', arguments: '{}' },
    { index: 2, type: 'python', arguments: '{}' },
  ];

  // 200 x 0.001 / 1,000, and 0.01 for each search, 0.005 for each other call
  it.each<[string, string, object, object, object, string]>([
    ['a model that searches each time', 'gpt-4o-search-preview', {}, {}, {}, '0.0102'],
    ['of which the vendor tells the count', 'gpt-4o-search-preview', {}, {}, { num_search_queries: 3 }, '0.0302'],
    ['also where that is none', 'gpt-4o-search-preview', {}, {}, { server_tool_use: { web_search_requests: 0 } }, '0.0002'],
    ['a price of the request instead', 'gpt-5-search-api', {}, {}, {}, '0.0072'],
    ['a request that asks for a search', 'm', asked, {}, {}, '0.0102'],
    ['one whose price stands in a tier alone', 'tiered', asked, {}, {}, '0.0102'],
    ['of which the prompt stays below', 'tiered', asked, {}, { prompt_tokens: 50, total_tokens: 150 }, '0.00015'],
    ['one that asks for none', 'm', {}, {}, {}, '0.0002'],
    ['one that turns it off', 'm', { search_parameters: { mode: 'off' } }, {}, {}, '0.0002'],
    ['one whose mode means nothing there', 'm', { web_search_options: { mode: 'off' } }, {}, {}, '0.0102'],
    ['Perplexity, which searches of itself', 'sonar', {}, {}, {}, '0.0102'],
    ['unless the request does without', 'sonar', { disable_search: true }, {}, {}, '0.0002'],
    ['or the vendor has counted one', 'sonar', { disable_search: true }, {}, { num_search_queries: 1 }, '0.0102'],
    ['xAI, which counts its sources', 'm', { search_parameters: { mode: 'on' } }, {}, { num_sources_used: 4 }, '0.0402'],
    ['plugins', 'm', { plugins: [{ id: 'web' }] }, {}, {}, '0.0102'],
    ['no plugin', 'm', { plugins: [] }, {}, {}, '0.0002'],
    ['a tool of another kind', 'm', { mcp_servers: [{ url: 'https://example.org' }] }, {}, {}, '0.0052'],
    ['an answer with sources that nobody has asked for', 'm', {}, citation, {}, '0.0102'],
    ['a list of calls', 'compound', {}, { executed_tools: tools }, {}, '0.0252'],
    ['no list of calls, where the vendor lists them', 'compound', {}, {}, {}, '0.0002'],
  ])('%s, at %s', async (_what, model, more, message, usage, cost) => {
    answers(message, usage);
    const answer = await gateway.post('chat/completions', { ...ask, model, ...more });
    expect([answer.status, answer.headers['x-switchyard-cost']]).toEqual([200, cost]);
  });

  it('are counted once in a stream, however many pieces tell of them', async () => {
    const chunk = (delta: object, finish_reason: string | null = null, more = {}) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
    const pieces = [
      chunk({ role: 'assistant', executed_tools: [tools[0]] }),
      chunk({ executed_tools: [{ ...tools[0], output: 'found' }] }),
      chunk({ executed_tools: [tools[2]] }),
      chunk({ content: 'Hi' }),
      chunk({}, 'stop', { usage: counted }),
    ];
    upstream.replies({ headers: { 'content-type': 'text/event-stream' }, body: `${pieces.join('')}data: [DONE]\n\n` });
    const before = await gateway.balance();
    await (await gateway.stream('chat/completions', { ...ask, model: 'compound' })).text();
    expect(before - (await gateway.balance())).toBe(15_200_000n);
  });

  it('are held where they are asked for', async () => {
    answers({}, {});
    const poor = await gateway.newCustomer('0.005');
    expect((await gateway.post('chat/completions', { ...ask, model: 'm' }, poor.liveKey)).status).toBe(200);
    expectError(await gateway.post('chat/completions', { ...ask, ...asked, model: 'm' }, poor.liveKey), 402, 'insufficient_credits');
    expect(upstream.requests).toHaveLength(1);
  });

  it('are not made for a name that a client has made up, where they have no price', async () => {
    answers({}, {});
    expect((await gateway.post('chat/completions', { ...ask, model: 'router/some/model' })).status).toBe(200);
    const refused = await gateway.post('chat/completions', { ...ask, model: 'router/some/model:online' });
    expectError(refused, 503, 'service_unavailable');
    expect((refused.body as { error: { message: string } }).error.message).toContain('no price set for search');
    expect(upstream.requests).toHaveLength(1);
  });

  it('are not asked for where they have no price', async () => {
    answers({}, {});
    expectError(await gateway.post('chat/completions', { ...ask, ...asked, model: 'unpriced' }), 400, 'unsupported_parameter');
    const answer = await gateway.post('chat/completions', { ...ask, model: 'unpriced', plugins: [{ id: 'web' }], mcp_servers: [{}] });
    expect(answer.headers['x-switchyard-dropped-parameters']).toBe('plugins, mcp_servers');
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]!.body).not.toMatch(/plugins|mcp_servers/);
  });
});

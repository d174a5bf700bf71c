import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { OfficialTypes } from './support/official-types.js';
import { responseEventsOf } from './support/response-stream.js';
import { useGateway, useUpstream } from './support/started.js';
import { streamedResponse, text, thought, wholeResponse } from './support/vendor-response.js';
import { json, sse } from './vendors/vendor.js';

useLoopbackOnly();

/** What the table of formats has no cells for: formats.e2e-spec.ts compares the rest. */
describe('The types of the official packages describe', () => {
  const official = new OfficialTypes();

  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const pricing = { prompt: 1, completion: 1, search: 1 };
    const capabilities = { function_calling: true, vision: true };
    const models = { m: { pricing, context_length: 8_000, max_tokens: 1_000, capabilities } };
    const options = { responses: true, hosted_tools: ['web_search'] };
    return Gateway.start({
      store: { keep_responses: true },
      providers: { native: { base_url: `${upstream.origin}/v1`, models, options } },
    });
  });

  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  const weather = { type: 'function', name: 'get_weather', description: 'Looks', parameters, strict: null };

  async function respond(body: object): Promise<void> {
    const asked = { model: 'sandbox-chat', input: 'What is the weather in Paris?', max_output_tokens: 60, ...body };
    const { body: whole } = (await gateway.post('responses', asked).expect(200)) as { body: { id: string } };
    official.add('response', whole);
    official.add('response', (await gateway.get(`responses/${whole.id}`).expect(200)).body);
    official.add('items of a response', (await gateway.get(`responses/${whole.id}/input_items`).expect(200)).body);
    const streamed = await (await gateway.stream('responses', { ...asked, stream: true })).text();
    const again = await gateway.get(`responses/${whole.id}?stream=true`).expect(200);
    for (const event of [...responseEventsOf(streamed), ...responseEventsOf(again.text)]) official.add('event of a response', event);
  }

  it.each<[string, object]>([
    [
      'instructions and settings',
      { instructions: 'Be brief.', user: 'u', metadata: { a: 'b' }, temperature: 0, text: { verbosity: 'low' } },
    ],
    ['custom tools', { tools: [{ type: 'custom', name: 'c', description: 'Any', format: { type: 'text' } }], tool_choice: 'required' }],
    ['namespaces', { tools: [{ type: 'namespace', name: 'n', description: 'Some', tools: [weather] }], tool_choice: 'required' }],
    [
      'allowed tools',
      { tools: [weather], tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'get_weather' }] } },
    ],
    ['log probabilities', { include: ['message.output_text.logprobs'], top_logprobs: 2 }],
    ['summaries of reasoning', { model: 'sandbox-reasoning', reasoning: { effort: 'low', summary: 'auto' }, max_output_tokens: 900 }],
    ['no JSON schema', { text: { format: { type: 'json_object' } } }],
    [
      'a conversation',
      {
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'Look.' }] },
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
          { type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c1', output: 'Rain.' },
          { type: 'custom_tool_call', call_id: 'c2', name: 'c', input: 'x' },
          { type: 'custom_tool_call_output', call_id: 'c2', output: 'y' },
          { role: 'assistant', content: [{ type: 'output_text', text: 'It rains.' }] },
          { role: 'user', content: 'And now?' },
        ],
      },
    ],
  ])('a response with %s', async (_what, body) => {
    await respond(body);
  });

  it('the calls of a hosted tool, their sources, and encrypted reasoning', async () => {
    const citation = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 };
    const cited = { content: [{ type: 'output_text', text: 'It rains.', annotations: [citation], logprobs: [] }] };
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'rain' } };
    const output = [thought('Hm.'), search, text('', cited)];
    upstream.replies(({ body }) =>
      (JSON.parse(body) as { stream: boolean }).stream
        ? { headers: sse, body: streamedResponse(output) }
        : { headers: json, body: wholeResponse(output) },
    );
    await respond({ model: 'm', tools: [{ type: 'web_search' }], include: ['reasoning.encrypted_content'] });
  });

  it('a response in the background, and what is left of it', async () => {
    const { body } = (await gateway.post('responses', { model: 'sandbox-slow', input: 'Hi', background: true }).expect(200)) as {
      body: { id: string };
    };
    official.add('response', body);
    official.add('response', (await gateway.post(`responses/${body.id}/cancel`, {}).expect(200)).body);
  });

  it('the other answers to Anthropic’s clients', async () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    official.add('count of tokens', (await gateway.post('messages/count_tokens', { model: 'sandbox-chat', messages }).expect(200)).body);
    const headers = { authorization: `Bearer ${gateway.customer.liveKey}`, 'anthropic-version': '2023-06-01' };
    official.add('list of models in Anthropic’s form', await (await fetch(`${gateway.url}/v1/models`, { headers })).json());
    official.add('error of messages', (await gateway.post('messages', { model: 'none', messages, max_tokens: 1 }).expect(404)).body);
  });

  it('all of these', async () => {
    expect(await official.problems()).toEqual([]);
  });
});

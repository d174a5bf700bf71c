import { vendor } from '../src/providers/testing/strict-vendors/strict-vendors.js';
import { said } from '../src/wire/testing/said.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { useGateway, useUpstream } from './support/started.js';
import { bedrockVendor } from './vendors/bedrock-vendor.js';

useLoopbackOnly();

const models = [
  'anthropic.claude-haiku-4-5-20251001-v1:0',
  'amazon.nova-pro-v1:0',
  'openai.gpt-oss-120b-1:0',
  'meta.llama3-3-70b-instruct-v1:0',
];
const question = said.user('Go.');
const parameters = { type: 'object', properties: {} };
const [own, later] = ['look', 'later'].map((name) => ({ type: 'function', function: { name, parameters } }));
const [ownTool, laterTool] = ['look', 'later'].map((name) => ({ name, input_schema: parameters, defer_loading: name === 'later' }));
const regex = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
const searched = (content: object) => [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: regex.name, input: { pattern: 'later' } },
  { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_1', content },
];
const reference = { type: 'tool_reference', tool_name: 'later' };
const found = { type: 'tool_search_tool_search_result', tool_references: [reference] };
const use = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} });
const search = { arguments: { paths: ['later'] }, status: 'completed' };
const loaded = { tools: [{ type: 'function', ...later!.function }] };

/** What conversations with calls of tools bring back, in each format. */
const conversations: Readonly<Record<string, readonly [path: string, body: object]>> = {
  'calls, without tools': [
    'chat/completions',
    { messages: [question, said.assistant(null, [said.call('a', 'look', '{}')]), said.result('a', 'Rain.')] },
  ],
  'calls at once, answered in another order': [
    'chat/completions',
    {
      tools: [own],
      messages: [
        question,
        said.assistant('', [said.call('functions.look:0', 'look', ''), said.call('b'.repeat(120), 'look', '[1]')]),
        said.result('b'.repeat(120), ''),
        said.result('functions.look:0', [said.text(' ')]),
      ],
    },
  ],
  'a call at the beginning': [
    'chat/completions',
    { tools: [own], messages: [said.assistant(null, [said.call('a', 'look', '{}')]), said.result('a', 'Rain.')] },
  ],
  'searches of the client': [
    'responses',
    {
      tools: [{ type: 'tool_search', execution: 'client', parameters }],
      input: [
        question,
        { type: 'tool_search_call', call_id: 'a', execution: 'client', ...search },
        { type: 'tool_search_output', call_id: 'a', execution: 'client', ...loaded },
        question,
      ],
    },
  ],
  'searches of OpenAI': [
    'responses',
    {
      tools: [{ type: 'tool_search' }],
      input: [
        question,
        { type: 'tool_search_call', call_id: null, execution: 'server', ...search },
        { type: 'tool_search_output', call_id: null, execution: 'server', ...loaded },
        { type: 'function_call', call_id: 'a', name: 'later', arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output: 'Rain.' },
      ],
    },
  ],
  'searches of Anthropic': [
    'messages',
    {
      tools: [regex, ownTool, laterTool],
      messages: [
        question,
        said.assistant([...searched(found), said.text('Found.'), use('toolu_1', 'later')]),
        said.user([{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true }]),
      ],
    },
  ],
  'a search that has failed, without tools': [
    'messages',
    {
      messages: [question, said.assistant(searched({ type: 'tool_search_tool_result_error', error_code: 'unavailable' })), question],
    },
  ],
  'a reference in a result': [
    'messages',
    {
      tools: [ownTool, laterTool],
      messages: [
        question,
        said.assistant([use('toolu_1', 'look')]),
        said.user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: [reference] }]),
      ],
    },
  ],
};

describe('Calls of tools in conversations that Converse is asked with', () => {
  const upstream = useUpstream(vendor('bedrock'));
  const gateway = useGateway(() => {
    const entry = bedrockVendor.provider(upstream.origin);
    // Claude is asked by Converse where a guardrail is to be applied.
    const options = { region: 'eu-central-1', guardrail: { id: 'guardrail1', version: '1' } };
    return Gateway.start({ providers: { bedrock: { ...entry, options, models: Object.fromEntries(models.map((model) => [model, {}])) } } });
  });

  describe.each(models)('%s', (model) => {
    it.each(Object.keys(conversations))('takes %s', async (name) => {
      upstream.replies(bedrockVendor.answer({ text: 'Noon.' }, false));
      const [path, body] = conversations[name]!;
      await gateway.post(path, { max_tokens: 100, model, ...body }).expect(200);
      const { path: asked, body: sent } = upstream.requests.at(-1)!;
      expect(asked).toMatch(/\/converse$/);
      expect(sent).not.toMatch(/defer_loading|_20251119/);
    });
  });
});

import type { RecordedRequest, Reply } from '../loopback-upstream.js';
import { vendor } from './strict-vendors.js';

const folder = process.env['SWITCHYARD_VENDOR_SCHEMAS'];
const [describeStrict, reason] = folder ? [describe, ''] : [describe.skip, ' (SWITCHYARD_VENDOR_SCHEMAS names no folder)'];

const user = { role: 'user', content: 'Ahoj' };
const schema = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };
const tool = (name: string, parameters: object = schema) => ({ type: 'function', function: { name, parameters } });
/** Of an object with a member of the name of a keyword. */
const described = (description: object) => ({ type: 'object', properties: { description } });
const called = (id: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: '{}' } }],
});
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' });
const claude = (content: object[], more: object = {}) => ({
  model: 'claude-haiku-4-5',
  max_tokens: 2_000,
  messages: [user, ...content],
  ...more,
});
const use = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }] };
const back = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x' }] };
const part = (...parts: object[]) => ({ role: 'user', parts });
const flash = '/v1beta/models/gemini-2.5-flash:generateContent';
const functionCall = { name: 'look', args: {} };
const functionResponse = { name: 'look', response: {} };
const thinking = { type: 'enabled', budget_tokens: 1_024 };

/** Name of the vendor, path, body, and what the refusal begins with; undefined where it is taken. */
const bodies: readonly (readonly [name: string, path: string, body: object, refused?: string])[] = [
  ['openai', '/v1/chat/completions', { model: 'm', messages: [user, called('c'), result('c')], tools: [tool('look')] }],
  ['openai', '/v1/chat/completions', { model: 'm', messages: [user], odd: 1 }, 'openai: schema of chat/completions'],
  ['openai', '/v1/chat/completions', { model: 'm', messages: [user], tools: [tool('a.b')] }, 'openai: tool-name'],
  ['openai', '/v1/chat/completions', { model: 'm', messages: [user, called('c')] }, 'openai: tool-pairs'],
  [
    'openai',
    '/v1/chat/completions',
    { model: 'm', messages: [user], tools: [tool('look', { anyOf: [schema] })] },
    'openai: tool-schema-root',
  ],
  ['openai', '/v1/chat/completions', { model: 'gpt-5', messages: [user], max_tokens: 5 }, 'openai: reasoning-max-tokens'],
  ['openai', '/v1/chat/completions', { model: 'm', messages: [user], response_format: { type: 'json_object' } }, 'openai: json-word'],
  [
    'azure',
    '/v1/responses',
    { model: 'm', input: [{ type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' }] },
    'azure: r-tool-pairs',
  ],
  ['mistral', '/v1/chat/completions', { model: 'm', messages: [user, called('aB3dE5gH7'), result('aB3dE5gH7')], tools: [tool('look')] }],
  ['mistral', '/v1/chat/completions', { model: 'm', messages: [user, called('c'), result('c')] }, 'mistral: call-id'],
  ['mistral', '/v1/chat/completions', { model: 'm', messages: [user, { role: 'system', content: 'x' }] }, 'mistral: order'],
  ['perplexity', '/chat/completions', { model: 'm', messages: [user, user] }, 'perplexity: alternate'],
  ['vllm', '/deepseek/chat/completions', { model: 'openai-gpt-oss-120b', messages: [{ role: 'developer', content: 'x' }, user] }],
  ['anthropic', '/v1/messages', claude([use, back])],
  ['anthropic', '/v1/messages', claude([use, user]), 'anthropic: tool-pairs'],
  ['anthropic', '/v1/messages', claude([use, back], { thinking }), 'anthropic: thinking-first'],
  ['anthropic', '/v1/messages', claude([], { temperature: 1.5 }), 'anthropic: temperature'],
  ['anthropic', '/v1/messages', claude([{ role: 'assistant', content: 'x ' }]), 'anthropic: no-trailing-space'],
  [
    'anthropic',
    '/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5:rawPredict',
    { ...claude([]), model: undefined, anthropic_version: 'v', thinking },
    'anthropic: no-budget',
  ],
  ['gemini', flash, { contents: [part({ text: 'x' }), { role: 'model', parts: [{ functionCall }] }, part({ functionResponse })] }],
  [
    'gemini',
    flash,
    { contents: [part({ text: 'x' }), { role: 'model', parts: [{ functionCall }] }, part({ text: 'x' })] },
    'gemini: call-order',
  ],
  [
    'gemini',
    '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse',
    { contents: [part({ text: 'x' }), { role: 'model', parts: [{ functionCall }] }, part({ functionResponse })] },
    'gemini: thought-signatures',
  ],
  [
    'bedrock',
    '/model/nova/converse',
    { messages: [{ role: 'user', content: [{ document: { name: 'a', format: 'pdf', source: { bytes: 'AA==' } } }] }] },
    'bedrock: document-text',
  ],
  ['cohere', '/v2/chat', { model: 'm', stream: false, messages: [{ role: 'user', content: '' }] }, 'cohere: user-content'],
  ['ollama', '/api/chat', { model: 'qwen3.5', messages: [user, { role: 'system', content: 'x' }] }, 'ollama: system-first'],
  ['ollama', '/api/chat', { model: 'm', messages: [user], tools: [tool('look', described({ type: 'string' }))] }],
  [
    'ollama',
    '/api/chat',
    { model: 'm', messages: [user], tools: [tool('look', described({ description: 5 }))] },
    'ollama: schema-description',
  ],
];

describeStrict(`Strict vendors${reason}`, () => {
  it.each(bodies.map((row) => [`${row[0]}, ${row[1]}: ${row[3] ?? 'taken'}`, row] as const))(
    '%s',
    async (_title, [name, path, body, refused]) => {
      const said = await vendor(name)({ method: 'POST', path, headers: {}, body: JSON.stringify(body) } as RecordedRequest);
      if (refused === undefined) expect(said).toBeUndefined();
      else expect(said).toMatch(new RegExp(`^${refused}\\b`));
    },
  );

  it.each([
    ['vllm', '/v1/chat/completions', 400, 'BadRequestError'],
    ['llamacpp', '/v1/chat/completions', 500, 'Jinja Exception'],
    ['lmstudio', '/v1/chat/completions', 400, 'jinja template'],
    ['own-server', '/v1/chat/completions', 400, 'BadRequestError'],
    ['ollama', '/api/chat', 500, 'Jinja Exception'],
    ['ollama', '/v1/chat/completions', 500, 'Jinja Exception'],
  ])('render with the template of the model, and answer what it raises: %s, %s', async (name, path, status, words) => {
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'system', content: 'x' }] });
    const said = await vendor(name)({ method: 'POST', path, headers: {}, body } as RecordedRequest);
    expect(said).toMatchObject({ status, body: expect.stringContaining(words) as unknown });
    expect((said as Reply).body).toContain('No user query found in messages.');
  });

  it('are those of a path that begins with their name, where nobody says which', async () => {
    const request = {
      method: 'POST',
      path: '/deepseek/chat/completions',
      headers: {},
      body: JSON.stringify({ messages: [{ role: 'developer' }] }),
    };
    expect(await vendor()(request as RecordedRequest)).toMatch(/^deepseek: roles/);
  });
});

import { said } from '../src/wire/testing/said.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { jsonReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';

useLoopbackOnly();

const facts = { google: { thought_signature: 'c2lnbmVk' } };
const call = { id: 'call_1', type: 'function' as const, function: { name: 'now', arguments: '{}' }, extra_content: facts };
const chat = {
  choices: [{ index: 0, message: said.assistant(null, [call]), finish_reason: 'tool_calls' }],
  usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
};
const message = {
  type: 'message',
  role: 'assistant',
  content: [said.text('Noon.')],
  stop_reason: 'end_turn',
  usage: { input_tokens: 5, output_tokens: 5 },
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

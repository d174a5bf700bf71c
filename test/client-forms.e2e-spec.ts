import type { Reply } from '../src/providers/testing/loopback-upstream.js';
import type { ChatCompletion, ChatCompletionChunk } from '../src/wire/chat-completion.js';
import { said } from '../src/wire/testing/said.js';
import { eventsOf } from './support/event-stream.js';
import { Gateway } from './support/gateway.js';
import { jsonReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { expectError } from './support/wire-schemas.js';

type Body = Record<string, unknown>;

const sse = { 'content-type': 'text/event-stream' };
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const question = [said.user('Fix it')];
const patch = { type: 'custom', custom: { name: 'patch', description: 'Changes files' } };
const look = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };
const input = '*** Begin "patch"\n+é\n*** End';

/** An engine that reasons, and then says something or calls the first of the tools in two deltas. */
function answer(body: Body): Reply {
  const [tool] = (body['tools'] as { function: { name: string } }[] | undefined) ?? [];
  const args = tool?.function.name === 'patch' ? JSON.stringify({ input }) : '{"a":1}';
  const called = (piece: object) => ({ tool_calls: [{ index: 0, ...piece }] });
  const deltas = tool
    ? [called(said.call('c', tool.function.name, args.slice(0, 9))), called({ function: { arguments: args.slice(9) } })]
    : ['One', ' two', ' three'].map((content) => ({ content }));
  const finish_reason = tool ? 'tool_calls' : 'stop';
  const extra = {
    system_fingerprint: 'fp',
    citations: ['https://example.com/é'],
    search_results: [{ title: 'x' }],
    service_tier: 'default',
  };
  const common = { id: 'x', created: 1, model: 'up', ...extra };
  if (!body['stream']) {
    const message = tool
      ? {
          role: 'assistant',
          content: null,
          reasoning: 'Hm',
          tool_calls: [said.call('c', tool.function.name, args)],
        }
      : { role: 'assistant', content: 'One two three', reasoning: 'Hm' };
    return jsonReply({ ...common, choices: [{ index: 0, message, finish_reason }], usage });
  }
  const event = (more: object) => `data: ${JSON.stringify({ ...common, ...more })}\n\n`;
  const reasoned = ['H', 'm', ', well', ' "now"'].map((reasoning) => ({ reasoning }));
  const events = [...reasoned, ...deltas].map((delta) => event({ choices: [{ index: 0, delta, finish_reason: null }] }));
  const end = event({ choices: [{ index: 0, delta: {}, finish_reason }] }) + event({ choices: [], usage });
  return { headers: sse, body: `${events.join('')}${end}data: [DONE]\n\n` };
}

describe('What clients of the format send and read', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const base_url = `${upstream.origin}/v1`;
    const preset = (type: string, models: object) => ({ type, base_url: `${upstream.origin}/${type}/v1`, api_key: 'k', models });
    const model = { pricing: { prompt: 1, completion: 1 }, max_tokens: 100, context_length: 10_000 };
    return Gateway.start({
      providers: {
        engine: {
          base_url,
          models: {
            engine: model,
            agents: { ...model, lower_max_tokens: true },
            legacy: { ...model, capabilities: { completion: true }, parameters: ['max_tokens', 'suffix'], context_length: 200_000 },
            chats: { ...model, completions_via_chat: true },
          },
        },
        together: preset('together', { textual: { ...model, capabilities: { completion: true } } }),
        llamacpp: preset('llamacpp', { llama: model }),
        groq: preset('groq', { groq: model }),
        deepseek: preset('deepseek', { deepseek: model }),
      },
    });
  });

  beforeEach(() => upstream.replies(({ body }) => answer(JSON.parse(body) as Body)));

  const post = (fields: object, model = 'engine') =>
    gateway.post('chat/completions', { model, messages: question, ...fields }).buffer(true);
  const sent = () => JSON.parse(upstream.requests.at(-1)!.body) as Body & { messages: Body[] };

  async function whole(fields: object, model?: string): Promise<ChatCompletion> {
    const { status, body, text } = await post(fields, model);
    expect([status, text]).toEqual([200, text]);
    return body as ChatCompletion;
  }

  async function streamed(fields: object, model?: string): Promise<ChatCompletionChunk[]> {
    return eventsOf<ChatCompletionChunk>((await post({ stream: true, ...fields }, model)).text);
  }

  const deltasOf = (events: readonly ChatCompletionChunk[]) => events.map(({ choices }) => choices[0]!.delta as Body);

  it('calls custom tools with free text, whole and streamed, and takes the calls back', async () => {
    const { choices } = await whole({ tools: [patch], tool_choice: { type: 'custom', custom: { name: 'patch' } } });
    const call = { id: 'c', type: 'custom', custom: { name: 'patch', input } };
    expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null, tool_calls: [call] } });
    expect(sent()['tool_choice']).toEqual({ type: 'function', function: { name: 'patch' } });
    expect(sent()).not.toHaveProperty('custom_tools');

    const events = await streamed({ tools: [patch, look] });
    const calls = deltasOf(events).flatMap(
      ({ tool_calls }) => (tool_calls as { index: number; custom: { input: string } }[] | undefined) ?? [],
    );
    expect(calls[0]).toMatchObject({ index: 0, id: 'c', type: 'custom', custom: { name: 'patch' } });
    expect(calls.map(({ custom }) => custom.input).join('')).toBe(input);
    expect(events.at(-1)!.choices[0]).toEqual({ index: 0, delta: {}, logprobs: null, finish_reason: 'tool_calls' });

    const result = said.result('c', 'done');
    await whole({ tools: [patch], messages: [...question, choices[0]!.message, result] });
    expect(sent().messages[1]).toMatchObject({ tool_calls: [{ id: 'c', type: 'function', function: { name: 'patch' } }] });
  });

  it('speaks the format before tools, both ways', async () => {
    const functions = [look.function];
    const { choices } = await whole({ functions, function_call: 'auto' });
    const function_call = { name: 'look', arguments: '{"a":1}' };
    expect(choices[0]).toMatchObject({ finish_reason: 'function_call', message: { content: null, function_call } });
    expect(choices[0]!.message).not.toHaveProperty('tool_calls');
    expect(sent()).toMatchObject({ tools: [look], tool_choice: 'auto', parallel_tool_calls: false });
    expect(sent()).not.toHaveProperty('functions');

    const events = await streamed({ functions });
    const pieces = deltasOf(events).flatMap((delta) => (delta['function_call'] as { name?: string; arguments: string } | undefined) ?? []);
    expect([pieces[0]!.name, pieces.map((piece) => piece.arguments).join('')]).toEqual(['look', '{"a":1}']);
    expect(events.at(-1)!.choices[0]!.finish_reason).toBe('function_call');

    await whole({ functions, messages: [...question, choices[0]!.message, { role: 'function', name: 'look', content: '7' }] });
    const [, called, result] = sent().messages;
    expect(called).toMatchObject({ tool_calls: [{ type: 'function', function: function_call }] });
    expect(called).not.toHaveProperty('function_call');
    expect(result).toEqual(said.result((called!['tool_calls'] as { id: string }[])[0]!.id, '7'));
  });

  it.each([
    ['engine', { reasoning: 'r', reasoning_content: 'r' }],
    ['groq', { reasoning: 'r' }],
    ['deepseek', { reasoning_content: 'r' }],
  ])('gives reasoning back under the names that the provider reads: %s', async (model, named) => {
    for (const given of [{ reasoning: 'r' }, { reasoning_content: 'r' }, { reasoning: 'r', reasoning_content: 'r' }]) {
      await whole({ messages: [...question, { role: 'assistant', content: 'a', ...given }, ...question] }, model);
      expect(sent().messages[1]).toEqual({ role: 'assistant', content: 'a', ...named });
    }
  });

  it('keeps what clients read beside the choices', async () => {
    const kept = {
      system_fingerprint: 'fp',
      citations: ['https://example.com/é'],
      search_results: [{ title: 'x' }],
      service_tier: 'default',
    };
    expect(await whole({})).toMatchObject(kept);
    const events = await streamed({});
    expect(events[0]).toMatchObject(kept);
    expect(events.filter((event) => 'citations' in event)).toHaveLength(1);
  });

  it('lowers max_tokens to the limit of the model where the operator says so, and holds no more', async () => {
    const { headers } = await post({ max_tokens: 32_000 }, 'agents').expect(200);
    expect(sent()['max_tokens']).toBe(100);
    expect(headers['x-switchyard-dropped-parameters']).toBe('max_tokens');
    expectError(await post({ max_tokens: 32_000 }), 400, 'invalid_request');
  });

  it('passes on prompts of token ids where the provider takes them, counts them exactly, and refuses them elsewhere', async () => {
    const prompt = [[464, 4937, 128_009], [464]];
    const usageless = { choices: [{ text: 'x', index: 0, finish_reason: 'stop', logprobs: null }] };
    upstream.replies(jsonReply(usageless));
    const ask = (model: string, more: object) => gateway.post('completions', { model, prompt, max_tokens: 5, ...more });
    const { body } = await ask('legacy', { suffix: 'z'.repeat(100_000) }).expect(200);
    expect(upstream.requests.map((request) => (JSON.parse(request.body) as Body)['prompt'])).toEqual(prompt);
    expect(body).toMatchObject({ choices: [{ index: 0 }, { index: 1 }], usage: { prompt_tokens: 4 } });
    for (const [model, more] of [
      ['chats', {}],
      ['textual', {}],
      ['legacy', { echo: true }],
    ] as const) {
      const refused = await ask(model, more);
      expectError(refused, 400, 'unsupported_parameter');
      expect(refused.text).toContain('token ids');
    }
    expect(upstream.requests).toHaveLength(2);
  });

  it('has llama.cpp call the one function that is named', async () => {
    await whole(
      { tools: [look, { type: 'function', function: { name: 'other' } }], tool_choice: { type: 'function', function: { name: 'other' } } },
      'llama',
    );
    expect(sent()).toMatchObject({ tools: [{ type: 'function', function: { name: 'other' } }], tool_choice: 'required' });
  });
});

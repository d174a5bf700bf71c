import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import { started } from '../src/common/testing/started.js';
import { Gateway } from './support/gateway.js';
import { jsonReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { json, sse } from './vendors/vendor.js';

const fixture = (folder: string, name: string): Buffer =>
  readFileSync(new URL(`../src/providers/${folder}/__fixtures__/${name}`, import.meta.url));
const recorded = (folder: string, name: string): unknown => JSON.parse(fixture(folder, name).toString());

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Tide in Bergen?' }];
const tools: OpenAI.ChatCompletionTool[] = ['tide_table', 'now'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { port: { type: 'string' } } } },
}));
const results = ({ tool_calls = [] }: OpenAI.ChatCompletionMessage): OpenAI.ChatCompletionMessageParam[] =>
  tool_calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '{"high":"12:00"}' }));

const CLAUDE = 'claude-opus-5-5';
const GEMINI = 'gemini-3.8-flash';
const COMMAND = 'command-a-03-2025';
const GPT = 'gpt-5.5';
const LLAMA = 'llama';

/** What vendors have beyond the format of chat completions, through the official client of that format; formats.e2e-spec.ts has the rest. */
describe('Through the openai client', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const { origin } = upstream;
    const pricing = { prompt: 2, completion: 10, cached_input: 0.5 };
    const facts = { context_length: 100_000, max_tokens: 8_000 };
    const package_ = { package: '@ai-sdk/openai', provider_options: { openai: { store: false } } };
    return Gateway.start(
      {
        providers: {
          anthropic: { type: 'anthropic', base_url: origin, api_key: 'k', models: { [CLAUDE]: {} } },
          gemini: { type: 'gemini', base_url: `${origin}/v1beta`, api_key: 'k', models: { [GEMINI]: {} } },
          cohere: { type: 'cohere', base_url: `${origin}/compatibility/v1`, api_key: 'k', models: { [COMMAND]: { pricing } } },
          package: { type: 'ai-sdk', base_url: `${origin}/v1`, api_key: 'k', options: package_, models: { [GPT]: { ...facts, pricing } } },
          ollama: { type: 'ollama', base_url: `${origin}/v1`, free: true, models: { [LLAMA]: facts } },
        },
        routing: { retries: 0 },
      },
      '100000',
    );
  });
  const client = started(() => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.customer.liveKey, maxRetries: 0 }));
  const asked = (): unknown => JSON.parse(upstream.requests.at(-1)!.body);

  /** A conversation in which the answer to the first message is sent back as it came, with the results of its calls. */
  async function loop(model: string, folder: string, first: string): Promise<OpenAI.ChatCompletion.Choice> {
    upstream.replies({ headers: json, body: fixture(folder, first) });
    const [choice] = (await client.chat.completions.create({ model, messages, tools })).choices as [OpenAI.ChatCompletion.Choice];
    upstream.replies({ headers: json, body: fixture(folder, 'text.json') });
    await client.chat.completions.create({ model, messages: [...messages, choice.message, ...results(choice.message)], tools });
    return choice;
  }

  it('signed thinking of Anthropic survives a tool loop', async () => {
    const { finish_reason } = await loop(CLAUDE, 'anthropic', 'interleaved.json');
    expect(finish_reason).toBe('tool_calls');
    const { content } = recorded('anthropic', 'interleaved.json') as { content: Record<string, unknown>[] };
    const sent = (asked() as { messages: { role: string; content: object[] }[] }).messages[1];
    expect(sent).toEqual({ role: 'assistant', content: content.map(({ caller: _caller, ...block }) => block) });
  });

  it('a signature of Gemini survives a tool loop, and a client that does not keep it gets on', async () => {
    const { message } = await loop(GEMINI, 'gemini', 'tools.json');
    const { candidates } = recorded('gemini', 'tools.json') as { candidates: { content: object }[] };
    expect((asked() as { contents: object[] }).contents[1]).toEqual(candidates[0]!.content);
    const tool_calls = message.tool_calls!.map((call) => ({ ...call, extra_content: undefined }));
    const bare = { role: 'assistant' as const, content: null, tool_calls };
    await client.chat.completions.create({ model: GEMINI, messages: [...messages, bare, ...results(message)], tools });
    const { parts } = (asked() as { contents: { parts: { thoughtSignature?: string }[] }[] }).contents[1]!;
    expect(parts.map(({ thoughtSignature }) => thoughtSignature)).toEqual(['skip_thought_signature_validator', undefined]);
  });

  it('a package of the AI SDK is given back what proves its reasoning, and none of the ids that a client sends', async () => {
    const answer = recorded('ai-sdk', 'openai-reasoning.json') as { output: object[] };
    Object.assign(answer.output[0]!, { encrypted_content: 'gAAAAproof' });
    upstream.replies(jsonReply(answer));
    const question = { messages, model: GPT, reasoning_effort: 'low' as const };
    const { message } = (await client.chat.completions.create(question)).choices[0]!;
    const { extra_content: proofs } = message as unknown as { extra_content: { ai_sdk: { reasoning: { signed?: { openai: object } }[] } } };
    for (const { signed } of proofs.ai_sdk.reasoning) Object.assign(signed?.openai ?? {}, { itemId: 'rs_of_somebody_else' });
    await client.chat.completions.create({ ...question, messages: [...messages, message, { role: 'user', content: 'Sure?' }] });
    expect((asked() as { input: { type?: string }[] }).input.filter(({ type }) => type === 'reasoning')).toEqual([
      { type: 'reasoning', encrypted_content: 'gAAAAproof', summary: [{ type: 'summary_text', text: 'Two boats.\n\nSedm beden každá.' }] },
    ]);
    expect(upstream.requests.at(-1)!.body).not.toContain('rs_of_somebody_else');
  });

  it.each([false, true])('Cohere cites documents that the client sends (stream: %s)', async (stream) => {
    const documents = [{ id: 'doc:1', data: { title: 'Ferries of Ærø', url: 'https://ferries.example/aeroe' } }];
    upstream.replies({ headers: stream ? sse : json, body: fixture('cohere', `citations.${stream ? 'sse' : 'json'}`) });
    const question = { model: COMMAND, messages, documents };
    const said: OpenAI.ChatCompletionMessage[] = [];
    if (stream)
      for await (const { choices } of await client.chat.completions.create({ ...question, stream })) said.push(choices[0]!.delta as never);
    else said.push((await client.chat.completions.create(question as typeof question & { stream: false })).choices[0]!.message);
    const content = said.map((one) => one.content ?? '').join('');
    const annotations = said.flatMap((one) => one.annotations ?? []);
    expect(asked()).toMatchObject({ documents });
    expect(content).toBe('There are nine sailings a day, the first at 05:15.');
    const cited = annotations.map(({ url_citation: { url, start_index, end_index } }) => [url, content.slice(start_index, end_index)]);
    expect(cited).toEqual(['nine sailings', '05:15'].map((text) => ['https://ferries.example/aeroe', text]));
  });

  it.each(['json', 'sse'])('what Cohere bills is charged (%s)', async (form) => {
    upstream.replies({ headers: form === 'sse' ? sse : json, body: fixture('cohere', `tools.${form}`) });
    const { body, headers } = await gateway.post('chat/completions', { model: COMMAND, messages, tools });
    const usage = { prompt_tokens: 59, completion_tokens: 46, total_tokens: 105, prompt_tokens_details: { cached_tokens: 41 } };
    expect((body as { usage: object }).usage).toEqual(usage);
    // 18 x 2 + 41 x 0.5 + 46 x 10, for a thousand.
    expect(headers['x-switchyard-cost']).toBe('0.5165');
  });

  it('arguments of a call that are too deep to be parsed are sent as a text', async () => {
    upstream.replies({});
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}` } };
    await gateway.post('chat/completions', {
      model: LLAMA,
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: null, tool_calls: [call] },
      ],
    });
    const { messages: sent } = asked() as { messages: { tool_calls?: { function: { arguments: object } }[] }[] };
    expect(sent.at(-1)!.tool_calls![0]!.function.arguments).toEqual({ arguments: call.function.arguments });
  });
});

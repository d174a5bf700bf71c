import { said } from '../src/wire/testing/said.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { useGateway, useUpstream } from './support/started.js';

useLoopbackOnly();

const url = 'https://example.com/reports/tide.pdf';
const text = 'Sum it up.';

/** A file by its address as clients of each format write it, and as other vendors' clients write it in chats. */
const forms: readonly (readonly [name: string, path: string, (url: string) => object])[] = [
  ...(
    [
      ['file_url in a file', (at: string) => ({ type: 'file', file: { file_url: at } })],
      ['file_data in a file', (at: string) => ({ type: 'file', file: { file_data: at } })],
      ['document_url', (at: string) => ({ type: 'document_url', document_url: at })],
      ['file_url', (at: string) => ({ type: 'file_url', file_url: { url: at } })],
    ] as const
  ).map(([name, part]) => [name, 'chat/completions', (at: string) => ({ messages: [said.user([said.text(text), part(at)])] })] as const),
  [
    'a document',
    'messages',
    (at) => ({ max_tokens: 9, messages: [said.user([said.text(text), { type: 'document', source: { type: 'url', url: at } }])] }),
  ],
  [
    'input_file',
    'responses',
    (at) => ({
      input: [
        said.user([
          { type: 'input_text', text },
          { type: 'input_file', file_url: at },
        ]),
      ],
    }),
  ],
];

/** What each vendor that fetches files gets; OpenAI's own format is asked in its own format alone. */
const fetching: Readonly<Record<string, object>> = {
  anthropic: { type: 'document', source: { type: 'url', url } },
  gemini: { fileData: { mimeType: 'application/pdf', fileUri: url } },
  mistral: { type: 'document_url', document_url: url },
  perplexity: { type: 'file_url', file_url: { url } },
  openrouter: { type: 'file', file: { file_data: url } },
};

const refusing = ['openai', 'azure', 'bedrock', 'bedrock-nova', 'vertex', 'cohere', 'ollama'];

describe('A file by its address', () => {
  const upstream = useUpstream(() => undefined);
  const gateway = useGateway(() => {
    const entry = (type: string, model: string, more: object = {}) => ({
      type,
      base_url: upstream.origin,
      api_key: 'key',
      input_ceilings: { file: 1_000 },
      models: {
        [model]: {
          context_length: 10_000,
          max_tokens: 1_000,
          pricing: { prompt: 0.001, completion: 0.001 },
          capabilities: { vision: true },
        },
      },
      ...more,
    });
    const vertex = { options: { project: 'harbour-1', location: 'global' } };
    const aws = { options: { region: 'us-east-1' } };
    const providers = {
      ...Object.fromEntries(
        ['mistral', 'perplexity', 'openrouter', 'openai', 'azure', 'gemini', 'cohere', 'ollama'].map((type) => [type, entry(type, type)]),
      ),
      anthropic: entry('anthropic', 'claude-opus-5'),
      vertex: entry('vertex', 'claude-opus-5', vertex),
      bedrock: entry('bedrock', 'anthropic.claude-opus-4-6-v1', aws),
      'bedrock-nova': entry('bedrock', 'amazon.nova-pro-v1:0', aws),
    };
    return Gateway.start({
      providers: Object.fromEntries(
        Object.entries(providers).map(([id, { models, ...one }]) => [
          id,
          { ...one, models: { [id]: { ...Object.values(models)[0], upstream_model: Object.keys(models)[0] } } },
        ]),
      ),
    });
  });
  beforeEach(() => {
    upstream.requests.length = 0;
    upstream.replies({ status: 400, body: '{"error":{"message":"No."}}' });
  });

  const cases = (vendors: readonly string[]) =>
    vendors.flatMap((vendor) => forms.map(([name, path, body]) => [vendor, name, path, body] as const));

  it.each(cases(Object.keys(fetching)))('reaches %s, which fetches it: %s', async (vendor, _name, path, body) => {
    await gateway.post(path, { model: vendor, ...body(url) });
    expect(upstream.requests).toHaveLength(1);
    const sent = JSON.parse(upstream.requests[0]!.body) as { messages?: { content: object[] }[]; contents?: { parts: object[] }[] };
    const [message] = sent.messages ?? [];
    expect(message?.content ?? sent.contents?.[0]?.parts).toMatchObject([{ text }, fetching[vendor]]);
  });

  it('reaches Anthropic in the result of a tool', async () => {
    const document = { type: 'document', source: { type: 'url', url } };
    const result = { type: 'tool_result', tool_use_id: 'c', content: [document] };
    const messages = [said.user(text), said.assistant([{ type: 'tool_use', id: 'c', name: 'look', input: {} }]), said.user([result])];
    await gateway.post('messages', { model: 'anthropic', max_tokens: 9, messages });
    expect(upstream.requests).toHaveLength(1);
    expect(JSON.parse(upstream.requests[0]!.body)).toMatchObject({ messages: [{}, {}, { content: [result] }] });
  });

  it.each(['openai', 'azure'])('reaches %s in the Responses format', async (model) => {
    const [, , body] = forms.at(-1)!;
    await gateway.post('responses', { model, ...body(url) });
    expect(upstream.requests).toHaveLength(1);
    expect(JSON.parse(upstream.requests[0]!.body)).toMatchObject(body(url));
  });

  it.each(cases(refusing).filter(([vendor, , path]) => path !== 'responses' || !/openai|azure/.test(vendor)))(
    'is refused by name for %s, which fetches none: %s',
    async (vendor, _name, path, body) => {
      const { status, text: refusal } = await gateway.post(path, { model: vendor, ...body(url) });
      expect(upstream.requests).toHaveLength(0);
      expect(status).toBe(400);
      expect(refusal).toMatch(/file|image|document/i);
    },
  );

  it.each(cases(['anthropic']))('inside of a network is refused: %s, %s', async (model, _name, path, body) => {
    for (const inside of ['http://169.254.169.254/a.pdf', 'https://10.0.0.7/a.pdf', 'ftp://example.com/a.pdf'])
      expect((await gateway.post(path, { model, ...body(inside) })).status).toBe(400);
    expect(upstream.requests).toHaveLength(0);
  });
});

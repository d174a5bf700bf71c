import type { RecordedRequest } from '../src/providers/testing/loopback-upstream.js';
import { vendor } from '../src/providers/testing/strict-vendors/strict-vendors.js';
import { said } from '../src/wire/testing/said.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { useGateway, useUpstream } from './support/started.js';
import { text, wholeResponse } from './support/vendor-response.js';
import { expectError } from './support/wire-schemas.js';
import { anthropicVendor } from './vendors/anthropic-vendor.js';
import { bedrockVendor } from './vendors/bedrock-vendor.js';
import { chatCompletionsVendor } from './vendors/chat-completions-vendor.js';
import { cohereVendor } from './vendors/cohere-vendor.js';
import { geminiVendor } from './vendors/gemini-vendor.js';
import { ollamaVendor } from './vendors/ollama-vendor.js';
import { json, type Vendor } from './vendors/vendor.js';

useLoopbackOnly();

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const address = 'https://images.example/tide.png';

/** What a tool may bring beside text: its kind, and what stands in the request where it goes on. */
const media = {
  png: { kind: 'image', url: `data:image/png;base64,${PNG}`, mark: PNG },
  svg: { kind: 'image', url: 'data:image/svg+xml;base64,PHN2Zy8+', mark: 'PHN2Zy8+' },
  address: { kind: 'image', url: address, mark: 'images.example/tide.png' },
  pdf: { kind: 'file', url: 'data:application/pdf;base64,JVBERi0xLjQK', mark: 'JVBERi0xLjQK' },
} as const;
type Medium = keyof typeof media;
const all = Object.keys(media) as Medium[];

const call = { id: 'abcdef123', name: 'look', arguments: {} };
const parameters = { type: 'object', properties: {} };
const question = said.user('Look.');
const next = said.user('And now?');

/** A conversation in which a tool has brought a medium, and a question with it, in each format. */
const formats: Readonly<
  Record<string, (medium: Medium) => { readonly result: (end: readonly object[]) => object; readonly asked: () => object } | undefined>
> = {
  'chat/completions': (medium) => {
    const { kind, url } = media[medium];
    const part =
      kind === 'image' ? { type: 'image_url', image_url: { url } } : { type: 'file', file: { file_data: url, filename: 'a.pdf' } };
    const tools = [{ type: 'function', function: { name: call.name, parameters } }];
    const turns = [question, said.assistant(null, [said.call(call.id, call.name, '{}')]), said.result(call.id, [said.text('Here.'), part])];
    return { result: (end) => ({ tools, messages: [...turns, ...end] }), asked: () => ({ messages: [said.user([part])] }) };
  },
  messages: (medium) => {
    if (medium === 'svg') return undefined;
    const { kind, url, mark } = media[medium];
    const [, media_type] = /^data:([^;]+)/.exec(url) ?? [];
    const source = media_type ? { type: 'base64', media_type, data: mark } : { type: 'url', url };
    const block = { type: kind === 'image' ? 'image' : 'document', source };
    const turns = [
      question,
      said.assistant([{ type: 'tool_use', id: call.id, name: call.name, input: {} }]),
      said.user([{ type: 'tool_result', tool_use_id: call.id, content: [said.text('Here.'), block] }]),
    ];
    return {
      result: (end) => ({ max_tokens: 50, tools: [{ name: call.name, input_schema: parameters }], messages: [...turns, ...end] }),
      asked: () => ({ max_tokens: 50, messages: [said.user([block])] }),
    };
  },
  responses: (medium) => {
    const { kind, url } = media[medium];
    const part = kind === 'image' ? { type: 'input_image', image_url: url } : { type: 'input_file', file_data: url, filename: 'a.pdf' };
    const turns = [
      question,
      { type: 'function_call', call_id: call.id, name: call.name, arguments: '{}' },
      { type: 'function_call_output', call_id: call.id, output: [{ type: 'input_text', text: 'Here.' }, part] },
    ];
    return {
      result: (end) => ({ tools: [{ type: 'function', name: call.name, parameters, strict: false }], input: [...turns, ...end] }),
      asked: () => ({ input: [said.user([part])] }),
    };
  },
};

interface Lane {
  readonly vendor: Vendor<string | Buffer>;
  /** Absent: the vendor's own. */
  readonly entry?: object;
  readonly model?: string;
  /** What it takes of a tool's result. */
  readonly takes: readonly Medium[];
  readonly strict?: string;
}

const compatible = (type: string, model: string, more: object = {}) => ({
  vendor: chatCompletionsVendor,
  entry: { type, api_key: 'key', free: true, ...more },
  model,
});
const priced = { pricing: { prompt: 1, completion: 1 }, context_length: 100_000, max_tokens: 1_000 };

const lanes: Readonly<Record<string, Lane>> = {
  'a server of one’s own': { vendor: chatCompletionsVendor, takes: ['png', 'svg', 'address'] },
  'a server that is paid': { ...compatible('openai-compatible', 'paid', { free: false }), takes: [] },
  OpenAI: { ...compatible('openai', 'gpt-5.1'), takes: ['png', 'address', 'pdf'], strict: 'openai' },
  Mistral: { ...compatible('mistral', 'mistral-large-latest'), takes: all, strict: 'mistral' },
  'Mistral, by its package': {
    ...compatible('ai-sdk', 'mistral-large-2512', { options: { package: '@ai-sdk/mistral' } }),
    takes: ['png', 'svg', 'pdf'],
    strict: 'mistral',
  },
  Anthropic: { vendor: anthropicVendor, takes: ['png', 'address', 'pdf'] },
  Gemini: { vendor: geminiVendor, takes: ['png'] },
  Ollama: { vendor: ollamaVendor, takes: ['png', 'svg'] },
  Cohere: { vendor: cohereVendor, takes: ['png', 'svg', 'address'] },
  'Claude on Bedrock': { vendor: bedrockVendor, takes: ['png', 'pdf'] },
  'another on Bedrock': { vendor: bedrockVendor, model: 'amazon.nova-pro-v1:0', takes: ['png', 'pdf'] },
};

const cells = Object.keys(lanes).flatMap((lane) =>
  Object.keys(formats).flatMap((format) =>
    all.flatMap((medium) => (formats[format]!(medium) ? [true, false].map((sees) => [lane, format, medium, sees] as const) : [])),
  ),
);

describe('What a tool has brought', () => {
  const upstream = useUpstream();
  const names = Object.keys(lanes);
  const idOf = (lane: string, sees: boolean) => `${sees ? 'seeing' : 'blind'}-${names.indexOf(lane)}/${modelOf(lanes[lane]!)}`;
  const gateway = useGateway(() => {
    const entries = Object.entries(lanes).flatMap(([lane, one]) =>
      [true, false].map((vision) => {
        const own = one.vendor.provider(upstream.origin) as { models: Record<string, object> };
        const facts = { ...(one.entry ? {} : own.models[modelOf(one)]), ...(lane.includes('paid') && priced), capabilities: { vision } };
        const [prefix] = idOf(lane, vision).split('/');
        return [prefix, { ...own, ...one.entry, prefix: `${prefix}/`, models: { [modelOf(one)]: facts } }];
      }),
    );
    const entry = (vision: boolean) => ({
      base_url: `${upstream.origin}/${vision ? 'seeing' : 'blind'}/v1`,
      free: true,
      models: { both: { capabilities: { vision } } },
    });
    return Gateway.start({ providers: { ...(Object.fromEntries(entries) as object), first: entry(false), second: entry(true) } });
  });

  function modelOf({ vendor: { model: own }, model = own }: Lane): string {
    return model;
  }

  function answer({ vendor: { answer: answerOf, messages = answerOf } }: Lane, { path }: RecordedRequest) {
    if (path.endsWith('/responses')) return { headers: json, body: wholeResponse([text('Noon.')]) };
    return (path.endsWith('/invoke') ? messages : answerOf)({ text: 'Noon.' }, false);
  }

  it.each(cells)(
    'goes on, or is refused once, and then told in words and reported: %s, %s, %s (sees: %p)',
    async (lane, format, medium, sees) => {
      const { kind, mark } = media[medium];
      const taken = lanes[lane]!.takes.includes(medium) && (sees || kind !== 'image');
      upstream.accepts = lanes[lane]!.strict === undefined ? undefined : vendor(lanes[lane]!.strict);
      upstream.replies((request) => answer(lanes[lane]!, request));
      for (const end of [[], [next], [said.assistant('Noon.'), next]]) {
        const body = { model: idOf(lane, sees), ...formats[format]!(medium)!.result(end) };
        if (!taken && end.length === 0) {
          const refusal = await gateway.post(format, body).expect(400);
          expect(JSON.stringify(refusal.body)).toContain(`'messages.content.${kind}'`);
          continue;
        }
        const { headers } = await gateway.post(format, body).expect(200);
        const { body: asked } = upstream.requests.at(-1)!;
        expect([asked.includes(mark), asked.includes(`[${kind} left out: the model does not take it]`)]).toEqual([taken, !taken]);
        expect(headers['x-switchyard-dropped-parameters']).toBe(taken ? undefined : `messages.content.${kind}`);
      }
    },
  );

  it.each(Object.keys(formats).flatMap((format) => names.map((lane) => [format, lane] as const)))(
    'is not what a user shows, which is refused where the model sees nothing: %s, %s',
    async (format, lane) => {
      upstream.replies((request) => answer(lanes[lane]!, request));
      const refusal = await gateway.post(format, { model: idOf(lane, false), ...formats[format]!('png')!.asked() }).expect(400);
      expect(JSON.stringify(refusal.body)).toContain('does not accept images');
      expect(upstream.requests).toEqual([]);
    },
  );

  it('goes to the offer that takes it', async () => {
    upstream.replies((request) => answer(lanes['a server of one’s own']!, request));
    const { result } = formats['chat/completions']!('png')!;
    await gateway.post('chat/completions', { model: 'both', ...result([]) }).expect(200);
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/seeing/v1/chat/completions']);
    await gateway.post('chat/completions', { model: 'both', messages: [question] }).expect(200);
    expect(upstream.requests.at(-1)!.path).toBe('/blind/v1/chat/completions');
  });
});

describe('What a tool has brought, where nothing may be left out', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() =>
    Gateway.start({
      providers: { own: { base_url: `${upstream.origin}/v1`, free: true, models: { blind: {} } } },
      routing: { strict_parameters: true },
    }),
  );

  it('is refused by its kind', async () => {
    const { result } = formats['chat/completions']!('png')!;
    const refusal = await gateway.post('chat/completions', { model: 'blind', ...result([next]) });
    expectError(refusal, 400, 'unsupported_parameter');
    expect(JSON.stringify(refusal.body)).toContain("'messages.content.image'");
  });
});

import type { Attack, Found } from '../attack.ts';
import { messages } from '../customer.ts';
import { CACHE_NANO, COMPLETION_NANO, costOf } from '../prices.ts';
import type { Scene } from '../scene.ts';

const group = '1 bound';
const MB = 'z'.repeat(1_000_000);
const WORDS = 'Lorem ipsum dolor sit amet, consectetur. '.repeat(25_000);

/** Sends one body and tells whether the provider has got it, and what the gateway said. */
async function send(scene: Scene, body: object): Promise<{ status: number; passed: boolean; bytes: number }> {
  const { status } = await scene.ask(body);
  const [exchange] = scene.provider.seen;
  return { status, passed: exchange !== undefined, bytes: exchange?.raw.length ?? 0 };
}

/** A megabyte somewhere in the body: whatever is passed on is counted, and paid. */
const megabyte = (where: string, members: object, short = false): Attack => ({
  group,
  name: `1 MB in ${where}`,
  short,
  async run(scene) {
    const { status, bytes } = await send(scene, { model: 'm', max_tokens: 5, messages: messages('Hello'), ...members });
    return { got: `${status}, provider got ${bytes} bytes` };
  },
});

/** A part whose tokens its bytes do not tell. @param model `seeing` has ceilings, and `m` has none */
const part = (name: string, content: object, tokens: number, model: 'm' | 'seeing' = 'm'): Attack => ({
  group,
  name: `a part ${name} that counts ${tokens} tokens${model === 'm' ? '' : ', with a ceiling'}`,
  short: name === 'video_url' && model === 'm',
  async run(scene) {
    scene.provider.plays((exchange) => {
      exchange.prompt = tokens;
      return exchange.answer('Seen.');
    });
    const { status, passed } = await send(scene, { model, max_tokens: 5, messages: messages([{ type: 'text', text: 'Look' }, content]) });
    return { got: `${status}, ${passed ? 'passed on' : 'not passed on'}` };
  },
});

/** Tokens that a vendor's cache has read and written, as it counts them beside the rest. */
const caching = (model: string, marks: object, counts: { read: number; write5m: number; write1h: number }, priced: boolean): Attack => ({
  group,
  name: `cache_control ${priced ? 'with a price' : 'without a price'}, ${JSON.stringify(marks)}`,
  async run(scene) {
    const { read, write5m, write1h } = counts;
    scene.provider.plays((exchange) => {
      const marked = exchange.raw.includes('cache_control');
      [exchange.prompt, exchange.said] = [10, 3];
      if (marked)
        exchange.besides = BigInt(read) * CACHE_NANO.cached + BigInt(write5m) * CACHE_NANO.write5m + BigInt(write1h) * CACHE_NANO.write1h;
      exchange.json(200, {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude',
        content: [{ type: 'text', text: 'Good.' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: {
          input_tokens: 10,
          output_tokens: 3,
          ...(marked && {
            cache_read_input_tokens: read,
            cache_creation_input_tokens: write5m + write1h,
            cache_creation: { ephemeral_5m_input_tokens: write5m, ephemeral_1h_input_tokens: write1h },
          }),
        },
      });
    });
    const content = [{ type: 'text', text: WORDS, cache_control: { type: 'ephemeral', ...marks } }];
    const { status } = await scene.ask({ model, max_tokens: 5, messages: messages(content) });
    const marked = scene.provider.seen.some(({ raw }) => raw.includes('cache_control'));
    return {
      got: `${status}, ${marked ? 'marked' : 'not marked'}`,
      broken: marked && !priced ? ['cache_control reached the provider'] : [],
    };
  },
});

/** A field that changes price or reach: it is not passed on unless somebody has priced it. */
const reach = (name: string, value: unknown): Attack => ({
  group,
  name: `the field ${name}`,
  short: name === 'N',
  async run(scene) {
    scene.provider.plays((exchange) => {
      if (name in exchange.body) exchange.thought = 5_000;
      return exchange.answer('Well.');
    });
    const { status } = await send(scene, { model: 'm', max_tokens: 5, messages: messages('Hello'), [name]: value });
    const [exchange] = scene.provider.seen;
    const passed = exchange !== undefined && name in exchange.body;
    return { got: `${status}, ${passed ? 'passed on' : 'not passed on'}`, broken: passed ? [`${name} reached the provider`] : [] };
  },
});

const overrun = (name: string, model: string, stream: boolean, maxTokens: number | undefined, thought: number): Attack => ({
  group,
  name,
  short: stream && maxTokens === 1,
  async run(scene): Promise<Found> {
    scene.provider.plays((exchange) => {
      exchange.think(thought);
      return exchange.answer('x', 1);
    });
    const { status } = await scene.ask({ model, stream, max_tokens: maxTokens, messages: messages('Think.') });
    return { got: `${status}, ${thought + 1} tokens` };
  },
});

export const boundAttacks: readonly Attack[] = [
  megabyte('chat_template', { chat_template: MB }, true),
  megabyte('documents', { documents: [{ title: 'All', text: WORDS }] }),
  megabyte('an unknown field, nested', { vendor_options: { deep: [{ text: WORDS }] } }),
  megabyte(
    'tool_call_id',
    {
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: MB, content: 'x' },
      ],
    },
    true,
  ),
  megabyte('the name of a message', { messages: [{ role: 'user', name: MB, content: 'Hello' }] }),
  megabyte('an unknown field of a message', { messages: [{ role: 'user', content: 'Hello', annotations: [WORDS] }] }),
  megabyte('an unknown field of a part', { messages: messages([{ type: 'text', text: 'Hello', cache: WORDS }]) }),
  megabyte('user', { user: MB }),
  megabyte('stop words', { stop: [MB] }),
  megabyte('a grammar', { grammar: MB, guided_json: { type: 'object', description: WORDS } }),
  part('video_url', { type: 'video_url', video_url: { url: 'https://example.com/film.mp4' } }, 1_000_000),
  part('video_url', { type: 'video_url', video_url: { url: 'https://example.com/film.mp4' } }, 1_000_000, 'seeing'),
  part('image_url', { type: 'image_url', image_url: { url: 'https://example.com/image.png' } }, 700, 'seeing'),
  part('image_url', { type: 'image_url', image_url: { url: 'https://example.com/image.png', detail: 'high' } }, 20_000, 'seeing'),
  part('file_id', { type: 'file', file: { file_id: 'file-0123456789' } }, 1_000_000),
  part('image_url', { type: 'image_url', image_url: { url: 'https://example.com/image.png' } }, 700),
  part('image_url (large)', { type: 'image_url', image_url: { url: 'https://example.com/image.png', detail: 'high' } }, 20_000),
  part('input_audio', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, 100_000),
  overrun('max_tokens 1, 5,000 counted, streamed', 'm', true, 1, 4_999),
  overrun('max_tokens 1, 5,000 counted, as a whole', 'm', false, 1, 4_999),
  overrun('no max_tokens, 5,000 counted', 'm', true, undefined, 4_999),
  {
    group,
    name: 'beyond the hold with next to no balance',
    async run(scene) {
      scene.provider.plays((exchange) => {
        exchange.think(15_000);
        return exchange.answer('x', 1);
      });
      const [exchanges, statuses]: [number[], number[]] = [[], []];
      for (let index = 0; index < 4; index++) {
        const { status } = await scene.ask({ model: 'm', stream: true, max_tokens: 1, messages: messages('Think.') }, {}, scene.poor);
        statuses.push(status);
        await scene.settled();
        exchanges.push(scene.provider.seen.length);
      }
      // 0.6 credits are there, and each answer costs 0.45.
      const due = scene.provider.due < 600_000_000n ? scene.provider.due : 600_000_000n;
      return { got: statuses.join(', '), due };
    },
  },
  caching('claude', {}, { read: 0, write5m: 250_000, write1h: 0 }, false),
  caching('caching', {}, { read: 0, write5m: 250_000, write1h: 0 }, true),
  caching('caching', { ttl: '1h' }, { read: 1_000, write5m: 0, write1h: 250_000 }, true),
  caching('caching', { ttl: '5m' }, { read: 250_000, write5m: 5, write1h: 0 }, true),
  ...Object.entries({
    N: 5,
    Max_Tokens: 50_000,
    models: ['dear-model'],
    route: 'fallback',
    provider: { order: ['dear'] },
    plugins: [{ id: 'web' }],
    service_tier: 'priority',
    web_search_options: { search_context_size: 'high' },
    prediction: { type: 'content', content: 'a long text' },
    store: true,
    background: true,
    modalities: ['text', 'audio'],
    extra_body: { n: 5 },
    transforms: ['middle-out'],
  }).map(([name, value]) => reach(name, value)),
  {
    group,
    name: 'half of what a provider counts beyond the hold, by 40 at a time',
    async run(scene) {
      scene.provider.plays((exchange) => {
        exchange.think(2_000);
        return exchange.answer('x', 1);
      });
      const answers = await scene.many(80, 40, () => scene.ask({ model: 'm', stream: true, max_tokens: 1, messages: messages('Think.') }));
      return { got: `${answers.filter(({ status }) => status === 200).length} answers`, due: costOf(0, 0) + scene.provider.due };
    },
  },
  {
    group,
    name: 'a count beyond all plausibility',
    short: true,
    async run(scene) {
      scene.provider.plays(async (exchange) => {
        await exchange.say('x', 1);
        await exchange.finish();
        await exchange.usage({ prompt_tokens: exchange.prompt, completion_tokens: 900_000_000_000 });
        exchange.end();
      });
      const { status } = await scene.ask({ model: 'small', stream: true, max_tokens: 50, messages: messages('Hello') });
      const [exchange] = scene.provider.seen;
      // The model has a context of 2,000 tokens and says at most 100.
      return { got: `${status}, 1 token`, due: exchange!.due, share: [0, 1], most: costOf(2_000, 0) + 100n * COMPLETION_NANO };
    },
  },
];

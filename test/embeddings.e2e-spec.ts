import { OpenAIEmbeddings } from '@langchain/openai';
import OpenAI from 'openai';
import { type RecordedRequest, type Reply } from '../src/providers/testing/loopback-upstream.js';
import type { EmbeddingList } from '../src/wire/embedding.js';
import { Gateway } from './support/gateway.js';
import { jsonReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { expectError, expectedAnswer } from './support/wire-schemas.js';

interface Asked {
  readonly model: string;
  readonly input: readonly (string | readonly number[])[];
  readonly encoding_format?: string;
  readonly dimensions?: number;
  readonly input_type?: string;
}

const askedOf = ({ body }: RecordedRequest): Asked => JSON.parse(body) as Asked;

/** An embedding by which each input is known again: its length, and 0.5. */
const numbersOf = (input: { readonly length: number }): number[] => [input.length, 0.5];
const base64Of = (numbers: readonly number[]): string => Buffer.from(Float32Array.from(numbers).buffer).toString('base64');

/** Whole numbers of an embedding, and the forms in which vendors write them. */
const sixtyFour = Array.from({ length: 64 }, (_, at) => ((at * 37) % 101) - 50);
const forms = {
  numbers: (numbers: readonly number[]) => numbers,
  floats: base64Of,
  'signed bytes': (numbers: readonly number[]) => Buffer.from(Int8Array.from(numbers)).toString('base64'),
  'unsigned bytes': (numbers: readonly number[]) => Buffer.from(numbers.map((number) => number + 128)).toString('base64'),
  bits: (numbers: readonly number[]) => Buffer.from(numbers.map((number, at) => (number > 0 ? at : 0))).toString('base64'),
  doubles: (numbers: readonly number[]) => Buffer.from(Float64Array.from(numbers).buffer).toString('base64'),
};

/** Answers in OpenAI's format, the last input first. */
function answered(request: RecordedRequest, usage?: object): Reply {
  const { input, encoding_format } = askedOf(request);
  const data = input.map((one, index) => {
    const embedding = encoding_format === 'base64' ? base64Of(numbersOf(one)) : numbersOf(one);
    return { object: 'embedding', index, embedding };
  });
  const tokens = input.length * 3;
  const counted = usage ?? { prompt_tokens: tokens, total_tokens: tokens };
  return jsonReply({ object: 'list', data: data.toReversed(), model: 'vendor', usage: counted });
}

const json = (body: unknown, status = 200): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Answers that have not one embedding with numbers for each of two inputs. */
const wrong: readonly (readonly [what: string, body: unknown])[] = [
  ['no data', { object: 'list' }],
  ['fewer than inputs', { data: [{ index: 0, embedding: [1] }] }],
  ['twice the same', { data: [{ index: 0, embedding: [1] }, { index: 0, embedding: [1] }] }], // prettier-ignore
  ['an empty one', { data: [{ embedding: [1] }, { embedding: [] }] }],
  ['what are no numbers', { data: [{ embedding: [1] }, { embedding: ['x'] }] }],
  ['text that is no base64', { data: [{ embedding: [1] }, { embedding: '<b>' }] }],
  ['those of another length', { data: [{ embedding: [1] }, { embedding: [1, 2] }] }],
  ['floats that are no numbers', { data: [{ embedding: [1] }, { embedding: base64Of([NaN]) }] }],
  ['none', { data: [{ embedding: [1] }, {}] }],
  ['an error', { error: { message: 'no' } }],
];

const cosine = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, number, at) => sum + number * b[at]!, 0);

describe('POST /v1/embeddings', () => {
  const upstream = useUpstream();
  const other = useUpstream();
  const gateway = useGateway(() => {
    const pricing = { prompt: 0.001, completion: 0 };
    return Gateway.start({
      providers: {
        vendor: {
          base_url: `${upstream.origin}/v1`,
          models: {
            'vendor-embedding': { pricing, context_length: 1_000, embeddings: { dimensions: 2 } },
            'by-fours': { upstream_model: 'vendor-embed', pricing, context_length: 1_000, embeddings: { dimensions: 2, inputs: 4 } },
            'by-tokens': { upstream_model: 'vendor-embed', pricing, context_length: 50, embeddings: { dimensions: 2, tokens: 100 } },
            'texts-embedding': { pricing, context_length: 1_000, embeddings: { token_ids: false }, parameters: ['user'] },
            'long-embedding': { pricing, context_length: 1_000, embeddings: { dimensions: 4_096 } },
            'free-embedding': { pricing: { prompt: 0, completion: 0 }, context_length: 1_000 },
            ...Object.fromEntries(Object.keys(forms).map((form) => [`${form}-embedding`, { pricing, context_length: 1_000 }])),
            'text-embedding-3-small': { pricing },
            ...Object.fromEntries(wrong.map((_, at) => [`wrong-${at}-embedding`, { pricing, context_length: 1_000 }])),
            talker: { pricing, max_tokens: 10, context_length: 100 },
          },
        },
        perplexity: {
          type: 'perplexity',
          base_url: upstream.origin,
          models: Object.fromEntries(['pplx-embed-v1-0.6b', 'pplx-embed-v1-4b'].map((id) => [id, { pricing }])),
        },
        second: { base_url: `${other.origin}/v1`, models: { 'shared-embedding': { pricing, context_length: 1_000 } } },
        first: { base_url: `${upstream.origin}/v1`, models: { 'shared-embedding': { pricing, context_length: 1_000 } } },
      },
      models: { 'shared-embedding': { offers: [{ provider: 'first' }, { provider: 'second' }] } },
      routing: { retries: 0 },
    });
  });
  beforeEach(() => upstream.replies(answered));

  const post = (fields: object, key?: string) => gateway.post('embeddings', { model: 'vendor-embedding', input: 'Ahoj', ...fields }, key);

  const embed = async (fields: object = {}, key?: string): Promise<EmbeddingList> =>
    expectedAnswer(await post(fields, key), 'embeddingList') as EmbeddingList;

  const embeddings = ({ data }: EmbeddingList): unknown[] => data.map(({ embedding }) => embedding);

  describe('the request', () => {
    it.each<[string, object, Partial<Asked>]>([
      ['a text', { input: 'Žofia' }, { input: ['Žofia'] }],
      ['texts', { input: ['a', 'bb'] }, { input: ['a', 'bb'] }],
      ['token ids', { input: [1, 22, 333] }, { input: [[1, 22, 333]] }],
      ['several arrays of token ids', { input: [[1], [22, 333]] }, { input: [[1], [22, 333]] }],
      ['dimensions', { dimensions: 2 }, { dimensions: 2 }],
      ['what an embedding is for', { input_type: 'query' }, { input_type: 'query' }],
      ['a long text', { input: ['a', 'x'.repeat(200_000)] }, { input: ['a', 'x'.repeat(200_000)] }],
      ['a long text alone', { input: 'é"\n'.repeat(50_000) }, { input: ['é"\n'.repeat(50_000)] }],
    ])('goes on with %s', async (_, fields, expected) => {
      const list = await embed(fields);
      expect(askedOf(upstream.requests[0]!)).toEqual({ model: 'vendor-embedding', input: ['Ahoj'], ...expected });
      const { input = ['Ahoj'] } = expected;
      expect(embeddings(list)).toEqual(input.map(numbersOf));
      expect(list.data.map(({ index }) => index)).toEqual(input.map((__, index) => index));
    });

    it.each<[string, string, object]>([
      ['invalid_request', 'input must be', { input: undefined }],
      ['invalid_request', 'input must be', { input: '' }],
      ['invalid_request', 'input must be', { input: [] }],
      ['invalid_request', 'input must be', { input: { text: 'a' } }],
      ['invalid_request', 'input[1] must be a non-empty string', { input: ['a', ''] }],
      ['invalid_request', 'input[1] must be a non-empty string', { input: ['a', 1] }],
      ['invalid_request', 'input[1] must be a token id', { input: [1, 'a'] }],
      ['invalid_request', 'input[0] must be a token id', { input: [-1] }],
      ['invalid_request', 'input[1] must be a non-empty array', { input: [[1], []] }],
      ['invalid_request', 'input[0][1] must be a token id', { input: [[1, 0.5]] }],
      ['invalid_request', '2049 elements', { input: Array.from({ length: 2_049 }, () => 'a') }],
      ['invalid_request', 'encoding_format', { encoding_format: 'int8' }],
      ['invalid_request', 'dimensions', { dimensions: 0 }],
      ['invalid_request', 'may have 3145728 numbers', { model: 'long-embedding', input: Array.from({ length: 2_048 }, () => 'a') }],
      ['unsupported_parameter', 'token ids', { model: 'texts-embedding', input: [1, 2] }],
      ['unsupported_parameter', 'dimensions', { model: 'texts-embedding', dimensions: 2 }],
      ['unsupported_model', 'embeddings', { model: 'talker' }],
      ['unsupported_model', 'embeddings', { model: 'sandbox-chat' }],
      ['context_length_exceeded', 'input[1] has 1001 tokens', { input: [[1], Array.from({ length: 1_001 }, () => 7)] }],
    ])('is refused with %s (%s)', async (code, message, fields) => {
      const { status, body } = await post(fields);
      expectError({ status, body }, 400, code);
      expect((body as { error: { message: string } }).error.message).toContain(message);
      expect(upstream.requests).toEqual([]);
    });
  });

  describe('the numbers', () => {
    it('are passed on in base64 as the provider has written them', async () => {
      const list = await embed({ input: ['a', 'bb'], encoding_format: 'base64' });
      expect(askedOf(upstream.requests[0]!).encoding_format).toBe('base64');
      expect(embeddings(list)).toEqual([base64Of([1, 0.5]), base64Of([2, 0.5])]);
    });

    it.each(['float', 'base64'] as const)('are converted where the provider has not written them as %s', async (format) => {
      const unasked = format === 'float' ? base64Of([0.25, -1]) : [0.25, -1];
      upstream.replies(json({ object: 'list', data: [{ object: 'embedding', index: 0, embedding: unasked }] }));
      const list = await embed({ encoding_format: format });
      expect(embeddings(list)).toEqual([format === 'float' ? [0.25, -1] : base64Of([0.25, -1])]);
    });

    it.each<[written: keyof typeof forms, fields: object, got: 'numbers' | 'an error', model?: string]>([
      ['numbers', { dimensions: 64 }, 'numbers'],
      ['numbers', { dimensions: 32 }, 'an error'],
      ['floats', { encoding_format: 'base64' }, 'numbers'],
      ['floats', { encoding_format: 'base64', dimensions: 64 }, 'numbers'],
      ['floats', { encoding_format: 'base64', dimensions: 32 }, 'an error'],
      // Nobody has asked for it, and nobody knows what it is.
      ['floats', {}, 'an error'],
      ['floats', { dimensions: 64 }, 'numbers'],
      ['signed bytes', {}, 'an error'],
      ['signed bytes', { dimensions: 64 }, 'an error'],
      ['signed bytes', { dimensions: 16 }, 'an error'],
      ['signed bytes', { encoding_format: 'base64' }, 'an error'],
      ['signed bytes', { encoding_format: 'base64', dimensions: 64 }, 'an error'],
      ...(['unsigned bytes', 'bits'] as const).flatMap((written) =>
        [{}, { dimensions: 64 }, { encoding_format: 'base64' }, { encoding_format: 'base64', dimensions: 64 }].map(
          (fields): [typeof written, object, 'an error'] => [written, fields, 'an error'],
        ),
      ),
      ['doubles', { encoding_format: 'base64', dimensions: 64 }, 'an error'],
      ['signed bytes', {}, 'numbers', 'pplx-embed-v1-0.6b'],
      ['signed bytes', { dimensions: 64 }, 'numbers', 'pplx-embed-v1-0.6b'],
      ['signed bytes', { dimensions: 32 }, 'an error', 'pplx-embed-v1-0.6b'],
      ['signed bytes', { encoding_format: 'base64' }, 'numbers', 'pplx-embed-v1-4b'],
      ['signed bytes', { encoding_format: 'base64', dimensions: 64 }, 'numbers', 'pplx-embed-v1-4b'],
      ['numbers', {}, 'numbers', 'pplx-embed-v1-4b'],
    ])('that come as %s, asked with %j, are %s', async (written, fields, got, model = `${written}-embedding`) => {
      upstream.replies(json({ data: [{ index: 0, embedding: forms[written](sixtyFour) }] }));
      const answer = await post({ model, ...fields });
      if (got === 'an error') return expectError(answer, 502, 'upstream_error');
      const due = 'encoding_format' in fields ? base64Of(sixtyFour) : sixtyFour;
      expect(embeddings(answer.body as EmbeddingList)).toEqual([due]);
    });

    it('of a vendor that has signed bytes alone are asked for at its own path, without a format', async () => {
      await embed({ model: 'pplx-embed-v1-4b', encoding_format: 'base64' });
      const [request] = upstream.requests;
      expect([request!.path, askedOf(request!).encoding_format]).toEqual(['/v1/embeddings', undefined]);
    });

    it.each(wrong.map(([what, body], at) => [what, body, `wrong-${at}-embedding`] as const))(
      'are refused where there are %s, and cost nothing',
      async (_, body, model) => {
        upstream.replies(json(body));
        const before = await gateway.balance();
        const answer = await post({ input: ['a', 'b'], model });
        expectError(answer, 502, 'upstream_error');
        expect(await gateway.balance()).toBe(before);
      },
    );
  });

  describe('many inputs', () => {
    const inputs = (count: number) => Array.from({ length: count }, (_, at) => 'x'.repeat((at % 7) + 1));

    it('become as many calls as the provider’s limits ask for, and one answer', async () => {
      const input = inputs(10);
      const list = await embed({ model: 'by-fours', input });
      expect(upstream.requests.map((request) => askedOf(request).input.length).toSorted((a, b) => a - b)).toEqual([2, 4, 4]);
      expect(embeddings(list)).toEqual(input.map(numbersOf));
      expect(list.usage).toEqual({ prompt_tokens: 30, total_tokens: 30 });
    });

    it('are charged as one request', async () => {
      const customer = await gateway.newCustomer('1');
      await embed({ model: 'by-fours', input: inputs(9) }, customer.liveKey);
      const [row, ...more] = await gateway.usage(1, customer);
      expect(more).toEqual([]);
      expect(row).toMatchObject({ operation: 'embeddings', prompt_tokens: 27n, completion_tokens: 0n, outcome: 'completed' });
      // 27 tokens at 0.001 credits for 1,000.
      expect(await gateway.balance(customer)).toBe(1_000_000_000n - 27_000n);
    });

    it('are shared out by the tokens that they may have', async () => {
      await embed({ model: 'by-tokens', input: inputs(10) });
      const calls = upstream.requests.map((request) => askedOf(request).input);
      expect(calls.length).toBeGreaterThan(1);
      // An input may have as many tokens as bytes, and 16 around it.
      for (const input of calls) expect(input.reduce((sum, one) => sum + one.length + 16, 0)).toBeLessThanOrEqual(100);
    });

    it('are none where one of their calls fails', async () => {
      const before = await gateway.balance();
      upstream.replies((request) =>
        askedOf(request).input.length === 1 ? json({ error: { message: 'too odd' } }, 400) : answered(request),
      );
      const answer = await post({ model: 'by-fours', input: inputs(9) });
      expectError(answer, 400, 'invalid_request');
      expect(await gateway.balance()).toBe(before);
    });

    it('are 2,048 in one request', async () => {
      const list = await embed({ input: Array.from({ length: 2_048 }, () => 'a') });
      expect(list.data).toHaveLength(2_048);
      expect(upstream.requests).toHaveLength(1);
    });
  });

  describe('the money', () => {
    it('held is every byte of the inputs, up to what each may have', async () => {
      const held: bigint[] = [];
      const customer = await gateway.newCustomer('1');
      for (const input of ['é'.repeat(100), ['a', 'b'.repeat(5_000)], [[15, 7]]]) {
        let release = (): void => undefined;
        const asked = upstream.nextRequest();
        const waits = new Promise<void>((resolve) => (release = resolve));
        upstream.replies((request) => ({ ...answered(request), delay: 300 }));
        const answer = post({ input }, customer.liveKey).then((done) => (release(), done));
        await asked;
        held.push(await gateway.held(customer));
        await waits;
        expect((await answer).status).toBe(200);
      }
      // 1,000 nano-credits a token; 16 around the request, 16 around each input.
      expect(held).toEqual([(16n + 216n) * 1_000n, (16n + 17n + 1_000n) * 1_000n, (16n + 21n) * 1_000n]);
    });

    it('is refused where the account cannot pay for them', async () => {
      const customer = await gateway.newCustomer('0.0001');
      const { status, body } = await post({ input: 'x'.repeat(200) }, customer.liveKey);
      expectError({ status, body }, 402, 'insufficient_credits');
      expect(upstream.requests).toEqual([]);
    });

    it('is that of an estimate where the provider does not count, and exact for token ids', async () => {
      const customer = await gateway.newCustomer('1');
      const uncounted = (request: RecordedRequest) => answered(request, {});
      upstream.replies(uncounted);
      const list = await embed({ input: [[1, 22, 333], [4]] }, customer.liveKey);
      expect(list.usage).toEqual({ prompt_tokens: 4, total_tokens: 4 });
      upstream.replies((request) => answered(request, { prompt_tokens: 0, total_tokens: 0 }));
      const { usage } = await embed({ input: 'the kitchen was warm and quiet' }, customer.liveKey);
      expect(usage.prompt_tokens).toBeGreaterThan(2);
      expect(usage.prompt_tokens).toBeLessThan(8);
      expect(await gateway.balance(customer)).toBe(1_000_000_000n - 1_000n * BigInt(4 + usage.prompt_tokens));
    });

    it('does not follow a count that is not possible', async () => {
      const customer = await gateway.newCustomer('1');
      upstream.replies((request) => answered(request, { prompt_tokens: 1_001, total_tokens: 1_001 }));
      const { usage } = await embed({ input: 'a' }, customer.liveKey);
      expect(usage.prompt_tokens).toBe(1);
    });

    it('is nothing for a model that costs nothing', async () => {
      const customer = await gateway.newCustomer('0');
      await embed({ model: 'free-embedding', input: 'a' }, customer.liveKey);
      expect(await gateway.balance(customer)).toBe(0n);
    });
  });

  describe('the pipeline', () => {
    it('asks another provider where one fails', async () => {
      upstream.replies({ status: 503 });
      other.replies(answered);
      expect(embeddings(await embed({ model: 'shared-embedding', input: 'abc' }))).toEqual([[3, 0.5]]);
    });

    it('gives a repeated request the same answer, at no cost', async () => {
      const customer = await gateway.newCustomer('1');
      const once = () => post({ input: ['a', 'bb'] }, customer.liveKey).set('idempotency-key', 'embeddings-1');
      const [first, second] = [await once(), await once()];
      expect(second.body).toEqual(first.body);
      expect(second.headers['idempotent-replayed']).toBe('true');
      expect(upstream.requests).toHaveLength(1);
      const chat = await gateway
        .post('chat/completions', { model: 'talker', messages: [{ role: 'user', content: 'Hi' }] }, customer.liveKey)
        .set('idempotency-key', 'embeddings-1');
      expectError(chat, 409, 'idempotency_conflict');
    });

    it('costs nothing where the client leaves while it waits for a connection’s answer', async () => {
      const customer = await gateway.newCustomer('1');
      const asked = upstream.nextRequest();
      upstream.replies({ ending: 'silent' });
      const abort = new AbortController();
      const left = fetch(`${gateway.url}/v1/embeddings`, {
        method: 'POST',
        headers: { authorization: `Bearer ${customer.liveKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'vendor-embedding', input: 'abc' }),
        signal: abort.signal,
      }).catch(() => 'left');
      const request = await asked;
      abort.abort();
      expect(await left).toBe('left');
      await request.closed;
      expect(await gateway.balance(customer)).toBe(1_000_000_000n);
    });
  });

  describe('the catalogue', () => {
    it('tells what they are', async () => {
      const { body } = await gateway.get('models/text-embedding-3-small?include_capabilities=true');
      expect(body).toMatchObject({
        context_length: 8_192,
        capabilities: { chat: false, completion: false, embeddings: true, output_modalities: ['embeddings'] },
      });
    });
  });

  describe('sandbox-embedding', () => {
    const vectors = async (input: readonly (string | number[])[], fields: object = {}, key?: string) =>
      embeddings(await embed({ model: 'sandbox-embedding', input, ...fields }, key)) as number[][];

    const texts = [
      'How do I bake bread with flour and yeast?',
      'Knead the dough and put the loaf into a hot oven.',
      'The train to Brno leaves from platform two.',
      'Which railway station is the end of this line?',
      'Rain and wind in April, and snow on the hills.',
      'Clouds, a storm, and thunder in the evening.',
    ];

    it('puts texts of one subject together', async () => {
      const all = await vectors(texts);
      for (const [index, one] of all.entries()) {
        const others = all.map((another, at) => (at === index ? -1 : cosine(one, another)));
        // Each text has its pair beside it.
        expect([texts[index], others.indexOf(Math.max(...others))]).toEqual([texts[index], index ^ 1]);
      }
    });

    it('makes unit vectors of as many numbers as are asked for, and the same for the same text', async () => {
      for (const dimensions of [undefined, 3, 64, 1_000]) {
        const [one, same] = await vectors(['a warm kitchen', 'a warm kitchen'], { dimensions });
        expect(one).toHaveLength(dimensions ?? 256);
        expect(cosine(one!, one!)).toBeCloseTo(1, 4);
        expect(same).toEqual(one);
      }
    });

    it('takes token ids, and any text', async () => {
      const [one, same, unlike] = await vectors([[1, 2, 3], [3, 2, 1], [900, 901]]); // prettier-ignore
      expect(cosine(one!, same!)).toBeCloseTo(1, 4);
      expect(cosine(one!, unlike!)).toBeLessThan(0.9);
      for (const vector of await vectors(['…', '東京は晴れです', ' '])) expect(cosine(vector, vector)).toBeCloseTo(1, 4);
    });

    it('refuses an input beyond its context', async () => {
      const { status, body } = await post({ model: 'sandbox-embedding', input: 'word '.repeat(9_000) });
      expectError({ status, body }, 400, 'context_length_exceeded');
    });

    it('answers test keys for every model, with as many numbers as that one has', async () => {
      const [vector] = await vectors(['a'], { model: 'text-embedding-3-small' }, gateway.customer.testKey);
      expect(vector).toHaveLength(1_536);
      expect(upstream.requests).toEqual([]);
    });
  });

  describe('official clients', () => {
    const connection = () => ({ apiKey: gateway.customer.liveKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });

    it('openai: decodes what it asks for as base64', async () => {
      const client = new OpenAI(connection());
      const { data, usage, model } = await client.embeddings.create({ model: 'vendor-embedding', input: ['a', 'bb'] });
      expect(askedOf(upstream.requests[0]!).encoding_format).toBe('base64');
      expect(data.map(({ embedding }) => Array.from(embedding))).toEqual([[1, 0.5], [2, 0.5]]); // prettier-ignore
      expect([usage.prompt_tokens, model]).toEqual([6, 'vendor-embedding']);
      const plain = await client.embeddings.create({ model: 'vendor-embedding', input: 'a', encoding_format: 'float' });
      expect(plain.data[0]!.embedding).toEqual([1, 0.5]);
    });

    it('LangChain: embeds documents and queries, in batches of its own', async () => {
      const { apiKey, baseURL, maxRetries } = connection();
      const model = new OpenAIEmbeddings({ apiKey, model: 'sandbox-embedding', batchSize: 2, maxRetries, configuration: { baseURL } });
      const documents = await model.embedDocuments(['flour and yeast', 'a train at the station', 'rain and thunder']);
      const query = await model.embedQuery('When does the train leave?');
      const close = documents.map((one) => cosine(one, query));
      expect(close.indexOf(Math.max(...close))).toBe(1);
    });
  });
});

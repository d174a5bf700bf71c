import { type RecordedRequest, type Reply } from '../src/providers/testing/loopback-upstream.js';
import type { RerankList } from '../src/wire/rerank.js';
import { Gateway } from './support/gateway.js';
import { useGateway, useUpstream } from './support/started.js';
import { expectError, expectedAnswer } from './support/wire-schemas.js';

type Asked = Readonly<Record<string, unknown>> & { readonly documents?: readonly string[]; readonly texts?: readonly string[] };

const askedOf = ({ body }: RecordedRequest): Asked => JSON.parse(body) as Asked;

const json = (body: unknown, status = 200): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** The longer, the more relevant: by its score a document is known again. */
const scoreOf = (text: string): number => text.length / 100;

/** All scores, the best first, as vendors list them. */
const ranked = (texts: readonly string[], name = 'relevance_score', more: (text: string) => object = () => ({})) =>
  texts
    .map((text, index) => ({ index, [name]: scoreOf(text), ...more(text) }))
    .toSorted((a, b) => scoreOf(texts[b.index]!) - scoreOf(texts[a.index]!));

/** Members of a body that the vendor does not know, or texts that are none. */
const wrongIn = (asked: Asked, known: readonly string[]): string | undefined => {
  const odd = Object.keys(asked).find((name) => !known.includes(name));
  const texts = asked.documents ?? asked.texts ?? [];
  return odd ?? (texts.length > 0 && texts.every((text) => typeof text === 'string') ? undefined : 'documents');
};

/** What each vendor answers, and refuses, at its own path. */
const vendors: Readonly<Record<string, (asked: Asked) => Reply>> = {
  '/v2/rerank': (asked) => {
    const wrong = wrongIn(asked, ['model', 'query', 'documents', 'top_n', 'max_tokens_per_doc', 'priority']);
    if (wrong) return json({ id: '1', message: `invalid request: ${wrong}` }, 400);
    const { documents = [] } = asked;
    const billed_units = { search_units: Math.ceil(documents.length / 100) };
    return json({ id: '1', results: ranked(documents), meta: { api_version: { version: '2' }, billed_units } });
  },
  '/jina/v1/rerank': (asked) => {
    const wrong = wrongIn(asked, ['model', 'query', 'documents', 'top_n', 'return_documents', 'truncation', 'max_doc_length']);
    if (wrong) return json({ detail: `[${wrong}] is wrong` }, 422);
    const { documents = [], return_documents = true } = asked;
    const results = ranked(documents, 'relevance_score', (text) => (return_documents === true ? { document: { text } } : {}));
    return json({ model: asked['model'], object: 'list', usage: { total_tokens: documents.length * 10 }, results });
  },
  '/vllm/v1/rerank': (asked) => {
    const { documents = [] } = asked;
    const results = ranked(documents, 'relevance_score', (text) => ({ document: { text, multi_modal: null } }));
    return json({ id: 'rerank-1', model: asked['model'], usage: { total_tokens: documents.length * 7 }, results });
  },
  '/rerank': (asked) => {
    const wrong = wrongIn(asked, ['query', 'texts', 'truncate', 'raw_scores', 'return_text', 'truncation_direction']);
    const { texts = [] } = asked;
    if (wrong) return json({ error: `unknown field ${wrong}`, error_type: 'Validation' }, 422);
    if (texts.length > 32) return json({ error: 'batch size > maximum allowed batch size 32', error_type: 'Validation' }, 413);
    return json(ranked(texts, 'score'));
  },
};

/** Answers that have not one score for each of two documents. */
const wrong: readonly (readonly [what: string, body: unknown])[] = [
  ['no results', { object: 'list' }],
  ['fewer than documents', { results: [{ index: 0, relevance_score: 1 }] }],
  ['twice the same', { results: [{ index: 0, relevance_score: 1 }, { index: 0, relevance_score: 1 }] }], // prettier-ignore
  ['places beyond the documents', { results: [{ index: 0, relevance_score: 1 }, { index: 2, relevance_score: 1 }] }], // prettier-ignore
  ['what are no numbers', { results: [{ index: 0, relevance_score: 1 }, { index: 1, relevance_score: 'x' }] }], // prettier-ignore
  ['one more', { results: [0, 1, 2].map((index) => ({ index, relevance_score: 1 })) }],
  ['an error', { error: { message: 'no' } }],
];

describe('POST /v1/rerank', () => {
  const upstream = useUpstream();
  const answered = (request: RecordedRequest): Reply => vendors[request.path]?.(askedOf(request)) ?? json({ error: 'Not Found' }, 404);
  const perToken = { prompt: 0.001, completion: 0 };
  const gateway = useGateway(() =>
    Gateway.start({
      providers: {
        cohere: {
          type: 'cohere',
          api_key: 'sk-cohere',
          base_url: upstream.origin,
          models: { 'rerank-v4.0-pro': { pricing: { prompt: 0, completion: 0, search: 2 }, context_length: 4_000 } },
        },
        jina: {
          type: 'jina',
          api_key: 'sk-jina',
          base_url: `${upstream.origin}/jina/v1`,
          models: { 'jina-reranker-v3': { pricing: perToken } },
        },
        vllm: {
          type: 'vllm',
          base_url: `${upstream.origin}/vllm/v1`,
          models: { 'bge-reranker': { pricing: perToken, context_length: 1_000 } },
        },
        tei: { type: 'tei', base_url: upstream.origin, models: { 'tei-reranker': { pricing: perToken, context_length: 1_000 } } },
        house: {
          base_url: `${upstream.origin}/vllm/v1`,
          models: {
            'house-rerank': { pricing: perToken, context_length: 1_000 },
            'by-search-rerank': { pricing: { prompt: 0, completion: 0, search: 2 }, context_length: 1_000 },
            talker: { pricing: perToken, max_tokens: 10, context_length: 100 },
          },
        },
      },
      routing: { retries: 0 },
    }),
  );
  beforeEach(() => upstream.replies(answered));

  const documents = ['a', 'bbb', 'cc'];
  const post = (fields: object, key?: string) => gateway.post('rerank', { model: 'house-rerank', query: 'q', documents, ...fields }, key);
  const rerank = async (fields: object = {}, key?: string): Promise<RerankList> =>
    expectedAnswer(await post(fields, key), 'rerankList') as RerankList;
  const places = ({ results }: RerankList): number[] => results.map(({ index }) => index);
  const texts = (count: number): string[] => Array.from({ length: count }, (_, at) => 'x'.repeat(1 + ((at * 7) % count)));

  describe.each(['rerank-v4.0-pro', 'jina-reranker-v3', 'bge-reranker', 'tei-reranker', 'house-rerank'])('%s', (model) => {
    it('sorts documents by the scores of its vendor', async () => {
      const { results } = await rerank({ model });
      expect(results).toEqual([1, 2, 0].map((index) => ({ index, relevance_score: scoreOf(documents[index]!) })));
    });

    it('sorts objects with texts, cuts them, and sends them back where the client asks for it', async () => {
      const long = 'ž"'.repeat(50_000);
      const { results } = await rerank({
        model,
        documents: [{ text: 'a' }, { text: long }, { text: 'cc' }],
        top_n: 2,
        return_documents: true,
      });
      expect(results).toEqual([
        { index: 1, relevance_score: 1_000, document: { text: long } },
        { index: 2, relevance_score: 0.02, document: { text: 'cc' } },
      ]);
    });
  });

  it('is asked for all scores, and for no documents', async () => {
    await rerank({ model: 'rerank-v4.0-pro', top_n: 1, return_documents: true, max_tokens_per_doc: 100 });
    await rerank({ model: 'jina-reranker-v3', top_n: 1, return_documents: true });
    await rerank({ model: 'tei-reranker', truncate: true });
    expect(upstream.requests.map(askedOf)).toEqual([
      { model: 'rerank-v4.0-pro', query: 'q', documents, max_tokens_per_doc: 100 },
      { model: 'jina-reranker-v3', query: 'q', documents, return_documents: false },
      { query: 'q', texts: documents, truncate: true },
    ]);
  });

  it('leaves out parameters that the vendor does not know', async () => {
    const { headers } = await post({ model: 'rerank-v4.0-pro', rank_fields: ['title'] }).expect(200);
    expect(headers['x-switchyard-dropped-parameters']).toBe('rank_fields');
  });

  it('asks more calls where the vendor takes fewer texts, and sorts all of them', async () => {
    const many = texts(70);
    const list = await rerank({ model: 'tei-reranker', documents: many });
    expect(upstream.requests.map((request) => askedOf(request).texts!.length).toSorted((a, b) => a - b)).toEqual([6, 32, 32]);
    expect(list.results.map(({ index }) => many[index])).toEqual(many.toSorted((a, b) => b.length - a.length));
  });

  it.each<[string, string, object]>([
    ['invalid_request', 'query must be', { query: '' }],
    ['invalid_request', 'query must be', { query: 'x'.repeat(16_385) }],
    ['invalid_request', 'documents must be a non-empty array', { documents: [] }],
    ['invalid_request', 'documents must be a non-empty array', { documents: 'a' }],
    ['invalid_request', 'documents[1] must be', { documents: ['a', ''] }],
    ['invalid_request', 'documents[1] must be', { documents: ['a', { text: 1 }] }],
    ['invalid_request', 'documents[0] must be', { documents: [['a']] }],
    ['invalid_request', '1001 elements', { documents: Array.from({ length: 1_001 }, () => 'a') }],
    ['invalid_request', 'bytes together', { documents: Array.from({ length: 3 }, () => 'ž'.repeat(2 * 1024 * 1024)) }],
    ['invalid_request', 'top_n', { top_n: 0 }],
    ['invalid_request', 'return_documents', { return_documents: 'yes' }],
    ['unsupported_model', 'does not support rerank', { model: 'talker' }],
    ['unsupported_model', 'does not support rerank', { model: 'sandbox-chat' }],
  ])('is refused with %s (%s) before anybody is asked', async (code, message, fields) => {
    const { status, body } = await post(fields);
    expectError({ status, body }, 400, code);
    expect((body as { error: { message: string } }).error.message).toContain(message);
    expect(upstream.requests).toEqual([]);
  });

  it.each(wrong)('is an error where the vendor answers with %s, and costs nothing', async (_, body) => {
    const before = await gateway.balance();
    upstream.replies(json(body));
    const answer = await post({ documents: ['a', 'b'] });
    expect([502, 503]).toContain(answer.status);
    expect(await gateway.balance()).toBe(before);
  });

  describe('the money', () => {
    const nano = 1_000_000_000n;

    it('is by tokens where tokens have a price', async () => {
      const customer = await gateway.newCustomer('1');
      const list = await rerank({ model: 'jina-reranker-v3' }, customer.liveKey);
      expect(list).toMatchObject({ usage: { prompt_tokens: 30, total_tokens: 30 } });
      expect(list).not.toHaveProperty('meta');
      const [row, ...more] = await gateway.usage(1, customer);
      expect(more).toEqual([]);
      expect(row).toMatchObject({ operation: 'rerank', prompt_tokens: 30n, completion_tokens: 0n, outcome: 'completed' });
      expect(await gateway.balance(customer)).toBe(nano - 30_000n);
    });

    it.each<[string, number, number]>([
      ['rerank-v4.0-pro', 100, 1],
      ['rerank-v4.0-pro', 101, 2],
      // A vendor that does not count them is taken to search for each 100 documents.
      ['by-search-rerank', 250, 3],
    ])('is by searches where searches have a price: %s, %i documents', async (model, count, searches) => {
      const customer = await gateway.newCustomer('1');
      const list = await rerank({ model, documents: texts(count) }, customer.liveKey);
      expect(list.meta).toEqual({ billed_units: { search_units: searches } });
      expect(await gateway.balance(customer)).toBe(nano - BigInt(searches) * 2_000_000n);
    });

    it('is for no more searches than were held, whatever the vendor counts', async () => {
      const customer = await gateway.newCustomer('1');
      upstream.replies(json({ results: ranked(documents), meta: { billed_units: { search_units: 900 } } }));
      await rerank({ model: 'rerank-v4.0-pro' }, customer.liveKey);
      expect(await gateway.balance(customer)).toBe(nano - 2_000_000n);
    });

    it('held is that of the searches that long documents may count as', async () => {
      const customer = await gateway.newCustomer('1');
      let release = (): void => undefined;
      const when = new Promise<void>((resolve) => (release = resolve));
      const asked = upstream.nextRequest();
      upstream.replies((request) => ({ ...answered(request), when }));
      // 60 documents of 1,000 tokens at most are 180 of 500 with the query and what stands around them.
      const answer = post({ model: 'rerank-v4.0-pro', documents: texts(60).map(() => 'x'.repeat(1_000)) }, customer.liveKey).then(
        (done) => done,
      );
      await asked;
      expect(await gateway.held(customer)).toBe(2n * 2_000_000n);
      release();
      expect((await answer).status).toBe(200);
    });

    it('is refused where the account cannot pay for it', async () => {
      const customer = await gateway.newCustomer('0.001');
      expectError(await post({ model: 'rerank-v4.0-pro' }, customer.liveKey), 402, 'insufficient_credits');
      expect(upstream.requests).toEqual([]);
    });

    it('is taken once where the client repeats the request with its key', async () => {
      const customer = await gateway.newCustomer('1');
      const send = () => post({ model: 'jina-reranker-v3' }, customer.liveKey).set('idempotency-key', 'once').expect(200);
      const [first, again] = [await send(), await send()];
      expect(again.body).toEqual(first.body);
      expect(await gateway.balance(customer)).toBe(nano - 30_000n);
    });
  });

  describe('sandbox-rerank', () => {
    const model = 'sandbox-rerank';
    const cities = ['Trains to Brno', 'The rain in Prague', 'A train from Prague to Brno'];

    it('scores by the share of the query’s words, the same every time', async () => {
      const list = await rerank({ model, query: 'train Prague', documents: cities }, gateway.customer.testKey);
      expect(list.results).toEqual([
        { index: 2, relevance_score: 1 },
        { index: 0, relevance_score: 0.5 },
        { index: 1, relevance_score: 0.5 },
      ]);
      const again = await rerank({ model, query: 'train Prague', documents: cities }, gateway.customer.testKey);
      expect(again.results).toEqual(list.results);
      expect(list.usage.total_tokens).toBeGreaterThan(5);
    });

    it('stands in for the models of others for test keys', async () => {
      expect(places(await rerank({ model: 'rerank-v4.0-pro', query: 'rain', documents: cities }, gateway.customer.testKey))[0]).toBe(1);
      expect(upstream.requests).toEqual([]);
    });

    it('is found by its capability, which no other model has', async () => {
      const { body } = await gateway.get('models?capability=rerank').expect(200);
      const ids = (body as { data: { id: string }[] }).data.map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining(['rerank-v4.0-pro', 'jina-reranker-v3', 'tei-reranker', 'bge-reranker']));
      expect(ids).not.toContain('talker');
    });
  });
});

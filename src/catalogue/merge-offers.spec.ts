import { configSchema } from '../config/config.schema.js';
import type { ModelProvider, ProviderModel } from '../providers/contract/model-provider.js';
import { mergeOffers, type ProviderList } from './merge-offers.js';

const model = (id: string, more: Partial<ProviderModel> = {}): ProviderModel => ({
  id,
  created: 1,
  price: { prompt: '1', completion: '2' },
  contextLength: 1000,
  maxTokens: 100,
  capabilities: { chat: true, completion: false, function_calling: false, vision: false, embeddings: false, json_mode: false },
  parameters: [],
  ...more,
});

const list = (id: string, ...models: ProviderModel[]): ProviderList => ({ provider: { id, name: id } as ModelProvider, models });
const merged = (yaml: object, ...lists: ProviderList[]) => {
  const { offers, problems } = mergeOffers(lists, configSchema.parse(yaml));
  const names = Object.fromEntries(
    [...offers].map(([id, of]) => [id, of.map(({ provider, upstreamModel }) => `${provider.id}/${upstreamModel}`)]),
  );
  return { offers, problems, names };
};

describe('mergeOffers', () => {
  it('joins the offers of one id in the order of the providers, ids in order', () => {
    const { names } = merged({}, list('b', model('m'), model('z')), list('a', model('m', { upstreamModel: 'm-2' }), model('c')));
    expect(names).toEqual({ c: ['a/c'], m: ['b/m', 'a/m-2'], z: ['b/z'] });
    expect(Object.keys(names)).toEqual(['c', 'm', 'z']);
  });

  it('takes the offers of a model from the configuration where it lists them', () => {
    const offers = [{ provider: 'a', model: 'm-eu', weight: 3, pricing: { prompt: 5, completion: 5 } }, { provider: 'b' }];
    const result = merged(
      { models: { m: { offers, max_tokens: 7, created: 5 } } },
      list('a', model('m-eu'), model('m')),
      list('b', model('m')),
    );
    expect(result.names).toEqual({ m: ['a/m-eu', 'b/m'], 'm-eu': ['a/m-eu'] });
    expect(result.offers.get('m')).toMatchObject([
      { modelId: 'm', weight: 3, maxTokens: 7, price: { prompt: 5_000_000_000n } },
      { modelId: 'm', weight: 1, maxTokens: 7, created: 5, price: { prompt: 1_000_000_000n } },
    ]);
  });

  it('says what the configuration names and nobody has', () => {
    const yaml = {
      models: { m: { offers: [{ provider: 'nobody' }, { provider: 'a', model: 'x' }] } },
      routing: { aliases: { fast: 'y', m2: 'm2' }, auto: { models: ['z'] } },
    };
    expect(merged(yaml, list('a', model('m2'))).problems).toEqual([
      "model 'm' is not offered by nobody: it has no model 'm'",
      "model 'm' is not offered by a: it has no model 'x'",
      "alias 'fast' names the unknown model 'y'",
      "alias 'm2' is the id of a model",
      "auto names the unknown model 'z'",
    ]);
  });

  it('says nothing of a name that a provider may have which has not told its models yet', () => {
    const yaml = { models: { m: { offers: [{ provider: 'b' }] } }, routing: { aliases: { fast: 'y' }, auto: { models: ['z'] } } };
    expect(merged(yaml, list('a'), { ...list('b'), complete: false }).problems).toEqual([]);
  });

  it('gives an alias the offers of its model and auto those of all its models', () => {
    const yaml = { routing: { aliases: { fast: 'm' }, auto: { models: ['n', 'fast'] } } };
    expect(merged(yaml, list('a', model('m'), model('n'))).names).toEqual({ auto: ['a/n', 'a/m'], fast: ['a/m'], m: ['a/m'], n: ['a/n'] });
  });

  it('leaves out a model whose price is finer than a nano-credit, and says so', () => {
    const { names, problems } = merged({}, list('a', model('m', { price: { prompt: '0.0000000001', completion: 1 } }), model('n')));
    expect(names).toEqual({ n: ['a/n'] });
    expect(problems).toEqual(["model 'm' is left out: more than 9 decimals: 0.0000000001"]);
  });

  it.each<[string, unknown]>([
    ['contextLength', undefined],
    ['contextLength', 1_000.5],
    ['contextLength', -5],
    ['maxTokens', Number.NaN],
    ['maxTokens', '100'],
    ['created', new Date(0)],
  ])('leaves out a model of a module whose %s is no whole number, and says so: %p', (fact, value) => {
    const { names, problems } = merged({}, list('a', model('m', { [fact]: value }), model('n')));
    expect(names).toEqual({ n: ['a/n'] });
    expect(problems).toEqual([`model 'm' is left out: its ${fact} is no whole number from 0 on`]);
  });

  it.each<[string, () => ProviderModel, string]>([
    ['throws', () => JSON.parse('no') as ProviderModel, 'is not valid JSON'],
    ['tells a price that is none', () => model('x', { price: { prompt: 'abc', completion: 1 } }), 'not a plain decimal number: abc'],
  ])('goes on without the names of a provider whose open %s, and says so', (_, open, why) => {
    const offers = [{ provider: 'a', model: 'listed' }, { provider: 'b' }];
    const yaml = { models: { n: { offers } }, routing: { aliases: { fast: 'a/other' }, auto: { models: ['a/third', 'n'] } } };
    const opening = list('a');
    opening.provider.open = open;
    const { names, problems } = merged(yaml, opening, list('b', model('n')));
    expect(names).toEqual({ auto: ['b/n'], n: ['b/n'] });
    for (const id of ['a/any-name', 'a/other', 'a/third']) {
      expect(problems.filter((problem) => problem.startsWith(`model '${id}' is left out: `) && problem.includes(why))).toHaveLength(1);
    }
    expect(problems).toContain("alias 'fast' names the unknown model 'a/other'");
  });

  it('leaves out names that a store does not take, with which it would take no price of any model', () => {
    const named = ['a\0b', 'a\ud800', '', 'a'.repeat(513), 'a'.repeat(512), 'org/m:1 é🚦'];
    const { names, problems } = merged({}, list('p', ...named.map((id) => model(id))));
    expect(Object.keys(names)).toEqual([named[4], named[5]]);
    expect(problems).toEqual([
      "model 'a\0b' is left out: its name has a control character, or half a surrogate pair",
      "model 'a\ud800' is left out: its name has a control character, or half a surrogate pair",
      "model '' is left out: a name has 1 to 512 characters",
      `model '${'a'.repeat(512)}' is left out: a name has 1 to 512 characters`,
    ]);
  });

  describe('what is switched off', () => {
    const off = (id: string, provider?: string) => ({ model: id, provider, message: 'Back at noon', createdAt: 1 });
    const statuses = (switches: ReturnType<typeof off>[]) => {
      const yaml = { routing: { aliases: { fast: 'm' }, auto: { models: ['n', 'm'] } } };
      const lists = [list('a', model('m'), model('n')), list('b', model('m', { price: undefined }))];
      const { offers, problems } = mergeOffers(lists, configSchema.parse(yaml), switches);
      const of = (id: string) =>
        offers.get(id)!.map(({ status, unpriced }) => (status.active ? 'on' : unpriced ? 'unpriced' : status.message));
      return { problems, m: of('m'), n: of('n'), fast: of('fast'), auto: of('auto') };
    };

    it('is inactive at every provider and under every id, also where it has no price', () => {
      const both = ['Back at noon', 'Back at noon'];
      expect(statuses([off('m')])).toEqual({ problems: [], m: both, n: ['on'], fast: both, auto: ['on', ...both] });
    });

    it('is one offer where the switch names a provider', () => {
      expect(statuses([off('m', 'a')])).toMatchObject({ m: ['Back at noon', 'unpriced'], fast: ['Back at noon', 'unpriced'] });
    });

    it('can be an alias alone', () => {
      expect(statuses([off('fast')])).toMatchObject({ m: ['on', 'unpriced'], fast: ['Back at noon', 'Back at noon'] });
    });

    it('is reported where nobody offers it', () => {
      expect(statuses([off('x'), off('n', 'b')]).problems).toEqual([
        "'x' is switched off, and nobody offers it",
        "'b/n' is switched off, and nobody offers it",
      ]);
    });
  });

  describe('prices that are missing', () => {
    const priced = { prompt: '1', completion: '2' };
    const said = (setting: 'warn' | 'refuse', ...models: ProviderModel[]) => {
      const { offers, missingPrices } = mergeOffers([list('a', ...models)], configSchema.parse({ catalogue: { missing_prices: setting } }));
      return { missingPrices, states: [...offers.values()].map(([offer]) => offer.status) };
    };

    it.each<[string, Partial<ProviderModel>]>([
      ['search', { hostedCalls: ['search'] }],
      ['search', { parameters: ['web_search_options'] }],
      ['search, hosted_call', { hostedCalls: ['search', 'hosted_call'], ownPrice: true }],
      ['hosted_call', { hostedCalls: ['search', 'hosted_call'], price: { ...priced, search: '5' } }],
      ['search', { parameters: ['web_search'], price: { ...priced, request: '5' } }],
      ['audio_input', { inputCeilings: { audio: 10 }, ownPrice: true }],
      ['audio_output, image_output', { parameters: ['modalities'], ownPrice: true }],
      ['image_output', { outputModalities: ['text', 'image'], ownPrice: true }],
    ])('are named: %s', (names, more) => {
      const { missingPrices, states } = said('warn', model('m', more));
      expect(missingPrices).toEqual([expect.stringContaining(`m at a has no price for ${names}: `)]);
      expect(states[0]!.active).toBe(true);
      const refused = said('refuse', model('m', more));
      expect(refused.states[0]).toEqual({ active: false, message: `no price set for ${names}` });
      expect(refused.missingPrices).toEqual([expect.stringContaining('it is inactive')]);
    });

    it.each<[string, Partial<ProviderModel>]>([
      ['nothing can be used', {}],
      ['the price is told', { hostedCalls: ['search'], price: { ...priced, search: '5' } }],
      ['it is told to be nothing', { parameters: ['web_search_options'], price: { ...priced, search: '0' } }],
      ['the vendor charges each request', { hostedCalls: ['search'], price: { ...priced, request: '5' } }],
      ['nobody pays', { hostedCalls: ['search'], price: { prompt: 0, completion: 0 } }],
      ['it has no price at all', { hostedCalls: ['search'], price: undefined }],
      ['it is switched off', { hostedCalls: ['search'], status: { active: false, message: 'off' } }],
      ['a data set tells that sound costs as much as text', { inputCeilings: { audio: 10 } }],
    ])('are not where %s', (_why, more) => {
      const before = said('warn', model('m', more));
      const refused = said('refuse', model('m', more));
      expect([before.missingPrices, refused.missingPrices]).toEqual([[], []]);
      expect(refused.states).toEqual(before.states);
    });

    it('count for names that pass through, too', () => {
      const provider = { id: 'a', name: 'a', open: (name: string) => model(name, { hostedCalls: ['search'] }) };
      const config = configSchema.parse({ catalogue: { missing_prices: 'refuse' }, routing: { aliases: { fast: 'a/other' } } });
      const { offers, missingPrices } = mergeOffers([{ provider: provider as unknown as ModelProvider, models: [] }], config);
      expect(missingPrices).toEqual([expect.stringContaining('a/any-name at a')]);
      expect(offers.get('fast')![0].status.active).toBe(false);
    });
  });
});

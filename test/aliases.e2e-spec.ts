import { LivePerformance } from '../src/catalogue/live-performance.js';
import { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { useGateway, useOperator, useUpstream } from './support/started.js';
import { until } from './support/until.js';

interface Offers {
  readonly data: { readonly model: string; readonly provider: string; readonly traffic: { readonly calls: number } }[];
}

describe('An alias', () => {
  const upstream = useUpstream();
  const base = { base_url: '', models: { m: { pricing: { prompt: 1, completion: 1 }, context_length: 100, max_tokens: 10 } } };
  const gateway = useGateway(() => {
    const provider = { ...base, base_url: `${upstream.origin}/v1` };
    return Gateway.start({
      providers: { one: provider, two: provider, three: provider },
      models: {
        m: {
          strategy: 'weighted',
          // Whatever is drawn, an offer of such a weight comes first.
          offers: [
            { provider: 'one', weight: 1e-9 },
            { provider: 'two', weight: 1e9 },
          ],
        },
        s: { strategy: 'sticky', offers: ['one', 'two', 'three'].map((id) => ({ provider: id, model: 'm' })) },
      },
      routing: { aliases: { fast: 'm', faster: 'fast', kept: 's' } },
    });
  });
  const operator = useOperator(gateway);
  beforeEach(() => upstream.replies(chatReply('Hello')));

  const ask = async (model: string, content = 'Hello') => {
    const { body, headers } = await gateway.post('chat/completions', { model, messages: [{ role: 'user', content }] }).expect(200);
    expect(body).toMatchObject({ model });
    return headers['x-switchyard-served-by'];
  };
  const listOf = async (path: string) => (await operator.get(path).expect(200)).body as Offers;

  it.each(['fast', 'faster'])('is routed by the strategy and the weights of its model: %s', async (alias) => {
    expect(await ask('m')).toBe('two/m');
    expect(await ask(alias)).toBe('two/m');
    const tried = { request: { model: alias, messages: [{ role: 'user', content: 'Hello' }] } };
    expect((await operator.post('routing/try', tried).expect(200)).body).toMatchObject({ model: 'm', strategy: 'weighted' });
  });

  it('keeps a conversation where its model does', async () => {
    for (let subject = 0; subject < 8; subject++) expect(await ask('kept', `${subject}`)).toBe(await ask('s', `${subject}`));
  });

  it('is its model in records, usage, metrics, prices and the list of offers', async () => {
    await ask('fast');
    const records = async () => (await listOf('requests')) as unknown as { readonly data: { readonly status: number | null }[] };
    await until(async () => {
      const { data } = await records();
      return data.length > 0 && data.every(({ status }) => status !== null);
    }, 'the records');
    for (const path of [
      `accounts/${gateway.customer.accountId}/usage?by=model`,
      `accounts/${gateway.customer.accountId}/requests`,
      'prices',
      'offers',
    ])
      expect((await listOf(path)).data.filter(({ model }) => ['fast', 'faster', 'kept'].includes(model))).toEqual([]);
    expect(await (await fetch(`${gateway.url}/metrics`)).text()).not.toMatch(/model="(fast|faster|kept)"/);
    await gateway.running.app.get(LivePerformance).share();
    const own = `accounts/${gateway.customer.accountId}`;
    const filtered = ['requests', `${own}/requests`, 'usage', `${own}/usage`, `${own}/usage/series`].map((path) => `${path}?model=`);
    for (const path of [...filtered, 'offers?model=', 'prices?model=', 'models/']) {
      const [prefix, suffix] = path === 'models/' ? [path, '/prices'] : [path, ''];
      const [named, aliased] = [await listOf(`${prefix}m${suffix}`), await listOf(`${prefix}fast${suffix}`)];
      expect(aliased).toEqual(named);
      expect(named.data.length).toBeGreaterThan(0);
    }
  });
});

import { LivePerformance } from '../src/catalogue/live-performance.js';
import { Administration } from './support/administration.js';
import type { Customer } from './support/customer.js';
import { describeGateways } from './support/describe-gateways.js';
import { useGateway, useOperator } from './support/started.js';
import { until } from './support/until.js';

interface Shown {
  readonly id: string;
  readonly first_token_ms: number | null;
  readonly history: { readonly time: string; readonly calls: number; readonly uptime_percentage: number }[];
}

describeGateways('The models of an account', (start) => {
  let customer: Customer;
  let viewer: Administration;

  const gateway = useGateway(() => start());
  const operator = useOperator(gateway);
  beforeAll(async () => {
    customer = await gateway.newCustomer();
    viewer = await Administration.as(gateway.running, 'viewer', customer.accountId);
  });

  const models = () => `accounts/${customer.accountId}/models`;
  const list = async (): Promise<Shown[]> => ((await viewer.get(`${models()}?limit=200`).expect(200)).body as { data: Shown[] }).data;

  it('are those of the catalogue, with details, page by page', async () => {
    const all = await list();
    const { body } = await gateway.get('models?include_capabilities=true&active_only=false', customer.liveKey);
    expect(all).toMatchObject((body as { data: object[] }).data.map((model) => ({ ...model, performance: expect.any(Object) as object })));
    const first = (await viewer.get(`${models()}?limit=1`)).body as { data: Shown[]; next: string };
    const second = (await viewer.get(`${models()}?limit=1&after=${encodeURIComponent(first.next)}`)).body as { data: Shown[] };
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(all.slice(0, 2).map(({ id }) => id));
  });

  it('have live figures and a history', async () => {
    const one = async () => (await viewer.get(`${models()}/sandbox-text`).expect(200)).body as Shown;
    expect(await one()).toMatchObject({
      first_token_ms: null,
      history: [],
      providers: ['sandbox'],
      performance: { uptime_percentage: 100 },
    });
    // At temperature 0 it answers with a text each time; drawn by chance, now and then with nothing.
    const body = { model: 'sandbox-text', prompt: 'Hello', max_tokens: 2, temperature: 0 };
    await (await gateway.stream('completions', body, { key: customer.liveKey })).text();
    await gateway.post('completions', body, customer.liveKey).expect(200);
    await until(async () => (await one()).first_token_ms !== null, 'the first token');
    // Gateways tell each other every ten seconds.
    await gateway.running.app.get(LivePerformance).share();
    const callsOf = (points: Shown['history']): number => points.reduce((calls, point) => calls + point.calls, 0);
    const { history } = await one();
    expect(callsOf(history)).toBe(2);
    for (const { time } of history) expect(Date.parse(time) % 900_000).toBe(0);
    const listed = (await list()).find(({ id }) => id === 'sandbox-text');
    expect([callsOf(listed!.history), listed!.history[0]!.uptime_percentage]).toEqual([2, 100]);
    expect(Date.parse(listed!.history[0]!.time) % 3_600_000).toBe(0);
  });

  it('are only those that its rules allow', async () => {
    await operator.patch(`accounts/${customer.accountId}`, { rules: { models: { allow: ['sandbox-t*'] } } }).expect(200);
    const names = (await list()).map(({ id }) => id);
    expect(names).toContain('sandbox-text');
    expect(names.every((id) => id.startsWith('sandbox-t'))).toBe(true);
    const refused = await viewer.get(`${models()}/sandbox-chat`);
    expect([refused.status, refused.body]).toMatchObject([404, { error: { code: 'model_not_found' } }]);
    const { body } = await operator.get(`accounts/${(await gateway.newCustomer()).accountId}/models/sandbox-chat`).expect(200);
    expect(body).toMatchObject({ id: 'sandbox-chat' });
  });
});

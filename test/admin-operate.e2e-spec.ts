import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigReload } from '../src/config/config-reload.js';
import { ConfigService } from '../src/config/config.service.js';
import { loadConfig, settingSources } from '../src/config/load-config.js';
import { breakerSettings } from '../src/inference/routing/circuit-breaker.js';
import { CatalogueService } from '../src/catalogue/catalogue.service.js';
import { LivePerformance } from '../src/catalogue/live-performance.js';
import { PriceStore } from '../src/catalogue/price-store.js';
import { RouterService } from '../src/inference/routing/router.service.js';
import { Administration } from './support/administration.js';
import { describeGateways } from './support/describe-gateways.js';
import { expectEnvelope } from './support/expect-envelope.js';
import { Gateway } from './support/gateway.js';
import { useGateway, useOperator } from './support/started.js';

describeGateways('What operators see and switch', (start) => {
  const gateway = useGateway(() => start({ routing: { aliases: { again: 'sandbox-text' } } }));
  const operator = useOperator(gateway);

  /** All pages of a list, of one element each. */
  const walk = async <T>(path: string): Promise<T[]> => {
    const all: T[] = [];
    for (let after = ''; ;) {
      const { status, body } = await operator.get(`${path}${path.includes('?') ? '&' : '?'}limit=1${after}`);
      expect(status).toBe(200);
      const { data, next } = body as { data: T[]; next: string | null };
      all.push(...data);
      if (next === null) return all;
      expect(data).toHaveLength(1);
      after = `&after=${encodeURIComponent(next)}`;
    }
  };

  const complete = () => gateway.post('completions', { model: 'sandbox-text', prompt: 'Hello', max_tokens: 1 });

  describe('models', () => {
    it('are listed with offers and prices, page by page', async () => {
      const all = await walk<{ id: string; offers: object[] }>('models');
      expect(all.map(({ id }) => id)).toEqual([...gateway.running.app.get(CatalogueService).all()].map(({ id }) => id));
      expect(all.find(({ id }) => id === 'sandbox-text')).toEqual((await operator.get('models/sandbox-text')).body);
      expect((await operator.get('models/sandbox-text')).body).toMatchObject({
        status: { active: true },
        offers: [{ provider: 'sandbox', status: { active: true }, price: { prompt: expect.any(String) as string } }],
        switches: [],
      });
      expectEnvelope(await operator.get('models?after=nothing'), 400, 'invalid_request');
      expectEnvelope(await operator.get('models/none'), 404, 'model_not_found');
      expectEnvelope(await operator.get('models/sandbox%2Fsandbox-text'), 404, 'not_found');
    });

    it('are switched off with a message, and on again', async () => {
      const off = await operator.post('models/sandbox-text/disable', { message: 'Back at noon' });
      expect([off.status, off.body]).toMatchObject([200, { status: { active: false, message: 'Back at noon' } }]);
      expect(expectEnvelope(await complete(), 503, 'service_unavailable').message).toContain('Back at noon');
      const { body } = await operator.get('model-switches');
      expect(body).toMatchObject({ data: [{ model: 'sandbox-text', provider: null, message: 'Back at noon' }], next: null });
      expect(await walk('model-switches')).toEqual((body as { data: object[] }).data);
      const log = async () => (await operator.get('audit-log?limit=1')).body as { data: { id: string; action: string }[] };
      expect(await log()).toMatchObject({
        data: [
          {
            subject: expect.stringContaining('sandbox-text') as string,
            action: 'POST /admin/v1/models/:model/disable',
            fields: ['message'],
          },
        ],
      });
      const before = (await log()).data[0]!.id;
      expect((await operator.post('models/sandbox-text/disable', { message: 'Back at noon' })).body).toEqual(off.body);
      expect((await log()).data[0]!.id).toBe(before);
      const later = await operator.post('models/sandbox-text/disable', { message: 'Back at one' });
      expect(later.body).toMatchObject({ status: { message: 'Back at one' } });
      const on = await operator.post('models/sandbox-text/enable', {});
      expect([on.status, on.body]).toEqual([200, { model: 'sandbox-text', provider: null, lifted: 1 }]);
      expect((await complete()).status).toBe(200);
      expect(await log()).toMatchObject({ data: [{ action: 'POST /admin/v1/models/:model/enable' }] });
      expect((await operator.post('models/sandbox-text/enable', {})).body).toMatchObject({ lifted: 0 });
    });

    it('are switched off at one provider alone', async () => {
      const off = await operator.post('models/sandbox-text/disable', { provider: 'sandbox' });
      expect(off.body).toMatchObject({
        switches: [{ model: 'sandbox-text', provider: 'sandbox' }],
        offers: [{ status: { active: false } }],
      });
      expect((await operator.post('models/sandbox-text/enable', { provider: 'elsewhere' })).body).toMatchObject({ lifted: 0 });
      expect((await operator.post('models/sandbox-text/enable', { provider: 'sandbox' })).body).toMatchObject({ lifted: 1 });
    });

    it('are switched off one by one, and at one provider beside all of them, with the same message', async () => {
      const message = 'Back at noon';
      await operator.post('models/sandbox-chat/disable', { message }).expect(200);
      await operator.post('models/sandbox-text/disable', { message, provider: 'sandbox' }).expect(200);
      const { body } = await operator.post('models/sandbox-text/disable', { message }).expect(200);
      const { switches } = body as { switches: { model: string; provider: string | null }[] };
      expect(switches.map(({ model, provider }) => [model, provider])).toEqual(
        expect.arrayContaining([
          ['sandbox-text', null],
          ['sandbox-text', 'sandbox'],
        ]),
      );
      expect(switches).toHaveLength(2);
      expect((await walk<{ id: string }>('models')).find(({ id }) => id === 'sandbox-text')).toEqual(body);
      const all = await walk<{ model: string; provider: string | null }>('model-switches');
      expect(all.map(({ model, provider }) => [model, provider])).toEqual([
        ['sandbox-chat', null],
        ['sandbox-text', null],
        ['sandbox-text', 'sandbox'],
      ]);
      const lifted = await operator.post('models/sandbox-text/enable', { provider: 'sandbox' });
      expect(lifted.body).toEqual({ model: 'sandbox-text', provider: 'sandbox', lifted: 1 });
      for (const model of ['sandbox-text', 'sandbox-chat'])
        expect((await operator.post(`models/${model}/enable`, {})).body).toEqual({ model, provider: null, lifted: 1 });
      const log = (await operator.get('audit-log?limit=2')).body as { data: { id: string }[] };
      const [newest, next] = log.data.map((line) => ({ data: [line], next: line.id }));
      expect((await operator.get('audit-log?limit=1')).body).toEqual(newest);
      expect((await operator.get(`audit-log?limit=1&after=${newest!.next}`)).body).toEqual(next);
    });

    it('that nobody offers, or no such message, are refused', async () => {
      expectEnvelope(await operator.post('models/none/disable', {}), 404, 'model_not_found');
      expectEnvelope(await operator.post('models/sandbox-text/disable', { provider: 'elsewhere' }), 404, 'not_found');
      expectEnvelope(await operator.post('models/sandbox-text/disable', { message: '' }), 400, 'invalid_request');
      expectEnvelope(await operator.post('models/sandbox-text/disable', { message: 'x'.repeat(501) }), 400, 'invalid_request');
    });

    it('that nobody offers yet are switched off where that is forced', async () => {
      const { status, body } = await operator.post('models/to-come/disable', { message: 'Not before it is priced', force: true });
      const one = { model: 'to-come', provider: null, message: 'Not before it is priced' };
      expect([status, body]).toMatchObject([
        200,
        { id: 'to-come', status: { active: false, message: one.message }, offers: [], switches: [one] },
      ]);
      expect(await walk('model-switches')).toMatchObject([one]);
      expect((await operator.post('models/to-come/enable', {})).body).toMatchObject({ lifted: 1 });
      const provider = 'elsewhere';
      const offered = await operator.post('models/sandbox-text/disable', { provider, force: true });
      expect(offered.body).toMatchObject({ status: { active: true }, switches: [{ provider }] });
      await operator.post('models/sandbox-text/enable', { provider }).expect(200);
      expectEnvelope(await operator.post('models/sandbox%2Fsandbox-text/disable', { force: true }), 404, 'not_found');
    });
  });

  it('offers tell their breaker, their calls and their performance', async () => {
    const one = async () => {
      const { body } = await operator.get('offers?model=sandbox-text&provider=sandbox');
      const { data } = body as { data: { this_process: { attempts: number; breaker: object } }[] };
      expect(data).toHaveLength(1);
      return data[0]!;
    };
    const { attempts } = (await one()).this_process;
    expect((await complete()).status).toBe(200);
    expect(await one()).toMatchObject({
      model: 'sandbox-text',
      provider: 'sandbox',
      this_process: { attempts: attempts + 1, running: 0, waiting: 0, breaker: { state: 'closed', reason: null, retry_at: null } },
      performance: { uptime_percentage: 100 },
    });
    const [offer] = gateway.running.app.get(CatalogueService).find('sandbox-text').offers;
    const { circuit } = gateway.running.app.get(RouterService).healthOf(offer);
    for (let i = 0; i < breakerSettings.consecutive; i++) circuit.failed('one', false, 60_000);
    expect((await one()).this_process.breaker).toMatchObject({ state: 'closed', paused_accounts: 1 });
    circuit.probeFailed(60_000);
    const paused = (await one()).this_process.breaker as { since: string; retry_at: string };
    expect(paused).toMatchObject({ state: 'open', reason: 'probes' });
    expect(Date.parse(paused.retry_at)).toBeGreaterThan(Date.parse(paused.since));
    expect((await operator.get('models/sandbox-text')).body).toMatchObject({ status: { active: false } });
    circuit.endPause();
    expect((await one()).this_process.breaker).toMatchObject({ state: 'half_open', reason: 'probes', retry_at: null });
    expect((await complete()).status).toBe(200);
    expect((await one()).this_process.breaker).toMatchObject({ state: 'closed', reason: null });
    const all = await walk<{ model: string }>('offers');
    expect(all).toHaveLength([...gateway.running.app.get(CatalogueService).all()].flatMap(({ offers }) => offers).length);
    // Once, although it has an alias.
    expect(all.filter(({ model }) => model === 'sandbox-text')).toHaveLength(1);
    expect(await walk('offers?provider=elsewhere')).toEqual([]);
    expect(await walk('offers?model=sandbox-retired')).toMatchObject([{ status: { active: false } }]);
    expect(await one()).toMatchObject({ performance: gateway.running.app.get(LivePerformance).read([offer]) });
    expect(gateway.running.app.get(LivePerformance).read([offer])).not.toEqual(gateway.running.app.get(LivePerformance).read([]));
    const stream = await gateway.stream('chat/completions', {
      model: 'sandbox-stall',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect(await walk('offers?model=sandbox-stall')).toMatchObject([{ this_process: { running: 1, waiting: 0 } }]);
    stream.leave();
  });

  it('prices tell what is in force, and what was', async () => {
    const store = gateway.running.app.get(PriceStore);
    const before = (await operator.get('prices?model=sandbox-text&provider=sandbox')).body as { data: { id: string }[] };
    expect(before.data).toHaveLength(1);
    const offer = { provider: 'other', model: 'of old' };
    await store.add([{ ...offer, prompt: 1_500_000n, completion: 2n }]);
    await store.add([{ ...offer, prompt: 2_500_000n, completion: 2n }]);
    await store.add([{ ...offer, provider: 'third', prompt: 1n, completion: 2n }]);
    const history = await walk<{ provider: string; prompt: string; valid_from: string }>('models/of%20old/prices');
    expect(history.map(({ provider, prompt }) => [provider, prompt].join(' ')).toSorted()).toEqual([
      'other 0.0015',
      'other 0.0025',
      'third 0.000000001',
    ]);
    const times = history.map(({ valid_from }) => valid_from);
    expect(times).toEqual(times.toSorted().reverse());
    const inForce = await walk<{ model: string; prompt: string }>('prices?model=of%20old');
    expect(inForce.map(({ prompt }) => prompt)).toEqual(['0.0025', '0.000000001']);
    expect(await walk('prices?model=of%20old&provider=third')).toMatchObject([{ provider: 'third' }]);
    expect(await walk('prices')).toHaveLength((await store.current()).length);
    expect((await operator.get('models/none/prices')).body).toEqual({ data: [], next: null });
    expectEnvelope(await operator.get('models/none/prices?after=x'), 400, 'invalid_request');
  });
});

describe('The configuration as operators see it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-operate-'));
  const secrets = [
    'sk-nobody-may-see-this',
    'p%40ss-word-of-proxy',
    'p@ss-word-of-proxy',
    'a-token-of-a-header',
    'abc',
    'qqz',
    'zqj',
    'a-pepper-of-a-spec-which-is-long-enough',
  ];
  const yaml = `
keys: { pepper: a-pepper-of-a-spec-which-is-long-enough }
providers:
  far:
    base_url: https://user:abc@far.example/v1?sig=qqz
    api_key: sk-nobody-may-see-this
    proxy: http://user:p%40ss-word-of-proxy@proxy.example:3128
    headers: { x-token: a-token-of-a-header, authorization: Bearer zqj, user-agent: with sk-nobody-may-see-this }
    models: {}
`;
  let gateway: Gateway;
  let operator: Administration;
  beforeAll(async () => {
    writeFileSync(join(folder, 'switchyard.yaml'), yaml);
    const { providers, keys } = loadConfig({ cwd: folder, env: {} });
    gateway = await Gateway.start({ providers, keys });
    operator = await Administration.as(gateway.running, 'operator');
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  it('is the one in force, without a secret', async () => {
    const { status, body, text } = await operator.get('configuration');
    expect([status, body]).toMatchObject([
      200,
      {
        revision: 1,
        last_reload: null,
        sources: null,
        configuration: {
          routing: { test_provider: gateway.running.config.routing.test_provider },
          keys: { pepper: '[redacted]' },
          providers: {
            far: {
              api_key: '[redacted]',
              headers: { 'x-token': '[redacted]', authorization: '[redacted]', 'user-agent': 'with [redacted]' },
              models: {},
            },
          },
        },
      },
    ]);
    expect(text).toContain('far.example');
    expect(text).toContain('proxy.example:3128');
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });

  it('tells where values come from, and why the file cannot be used', async () => {
    const service = gateway.running.app.get(ConfigService);
    const options = { cwd: folder, env: { SWITCHYARD_ROUTING_RETRIES: '3' } };
    const nothing = () => undefined;
    const log = { log: nothing, warn: nothing, error: nothing };
    const reload = new ConfigReload(
      service,
      () => loadConfig(options),
      log,
      () => settingSources(options),
    );
    await reload.now();
    const { body } = await operator.get('configuration');
    expect(body).toMatchObject({
      revision: 2,
      last_reload: { problems: [], waiting: expect.arrayContaining(['store.data_dir']) as string[] },
      sources: { 'routing.retries': 'SWITCHYARD_ROUTING_RETRIES', 'providers.far.api_key': 'switchyard.yaml:6:14' },
      configuration: { routing: { retries: 3 } },
    });
    writeFileSync(join(folder, 'switchyard.yaml'), `${yaml}sevrer: {}\nsk-nobody-may-see-this: {}`);
    await reload.now();
    const after = (await operator.get('configuration')).body as { last_reload: { problems: string[] } };
    expect(after).toMatchObject({ revision: 2, configuration: { routing: { retries: 3 } } });
    expect(after.last_reload.problems.join()).toMatch(/sevrer.*\[redacted\]/s);
    expect(JSON.stringify(after)).not.toContain(secrets[0]);
  });
});

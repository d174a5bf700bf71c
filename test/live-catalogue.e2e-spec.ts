import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import request from 'supertest';
import { createApp } from '../src/app.setup.js';
import { LivePerformance } from '../src/catalogue/live-performance.js';
import { configSchema } from '../src/config/config.schema.js';
import { describePostgres } from '../src/database/testing/describe-engines.js';
import { TemporaryPostgres } from '../src/database/testing/temporary-postgres.js';
import { LoopbackUpstream } from '../src/providers/testing/loopback-upstream.js';
import { ModelSwitchStore } from '../src/catalogue/model-switch-store.js';
import { openDatabase } from '../src/database/open-database.js';
import { Database } from '../src/database/database.js';
import { ConfigService } from '../src/config/config.service.js';
import { verifyLedger } from '../src/billing/verify-ledger.js';
import type { Model, ModelList } from '../src/wire/model.js';
import { said } from '../src/wire/testing/said.js';
import { createCustomer } from './support/customer.js';
import { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { expectError } from './support/wire-schemas.js';

const answer = (text: string) => chatReply(text, { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 });

describe('the operator’s switches', () => {
  let commandLine: Database;
  let switches: ModelSwitchStore;

  const east = useUpstream();
  const west = useUpstream();
  const gateway = useGateway(() => {
    const models = { m: { pricing: { prompt: 1, completion: 1 }, context_length: 1000, max_tokens: 100 } };
    return Gateway.start({
      providers: { east: { base_url: `${east.origin}/v1`, models }, west: { base_url: `${west.origin}/v1`, models } },
    });
  });
  beforeAll(async () => {
    // A connection of its own, as the command line has.
    commandLine = await openDatabase(gateway.running.config.store);
    switches = new ModelSwitchStore(commandLine);
  });
  beforeEach(() => {
    east.replies(answer('from the east'));
    west.replies(answer('from the west'));
  });
  afterAll(() => commandLine.close());

  const chat = (key?: string) => gateway.post('chat/completions', { model: 'm', messages: [said.user('Hi')] }, key);
  const shown = async (key?: string): Promise<Model | undefined> =>
    ((await gateway.get('models?active_only=false', key)).body as ModelList).data.find(({ id }) => id === 'm');
  const changed = (active: boolean) => until(async () => (await shown())?.status.active === active, `active: ${active}`);

  it('take a model out of the catalogue and out of service, for both kinds of key', async () => {
    expect(await chat()).toMatchObject({ status: 200 });
    await switches.disable('m', undefined, 'Back at noon');
    await changed(false);
    for (const key of [gateway.customer.liveKey, gateway.customer.testKey]) {
      expect((await shown(key))?.status).toEqual({ active: false, message: 'Back at noon' });
      const refused = await chat(key);
      expectError(refused, 503, 'service_unavailable');
      expect(refused.body).toMatchObject({ error: { message: "The model 'm' is currently unavailable: Back at noon" } });
    }
    expect(((await gateway.get('models')).body as ModelList).data.some(({ id }) => id === 'm')).toBe(false);
    await switches.enable('m');
    await changed(true);
    expect(await chat()).toMatchObject({ status: 200 });
  });

  it('take one offer out, and the others answer', async () => {
    await switches.disable('m', 'east');
    await until(async () => (await chat()).headers['x-switchyard-served-by'] === 'west/m', 'answers from the west');
    expect((await shown())?.status.active).toBe(true);
    east.replies(answer('from the east'));
    expect(await chat()).toMatchObject({ status: 200 });
    expect(east.requests).toHaveLength(0);
    await switches.disable('m', 'west', 'The west is closed');
    await changed(false);
    expectError(await chat(), 503, 'service_unavailable');
    expect(await switches.enable('m')).toBe(2);
    await changed(true);
    expect((await chat()).headers['x-switchyard-served-by']).toBe('east/m');
  });
});

describe('probes', () => {
  const pricing = { prompt: 1, completion: 1 };

  const idle = useUpstream();
  const gateway = useGateway(() => {
    idle.replies({ headers: { 'content-type': 'application/json' }, body: '{"object":"list","data":[]}' });
    return Gateway.start({
      providers: { idle: { base_url: `${idle.origin}/v1`, models: { m: { pricing, context_length: 1000, max_tokens: 100 } } } },
      routing: { probe_interval: 20, retries: 0 },
    });
  });

  const status = async () => ((await gateway.get('models?active_only=false')).body as ModelList).data.find(({ id }) => id === 'm')!.status;

  it('find out that a provider without traffic has gone, and that it is back', async () => {
    await until(() => idle.requests.length > 2, 'probes');
    expect(new Set(idle.requests.map(({ method, path }) => `${method} ${path.split('?')[0]}`))).toEqual(new Set(['GET /v1/models']));
    expect((await status()).active).toBe(true);

    idle.replies({ ending: 'reset' });
    await until(async () => !(await status()).active, 'the pause');
    expect(await status()).toEqual({ active: false, message: 'Paused after failures of its provider' });
    expectError(await gateway.post('chat/completions', { model: 'm', messages: [said.user('Hi')] }), 503, 'service_unavailable');

    idle.replies(({ method }) =>
      method === 'GET' ? { headers: { 'content-type': 'application/json' }, body: '{"data":[]}' } : answer('back'),
    );
    await until(async () => (await status()).active, 'the end of the pause');
    expect(await gateway.post('chat/completions', { model: 'm', messages: [said.user('Hi')] })).toMatchObject({
      status: 200,
    });
  });
});

describePostgres('two gateways on one store', () => {
  let postgres: TemporaryPostgres;
  let provider: LoopbackUpstream;
  const apps: NestFastifyApplication[] = [];
  const urls: string[] = [];
  const folders = ['one', 'two'].map((name) => mkdtempSync(join(tmpdir(), `switchyard-${name}-`)));
  let key: string;

  beforeAll(async () => {
    [postgres, provider] = await Promise.all([TemporaryPostgres.start(), LoopbackUpstream.start()]);
    const models = { m: { pricing: { prompt: 1, completion: 1 }, context_length: 1000, max_tokens: 100 } };
    for (const data_dir of folders) {
      const config = configSchema.parse({
        store: { database_url: postgres.url, data_dir },
        keys: { pepper: 'a pepper of at least thirty-two characters' },
        providers: { p: { base_url: `${provider.origin}/v1`, models } },
        routing: { probe_interval: 0 },
        observability: { log_level: 'silent' },
      });
      const app = await createApp(config);
      await app.listen(0, '127.0.0.1');
      apps.push(app);
      urls.push(`http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`);
    }
    ({ liveKey: key } = await createCustomer(apps[0]!));
  });
  beforeEach(() => provider.replies(answer('Hello')));
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
    await Promise.all([provider.stop(), postgres.stop()]);
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const chat = (gateway: number) =>
    request(urls[gateway]!)
      .post('/v1/chat/completions')
      .set('authorization', `Bearer ${key}`)
      .send({ model: 'm', messages: [said.user('Hi')] });
  const shown = async (gateway: number): Promise<Model> => {
    const { body } = await request(urls[gateway]!).get('/v1/models?active_only=false').set('authorization', `Bearer ${key}`);
    return (body as ModelList).data.find(({ id }) => id === 'm')!;
  };

  it('charge the same price, which follows a change at one of them, and every charge says at which it was', async () => {
    const config = apps[0]!.get(ConfigService);
    await until(async () => (await chat(1)).status === 200, 'the key at the second gateway');
    const p = {
      ...config.current.providers['p']!,
      models: { m: { pricing: { prompt: 2, completion: '0.5' }, context_length: 1000, max_tokens: 100 } },
    };
    await config.replace({ ...config.current, providers: { p } });
    for (const gateway of [0, 1]) await until(async () => (await shown(gateway)).pricing.prompt === 2, `the price at gateway ${gateway}`);
    expect((await shown(1)).pricing).toEqual({ prompt: 2, completion: 0.5, unit: '1k_tokens' });
    const costs = [(await chat(0)).headers['x-switchyard-cost'], (await chat(1)).headers['x-switchyard-cost']];
    expect(costs).toEqual(['0.003', '0.003']);
    const { db } = apps[0]!.get(Database);
    const rows = () =>
      db
        .selectFrom('usage')
        .innerJoin('price', 'price.id', 'usage.price_id')
        .select(['price.model', 'price.provider', 'price.prompt', 'price.completion', 'usage.amount'])
        .where('usage.amount', '>', 0n)
        .orderBy('usage.request_id')
        .execute();
    await until(async () => (await rows()).length >= 3, 'the charges');
    const [before, ...after] = await rows();
    expect(before).toMatchObject({ prompt: 10n ** 9n, completion: 10n ** 9n, amount: 3_000_000n });
    const changed = { model: 'm', provider: 'p', prompt: 2n * 10n ** 9n, completion: 5n * 10n ** 8n, amount: 3_000_000n };
    expect(after).toEqual([changed, changed]);
    expect((await verifyLedger(apps[0]!.get(Database))).findings).toEqual([]);
  });

  it('show the same figures, and follow one switch', async () => {
    await until(async () => (await chat(1)).status === 200, 'the key at the second gateway');
    provider.replies({ status: 503 });
    expectError(await chat(0), 503, 'model_overloaded');
    for (const app of apps) await app.get(LivePerformance).share();
    for (const app of apps) await app.get(LivePerformance).share();
    const [one, two] = [await shown(0), await shown(1)];
    expect(one.performance.uptime_percentage).toBe(two.performance.uptime_percentage);
    // Published in whole milliseconds.
    expect(one.performance.avg_response_time).toBeCloseTo(two.performance.avg_response_time, 2);
    expect(one.performance.uptime_percentage).toBeGreaterThan(0);
    expect(one.performance.uptime_percentage).toBeLessThan(100);

    await apps[0]!.get(ModelSwitchStore).disable('m', undefined, 'Back at noon');
    expect((await shown(0)).status).toEqual({ active: false, message: 'Back at noon' });
    await until(async () => !(await shown(1)).status.active, 'the switch at the second gateway');
    expectError(await chat(1), 503, 'service_unavailable');
  });
});

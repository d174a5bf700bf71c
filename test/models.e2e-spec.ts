import request from 'supertest';
import { configSchema } from '../src/config/config.schema.js';
import { ConfigService } from '../src/config/config.service.js';
import type { Model, ModelList } from '../src/wire/model.js';
import { Gateway } from './support/gateway.js';
import { useGateway, useUpstream } from './support/started.js';
import { expectError, expectShape } from './support/wire-schemas.js';

const capabilities = ['chat', 'completion', 'function_calling', 'vision', 'embeddings', 'json_mode'] as const;

describe('GET /v1/models', () => {
  const faulty = useUpstream();
  const gateway = useGateway(() => {
    faulty.replies({ status: 503 });
    return Gateway.start({
      providers: {
        faulty: {
          base_url: `${faulty.origin}/v1`,
          free: true,
          models: {
            'faulty-text': { capabilities: { completion: true }, context_length: 1000, max_tokens: 10 },
            'vendor/family/model:free': { context_length: 1000, max_tokens: 10 },
          },
        },
        // Never asked: its models are named here.
        elsewhere: {
          name: 'Elsewhere',
          base_url: 'http://127.0.0.1:9/v1',
          models: {
            'elsewhere-vision': {
              pricing: {
                prompt: '0.0025',
                completion: 0.01,
                cached_input: '0.00125',
                tiers: [{ above: 64_000, prompt: '0.005' }],
              },
              context_length: 128_000,
              max_tokens: 16_384,
              capabilities: { vision: true, completion: false },
            },
            'elsewhere-embedding': {
              pricing: { prompt: 0, completion: 0 },
              capabilities: { chat: false, completion: false, embeddings: true },
            },
            'elsewhere-free': {},
          },
        },
        anthropic: {
          type: 'anthropic',
          api_key: 'sk-ant-1',
          base_url: 'http://127.0.0.1:9',
          models: { 'claude-lyric-7': { pricing: { prompt: 1, completion: 1 } }, 'claude-opus-4-6': {} },
        },
      },
    });
  });

  async function list(query = ''): Promise<Model[]> {
    const { status, body } = await gateway.get(`models${query}`);
    expect(status).toBe(200);
    expectShape('modelList', body);
    return (body as ModelList).data;
  }
  const ids = (models: readonly Model[]): string[] => models.map(({ id }) => id);

  it('answers with every field of every model', async () => {
    const models = await list();
    expect(models.length).toBeGreaterThan(2);
    expect(models.find(({ id }) => id === 'elsewhere-vision')).toMatchObject({
      owned_by: 'elsewhere',
      provider: { id: 'elsewhere', name: 'Elsewhere' },
      pricing: { prompt: 0.0025, completion: 0.01, unit: '1k_tokens' },
      context_length: 128_000,
      max_tokens: 16_384,
      capabilities: { chat: true, vision: true, completion: false, embeddings: false },
      status: { active: true },
    });
  });

  it('shows no limit of another model where none is known', async () => {
    const models = await list('?active_only=false');
    const limits = ['claude-lyric-7', 'claude-opus-4-6'].map((name) => models.find(({ id }) => id === name)?.max_tokens);
    expect(limits).toEqual([4_096, 128_000]);
  });

  it('names the provider of each model as its owner', async () => {
    for (const { owned_by, provider } of await list('?active_only=false')) expect(owned_by).toBe(provider.id);
  });

  it('is ordered by id, without doubles, and the same each time', async () => {
    const first = ids(await list('?active_only=false'));
    expect(first).toEqual([...new Set(first)].sort());
    expect(ids(await list('?active_only=false'))).toEqual(first);
  });

  it('gives ids that can be passed as model, and tells the truth about the two operations', async () => {
    const bodies = { 'chat/completions': { messages: [{ role: 'user', content: 'Hello' }] }, completions: { prompt: 'Hello' } };
    for (const { id, capabilities: can } of await list('?provider=sandbox')) {
      if (!/^sandbox-(chat|text|omni|vision|reasoning|agent)$/.test(id)) continue;
      for (const [path, flag] of [['chat/completions', 'chat'] as const, ['completions', 'completion'] as const]) {
        const answer = await gateway.post(path, { model: id, max_tokens: 1, ...bodies[path] });
        if (can[flag]) expect(answer).toMatchObject({ status: 200, body: { model: id } });
        else expectError(answer, 400, 'unsupported_model');
      }
    }
  });

  describe('include_capabilities', () => {
    it('tells the components of a price beside its base prices', async () => {
      const of = async (query: string) => (await list(query)).find(({ id }) => id === 'elsewhere-vision')!;
      expect((await of('?include_capabilities=true')).pricing_components).toEqual({
        cached_input: 0.00125,
        tiers: [{ above: 64_000, prompt: 0.005, completion: 0.01, cached_input: 0.00125 }],
      });
      expect(await of('')).not.toHaveProperty('pricing_components');
      expect((await of('')).pricing).toEqual({ prompt: 0.0025, completion: 0.01, unit: '1k_tokens' });
    });

    it('adds detail to the flags, which are always there', async () => {
      for (const query of ['', '?include_capabilities=false']) {
        for (const model of await list(query)) expect(Object.keys(model.capabilities).sort()).toEqual([...capabilities].sort());
      }
      const detailed = await list('?include_capabilities=true');
      for (const model of detailed) {
        expect(model.capabilities).toMatchObject({
          supported_parameters: expect.any(Array),
          input_modalities: expect.arrayContaining(['text']),
          output_modalities: expect.any(Array),
        });
      }
      const plain = await list();
      expect(detailed.map(({ capabilities: can }) => capabilities.map((flag) => can[flag]))).toEqual(
        plain.map(({ capabilities: can }) => capabilities.map((flag) => can[flag])),
      );
    });
  });

  describe('provider', () => {
    it('restricts to one provider by its identifier', async () => {
      const models = await list('?provider=elsewhere');
      expect(ids(models)).toEqual(['elsewhere-embedding', 'elsewhere-vision']);
    });

    it.each(['nobody', 'Elsewhere', ''])('finds nothing of %j', async (provider) => {
      expect(await list(`?provider=${provider}`)).toEqual([]);
    });
  });

  describe('capability', () => {
    it.each(['audio', '', 'CHAT', 'toString'])('refuses %j and names what it knows', async (capability) => {
      const answer = await gateway.get(`models?capability=${capability}`);
      expectError(answer, 400, 'invalid_request');
      expect(answer.body).toMatchObject({
        error: { message: expect.stringMatching(/^capability must be one of .*chat.*completion.*image.*embedding/) },
      });
    });
  });

  describe('active_only', () => {
    it('is the default: a model that is not active is left out', async () => {
      const active = await list();
      expect(active.every(({ status }) => status.active)).toBe(true);
      expect(await list('?active_only=true')).toEqual(active);
      expect(ids(active)).not.toContain('sandbox-retired');
    });

    it('shows inactive models when it is false, each with the reason', async () => {
      const all = await list('?active_only=false');
      const inactive = all.filter(({ status }) => !status.active);
      expect(ids(inactive)).toEqual(expect.arrayContaining(['sandbox-retired', 'elsewhere-free']));
      for (const { status } of inactive) expect(status.message).not.toBe('');
      expect(inactive.find(({ id }) => id === 'elsewhere-free')!.status.message).toBe('no price set');
    });

    it.each([
      ['chat/completions', { messages: [{ role: 'user', content: 'x' }] }],
      ['completions', { prompt: 'x' }],
    ])('answers 503 at %s to a call of an inactive model, and says why', async (path, body) => {
      const answer = await gateway.post(path, { model: 'sandbox-retired', ...body });
      expectError(answer, 503, 'service_unavailable');
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('sandbox-retired'), type: 'api_error' } });
    });
  });

  it.each(['include_capabilities', 'active_only'])('takes %s as true or false and nothing else', async (name) => {
    for (const value of ['1', '0', 'TRUE', 'yes', '', 'null']) {
      const answer = await gateway.get(`models?${name}=${value}`);
      expectError(answer, 400, 'invalid_request');
      expect(answer.body).toMatchObject({ error: { message: `${name} must be true or false` } });
    }
  });

  it.each([
    ['include_capabilities=true&include_capabilities=false', 'include_capabilities must be true or false'],
    ['provider=a&provider=b', 'provider must be given once'],
    ['capability=chat&capability=chat', expect.stringContaining('capability must be one of chat,')],
    ['active_only=true&active_only=true', 'active_only must be true or false'],
  ])('refuses a parameter given twice: %s', async (query, message) => {
    const answer = await gateway.get(`models?${query}`);
    expectError(answer, 400, 'invalid_request');
    expect(answer.body).toMatchObject({ error: { message } });
  });

  it('ignores parameters that it does not know', async () => {
    expect(await list('?limit=1&constructor=x')).toEqual(await list());
  });

  it('combines its parameters: each narrows what the others leave', async () => {
    const everything = await list('?active_only=false');
    for (const provider of [undefined, 'sandbox', 'elsewhere']) {
      for (const capability of [undefined, 'chat', 'embedding'] as const) {
        for (const activeOnly of [undefined, 'false']) {
          const query = new URLSearchParams({
            ...(provider && { provider }),
            ...(capability && { capability }),
            ...(activeOnly && { active_only: activeOnly }),
            include_capabilities: 'true',
          });
          const expected = everything.filter(
            (model) =>
              (!provider || model.provider.id === provider) &&
              (!capability || model.capabilities[capability === 'embedding' ? 'embeddings' : capability]) &&
              (activeOnly || model.status.active),
          );
          const found = await list(`?${query.toString()}`);
          expect(ids(found)).toEqual(ids(expected));
          for (const model of found) expect(model.capabilities).toHaveProperty('supported_parameters');
        }
      }
    }
  });

  describe('performance', () => {
    const performanceOf = async (id: string) => (await list('?active_only=false')).find((model) => model.id === id)!.performance;

    it('is measured on real traffic', async () => {
      const before = await performanceOf('sandbox-text');
      const answer = await gateway.post('completions', { model: 'sandbox-text', prompt: 'The kitchen', max_tokens: 40 });
      expect(answer.status).toBe(200);
      const after = await performanceOf('sandbox-text');
      expect(after.uptime_percentage).toBe(100);
      expect(after.avg_response_time).toBeGreaterThan(0);
      expect(after.avg_tokens_per_second).toBeGreaterThan(0);
      expect(after).not.toEqual(before);
    });

    it('is measured on test keys’ traffic too where the model is the sandbox’s own, and only there', async () => {
      const { testKey } = gateway.customer;
      const untouched = await performanceOf('elsewhere-free');
      for (const model of ['sandbox-omni', 'elsewhere-free'])
        expect((await gateway.post('chat/completions', { model, messages: [{ role: 'user', content: 'x' }] }, testKey)).status).toBe(200);
      expect((await performanceOf('sandbox-omni')).avg_response_time).toBeGreaterThan(0);
      expect(await performanceOf('elsewhere-free')).toEqual(untouched);
    });

    it('does not count failures on request', async () => {
      expectError(await gateway.post('completions', { model: 'sandbox-overloaded', prompt: 'x' }), 503, 'model_overloaded');
      expect((await performanceOf('sandbox-overloaded')).uptime_percentage).toBe(100);
    });

    it('counts the provider’s failures, not the clients’ mistakes', async () => {
      const call = (body: object) => gateway.post('completions', { model: 'faulty-text', prompt: 'x', ...body });
      expect((await performanceOf('faulty-text')).uptime_percentage).toBe(100);
      expectError(await call({ temperature: 9 }), 400, 'invalid_request');
      expect((await performanceOf('faulty-text')).uptime_percentage).toBe(100);
      expectError(await call({}), 503, 'model_overloaded');
      expect((await performanceOf('faulty-text')).uptime_percentage).toBe(0);
    });
  });

  describe('/{id}', () => {
    const raw = (path: string) => request(gateway.url).get(`/v1/models/${path}`).set('authorization', `Bearer ${gateway.customer.liveKey}`);

    it.each(['', '?include_capabilities=true'])('answers with each element of the list, active or not%s', async (query) => {
      const all = await list(`?active_only=false${query.replace('?', '&')}`);
      for (const model of all) {
        const { body } = await gateway.get(`models/${encodeURIComponent(model.id)}${query}`).expect(200);
        expectShape('model', body);
        expect(body).toEqual(model);
      }
    });

    it.each(['vendor/family/model:free', 'vendor%2Ffamily%2fmodel%3Afree', 'vendor%2ffamily/model:free'])(
      'takes slashes as %s',
      async (path) => {
        expect((await raw(path).expect(200)).body).toMatchObject({ id: 'vendor/family/model:free', object: 'model' });
      },
    );

    it('knows a model by the name of one provider, with the offer of that one', async () => {
      const { body } = await raw('elsewhere/elsewhere-vision').expect(200);
      const listed = (await list()).find(({ id }) => id === 'elsewhere-vision');
      expect(body).toEqual({ ...listed, id: 'elsewhere/elsewhere-vision' });
    });

    it.each([
      'nobody-has-this',
      'nobody/sandbox-chat',
      'sandbox-chat%20',
      'SANDBOX-CHAT',
      'constructor',
      '%2F',
      'vendor',
      'x'.repeat(5_000),
    ])('knows no %.30s', async (path) => {
      const answer = await raw(path);
      expectError(answer, 404, 'model_not_found');
      const { error } = answer.body as { error: { message: string } };
      expect(error.message).toContain(`'${decodeURIComponent(path).slice(0, 200)}`);
      expect(error.message.length).toBeLessThan(300);
    });

    it('answers HEAD and test keys alike', async () => {
      const { testKey, liveKey } = gateway.customer;
      const { body, text } = await gateway.get('models/elsewhere-vision', testKey).expect(200);
      expect(body).toEqual((await gateway.get('models/elsewhere-vision')).body);
      const head = await request(gateway.url).head('/v1/models/elsewhere-vision').set('authorization', `Bearer ${liveKey}`).expect(200);
      expect([head.text, Number(head.headers['content-length'])]).toEqual([undefined, Buffer.byteLength(text)]);
    });

    it('needs a key, takes include_capabilities as the list does, and no other flag', async () => {
      expectError(await request(gateway.url).get('/v1/models/elsewhere-vision'), 401, 'missing_api_key');
      expectError(await gateway.get('models/elsewhere-vision?include_capabilities=1'), 400, 'invalid_request');
      const { body } = await gateway.get('models/elsewhere-free?active_only=true&provider=nobody&capability=chat').expect(200);
      expect(body).toMatchObject({ id: 'elsewhere-free', status: { active: false, message: 'no price set' } });
    });
  });
});

describe('models of the sandbox', () => {
  const providers = { elsewhere: { base_url: 'http://127.0.0.1:9/v1', free: true, models: { m: {} } } };
  const own = { models: { ours: { offers: [{ provider: 'sandbox', model: 'sandbox-text' }] } } };

  it.each<[string, object, string[]]>([
    ['alone', {}, ['sandbox-chat']],
    ['beside another provider', { providers }, []],
    ['beside another provider, by another name', { providers, ...own }, ['ours']],
    ['beside another provider, where the operator wants them', { providers, sandbox: { live: true } }, ['sandbox-chat', 'sandbox-refused']],
    ['alone, where the operator does not want them', { sandbox: { live: false } }, []],
  ])('%s', async (_, settings, names) => {
    await using gateway = await Gateway.start({ sandbox: { live: undefined }, ...settings });
    const { liveKey, testKey } = gateway.customer;
    const all = ['sandbox-chat', 'sandbox-refused', ...names.filter((name) => name === 'ours')];
    for (const [key, reached] of [
      [liveKey, names],
      [testKey, all],
    ] as const) {
      const { body } = await gateway.get('models', key).expect(200);
      const listed = new Set((body as ModelList).data.map(({ id }) => id));
      expect(all.filter((id) => listed.has(id))).toEqual(reached);
      for (const id of all) {
        const chat = { model: id, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 };
        const completion = { model: id, prompt: 'Hi', max_tokens: 1 };
        const answer = await (id === 'ours' ? gateway.post('completions', completion, key) : gateway.post('chat/completions', chat, key));
        const shown = await gateway.get(`models/${id}`, key);
        if (reached.includes(id)) expect([answer.status, shown.status]).toEqual([id === 'sandbox-refused' ? 400 : 200, 200]);
        else for (const one of [answer, shown]) expectError(one, 404, 'model_not_found');
      }
    }
  });

  it('are left out for live keys when a provider comes, and return when it goes', async () => {
    await using gateway = await Gateway.start({ sandbox: { live: undefined } });
    const config = gateway.running.app.get(ConfigService);
    const listed = async () => ((await gateway.get('models')).body as ModelList).data.map(({ id }) => id);
    const before = await listed();
    await config.replace({ ...config.file, ...configSchema.pick({ providers: true }).parse({ providers }) });
    expect(await listed()).toEqual(['m']);
    await config.replace({ ...config.file, providers: {} });
    expect(await listed()).toEqual(before);
  });
});

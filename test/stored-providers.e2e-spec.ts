import { ConfigReload } from '../src/config/config-reload.js';
import { type Config, configSchema } from '../src/config/config.schema.js';
import { ConfigService } from '../src/config/config.service.js';
import { Database } from '../src/database/database.js';
import { LoopbackUpstream } from '../src/providers/testing/loopback-upstream.js';
import { Administration } from './support/administration.js';
import { describeGateways, describeSharedGateways } from './support/describe-gateways.js';
import { expectEnvelope } from './support/expect-envelope.js';
import { Gateway } from './support/gateway.js';
import { inOpenAiForm } from './support/openai-bytes.js';
import { useGateway, useOperator, useUpstream } from './support/started.js';
import { until } from './support/until.js';

const SECRET = 'sk-stored-9f8e7d6c5b4a39281706';
const OTHER_SECRET = 'sk-other-0a1b2c3d4e5f60718293';

const free = { pricing: { prompt: 0, completion: 0 }, context_length: 1_000, max_tokens: 100 };
const local = { stored_providers: { allow_private_addresses: true } };

interface Shown {
  readonly id: string;
  readonly source: string;
  readonly version: string;
  readonly problem: string | null;
}

describeGateways('A provider of the store', (start) => {
  const upstream = useUpstream();
  const gateway = useGateway(() =>
    start({
      ...local,
      providers: { 'of-the-file': { base_url: upstream.origin, api_key: 'sk-file-13579bdf02468ace', models: { filed: free } } },
    }),
  );
  const operator = useOperator(gateway);
  beforeEach(() => upstream.replies(({ body }) => inOpenAiForm(body.includes('"stream":true'))));

  const settings = (model: string, more: object = {}) => ({
    base_url: `${upstream.origin}/v1`,
    api_key: SECRET,
    models: { [model]: free },
    ...more,
  });
  const add = async (id: string, given: object = settings(id)) =>
    (await operator.post('providers', { id, settings: given }).expect(200)).body as Shown;
  const ask = (model: string) => gateway.post('chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] });
  const lines = async () =>
    ((await operator.get('audit-log?limit=200')).body as { data: { subject: string; action: string; fields: string[] }[] }).data;

  it('serves at once, is shown without its key, and is once', async () => {
    const made = await add('added');
    expect(made).toMatchObject({
      id: 'added',
      source: 'store',
      type: 'openai-compatible',
      settings: { base_url: `${upstream.origin}/v1`, api_key: '[redacted]' },
      secrets: ['api_key'],
      in_service: true,
      problem: null,
      disabled_at: null,
    });
    expect((await ask('added')).body).toMatchObject({ choices: [{ message: { content: 'Ahoj' } }] });
    expect(upstream.requests[0]!.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(await add('added')).toEqual(made);
    expectEnvelope(await operator.post('providers', { id: 'added', settings: settings('another') }), 409, 'idempotency_conflict');
    const shown = await operator.get('providers/added').expect(200);
    expect([shown.body, shown.headers['etag']]).toEqual([made, `"${made.version}"`]);
    expect((await lines()).filter(({ subject }) => subject === 'added')).toEqual([
      expect.objectContaining({
        action: 'POST /admin/v1/providers',
        fields: ['settings.base_url', 'settings.api_key', 'settings.models'],
      }) as object,
    ]);
    const { body } = await operator.post('providers', { settings: settings('nameless') }).expect(200);
    expect((body as Shown).id).toMatch(/^provider-[a-z0-9]{12}$/);
  });

  it('is one of the types that are listed, of which none comes by the file alone', async () => {
    const { data } = (await operator.get('provider-types').expect(200)).body as { data: { type: string; base_url: string | null }[] };
    expect(data[0]).toEqual({ type: 'openai-compatible', name: 'OpenAI-compatible', base_url: null });
    expect(data).toContainEqual({ type: 'mistral', name: 'Mistral', base_url: 'https://api.mistral.ai/v1' });
    expect(data.map(({ type }) => type)).not.toContain('ai-sdk');
  });

  it('stands in one list with those of the file', async () => {
    await add('in-a-list');
    const { body, text } = await operator.get('providers').expect(200);
    const { data } = body as { data: Shown[] };
    expect(data.map(({ id }) => id)).toEqual(data.map(({ id }) => id).toSorted());
    expect(data.find(({ id }) => id === 'in-a-list')).toMatchObject({ source: 'store' });
    expect(data.find(({ id }) => id === 'of-the-file')).toMatchObject({
      source: 'file',
      secrets: ['api_key'],
      version: null,
      in_service: true,
    });
    const page = (await operator.get('providers?limit=1').expect(200)).body as { data: Shown[]; next: string };
    expect(page.data).toEqual(data.slice(0, 1));
    const configuration = await operator.get('configuration').expect(200);
    expect(configuration.body).toMatchObject({
      stored_providers: expect.arrayContaining(['in-a-list']) as string[],
      configuration: { providers: { 'in-a-list': { api_key: '[redacted]' } } },
    });
    for (const answer of [text, configuration.text])
      for (const secret of [SECRET, 'sk-file-13579bdf02468ace']) expect(answer).not.toContain(secret);
  });

  it('has its settings encrypted in the store', async () => {
    await add('sealed');
    const rows = await gateway.running.app.get(Database).db.selectFrom('stored_provider').selectAll().execute();
    const creations = await gateway.running.app.get(Database).db.selectFrom('creation').selectAll().execute();
    expect(rows.map(({ id }) => id)).toContain('sealed');
    for (const { settings: bytes } of rows) expect(Buffer.from(bytes).toString('latin1')).not.toMatch(/sk-stored|base_url/);
    expect(JSON.stringify(creations, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(SECRET);
  });

  it('is changed with its ETag, and keeps what is not named', async () => {
    const { version } = await add('changing');
    const renamed = await operator.patch('providers/changing', { settings: { name: 'New', models: { changed: free } } }, `"${version}"`);
    expect([renamed.status, renamed.body]).toMatchObject([200, { settings: { name: 'New', api_key: '[redacted]' }, secrets: ['api_key'] }]);
    expectEnvelope(await operator.patch('providers/changing', { settings: { name: 'Newer' } }, `"${version}"`), 412, 'precondition_failed');
    expect((await ask('changing')).status).toBe(404);
    expect((await ask('changed')).status).toBe(200);
    expect(upstream.requests[0]!.headers.authorization).toBe(`Bearer ${SECRET}`);
    const { version: before } = renamed.body as Shown;
    const same = await operator.patch('providers/changing', { settings: { name: 'New', prefix: null } });
    expect((same.body as Shown).version).toBe(before);
    expect((await operator.patch('providers/changing', { settings: { name: null } })).body).not.toMatchObject({
      settings: { name: 'New' },
    });
    expect((await lines()).filter(({ subject }) => subject === 'changing').map(({ fields }) => fields)).toEqual([
      ['settings.name'],
      ['settings.name', 'settings.models'],
      ['settings.base_url', 'settings.api_key', 'settings.models'],
    ]);
  });

  it('needs its secret again for another address', async () => {
    await add('moving', settings('moving', { headers: { 'x-team': SECRET } }));
    const elsewhere = { base_url: `${upstream.origin}/v2` };
    for (const change of [
      elsewhere,
      { ...elsewhere, api_key: SECRET },
      { ...elsewhere, headers: { 'x-team': SECRET } },
      { type: 'mistral' },
      { options: { elsewhere: true } },
      { headers: { 'x-custom-host': 'https://elsewhere.example' } },
    ]) {
      const { message } = expectEnvelope(await operator.patch('providers/moving', { settings: change }), 400, 'invalid_request');
      expect(message).toMatch(
        /^settings\.(api_key|headers\.x-team) has to be given again, because settings\.(base_url|type|options|headers) /,
      );
      expectEnvelope(await operator.post('providers/moving/try', { settings: change }), 400, 'invalid_request');
    }
    expect(upstream.requests).toEqual([]);
    const shown = (await operator.get('providers/moving')).body as { settings: object };
    const { message } = expectEnvelope(
      await operator.patch('providers/moving', { settings: { ...shown.settings, ...elsewhere } }),
      400,
      'invalid_request',
    );
    expect(message).toMatch(/^settings\.\S+ is what was shown in the place of a secret/);
    const whole = { ...elsewhere, api_key: OTHER_SECRET, headers: {} };
    await operator.patch('providers/moving', { settings: whole }).expect(200);
    expect((await ask('moving')).status).toBe(200);
    expect(upstream.requests[0]).toMatchObject({ path: '/v2/chat/completions', headers: { authorization: `Bearer ${OTHER_SECRET}` } });
    await operator.patch('providers/moving', { settings: { ...elsewhere, name: 'The same address' } }).expect(200);
  });

  it('is switched off and on, and removed', async () => {
    await add('switched');
    for (const [method, path] of [
      ['post', 'providers/switched/disable'],
      ['post', 'providers/switched/enable'],
      ['delete', 'providers/switched'],
    ] as const)
      expectEnvelope(await operator.call(method, path, { ifMatch: '"0"' }), 412, 'precondition_failed');
    const off = await operator.post('providers/switched/disable', { message: 'Back at noon' });
    expect([off.status, off.body]).toMatchObject([
      200,
      { in_service: false, message: 'Back at noon', disabled_at: expect.any(String) as string },
    ]);
    expectEnvelope(await ask('switched'), 404, 'model_not_found');
    expect((await operator.post('providers/switched/disable')).body).toEqual(off.body);
    expect((await operator.post('providers/switched/try', {})).body).toMatchObject({ ok: true });
    expect((await operator.post('providers/switched/enable')).body).toMatchObject({ in_service: true, message: null, disabled_at: null });
    expect((await ask('switched')).status).toBe(200);
    expect((await operator.delete('providers/switched')).body).toMatchObject({ id: 'switched' });
    expectEnvelope(await ask('switched'), 404, 'model_not_found');
    expectEnvelope(await operator.get('providers/switched'), 404, 'not_found');
    expect((await lines()).filter(({ subject }) => subject === 'switched').map(({ action }) => action)).toEqual([
      'DELETE /admin/v1/providers/:provider',
      'POST /admin/v1/providers/:provider/enable',
      'POST /admin/v1/providers/:provider/disable',
      'POST /admin/v1/providers',
    ]);
    expect(await add('switched', settings('anew'))).toMatchObject({ in_service: true });
    expect((await ask('anew')).status).toBe(200);
  });

  it('is checked as an entry of the file is, by the names of its settings', async () => {
    const wrong: [object, RegExp][] = [
      [{}, /^settings\.base_url is missing/],
      [settings('wrong', { api_keys: 'x' }), /^settings\.api_keys is unknown; did you mean api_key\?/],
      [settings('wrong', { models: { wrong: { context_length: 'many' } } }), /^settings\.models\.wrong\.context_length must be a/],
      [settings('wrong', { type: 'acme' }), /^settings\.type is unknown/],
      [
        { type: 'ai-sdk', base_url: upstream.origin, options: { package: '@ai-sdk/mistral' } },
        /^settings\.type ai-sdk names a package: these come by the file/,
      ],
      [{ type: 'vertex', options: { project: 'a-project' } }, /^settings\.type vertex needs api_key or options\.service_account/],
      [{ type: 'bedrock', options: { region: 'us-east-1' } }, /^settings\.type bedrock needs api_key or options\.secret_access_key/],
      [{ type: 'azure', base_url: upstream.origin, options: { entra: 'default' } }, /^settings\.type azure has to be entra/],
      [{ type: 'bedrock', api_key: 'k', options: { region: 'nowhere' } }, /^settings\.options\.region: must be a region of AWS/],
      [settings('wrong', { proxy: 'http://127.0.0.1:1' }), /^settings\.proxy comes by the configuration file alone/],
      [settings('wrong', { allow_link_local: true }), /^settings\.allow_link_local comes by/],
      [settings('wrong', { allow_private_addresses: true }), /^settings\.allow_private_addresses comes by/],
    ];
    for (const [given, why] of wrong) {
      expect(expectEnvelope(await operator.post('providers', { id: 'wrong', settings: given }), 400, 'invalid_request').message).toMatch(
        why,
      );
      expect(
        expectEnvelope(await operator.post('providers/try', { id: 'wrong', settings: given }), 400, 'invalid_request').message,
      ).toMatch(why);
    }
    for (const path of ['providers', 'providers/try'])
      expect(expectEnvelope(await operator.post(path, {}), 400, 'invalid_request').message).toBe('settings must be an object');
    expectEnvelope(await operator.post('providers', { id: 'Wrong_id', settings: settings('wrong') }), 400, 'invalid_request');
    expectEnvelope(await operator.post('providers', { settings: 'all' }), 400, 'invalid_request');
    expectEnvelope(await operator.get('providers/wrong'), 404, 'not_found');
  });

  it('cannot have the id of one of the file, which the file alone changes', async () => {
    expectEnvelope(await operator.post('providers', { id: 'of-the-file', settings: settings('x') }), 409, 'conflict');
    expectEnvelope(await operator.post('providers', { id: 'sandbox', settings: settings('x') }), 409, 'conflict');
    expectEnvelope(await operator.patch('providers/of-the-file', { settings: { name: 'x' } }), 409, 'conflict');
    expectEnvelope(await operator.post('providers/of-the-file/disable'), 409, 'conflict');
    expectEnvelope(await operator.post('providers/of-the-file/try', { settings: { name: 'x' } }), 409, 'conflict');
    expectEnvelope(await operator.delete('providers/of-the-file'), 409, 'conflict');
  });

  it('is tried by a call that no account pays for', async () => {
    const dear = { ...free, pricing: { prompt: 1, completion: 1 }, upstream_model: 'dear' };
    await add('tried', settings('tried', { models: { dearer: dear, tried: free } }));
    const before = await gateway.balance();
    const { body } = await operator.post('providers/tried/try', { max_tokens: 5 });
    expect(body).toEqual({
      ok: true,
      model: 'tried',
      upstream_model: 'tried',
      latency_ms: expect.any(Number) as number,
      first_token_ms: expect.any(Number) as number,
      text: 'Ahoj',
      finish_reason: 'stop',
      usage: expect.objectContaining({ prompt_tokens: 3, completion_tokens: 2 }) as object,
      error: null,
    });
    expect(JSON.parse(upstream.requests[0]!.body)).toMatchObject({ model: 'tried', max_tokens: 5, stream: true });
    expect((await operator.post('providers/tried/try', { model: 'dear' })).body).toMatchObject({
      ok: true,
      model: 'dearer',
      upstream_model: 'dear',
    });
    expect((await operator.post('providers/of-the-file/try', {})).body).toMatchObject({ ok: true, model: 'filed' });
    expect((await operator.post('providers/tried/try', { model: 'none' })).body).toMatchObject({
      ok: false,
      error: { kind: 'model_unavailable', message: "The provider has no model 'none'" },
    });
    expect(await gateway.balance()).toBe(before);
    expectEnvelope(await operator.post('providers/none/try', {}), 404, 'not_found');
    expectEnvelope(await operator.post('providers/tried/try', { timeout: 0 }), 400, 'invalid_request');
  });

  it('is tried before it is saved, and says what the provider says without the key', async () => {
    const saved = ((await operator.get('providers?limit=200')).body as { data: object[] }).data.length;
    upstream.replies({ status: 401, body: JSON.stringify({ error: { message: `The key ${SECRET} is wrong`, code: 'invalid_api_key' } }) });
    const { body, text } = await operator.post('providers/try', { settings: settings('unsaved') });
    expect(body).toMatchObject({ ok: false, model: 'unsaved', error: { kind: 'authentication', status: 401 } });
    expect((body as { error: { detail: string } }).error.detail).toContain('is wrong');
    expect(text).not.toContain(SECRET.slice(0, 8 + 4));
    upstream.replies({ ending: 'silent' });
    const silent = await operator.post('providers/try', { settings: settings('unsaved'), timeout: 100 });
    expect(silent.body).toMatchObject({ ok: false, error: { kind: 'timeout', message: 'The provider has not answered within 100 ms' } });
    expect(((await operator.get('providers?limit=200')).body as { data: object[] }).data).toHaveLength(saved);
  });

  it('stays when the file is read again, and gives way where the file has its id', async () => {
    await add('kept');
    const config = gateway.running.app.get(ConfigService);
    const messages: string[] = [];
    const log = {
      log: (line: string) => void messages.push(line),
      warn: () => undefined,
      error: (line: string) => void messages.push(line),
    };
    const before = config.file;
    const reloaded = async (file: Config) => new ConfigReload(config, () => file, log).now();
    const entry = { base_url: upstream.origin, models: { kept: { ...free, upstream_model: 'from-the-file' } } };
    const { providers } = configSchema.parse({ providers: { ...before.providers, kept: entry } });
    await reloaded({ ...before, providers });
    expect((await ask('kept')).status).toBe(200);
    expect(JSON.parse(upstream.requests.at(-1)!.body)).toMatchObject({ model: 'from-the-file' });
    const both = ((await operator.get('providers?limit=200')).body as { data: Shown[] }).data.filter(({ id }) => id === 'kept');
    expect(both).toMatchObject([
      { source: 'file', in_service: true, problem: null },
      { source: 'store', in_service: false, problem: 'the configuration file has a provider of this id, which is the one in force' },
    ]);
    await reloaded({ ...before, routing: { ...before.routing, retries: 3 } });
    expect((await ask('kept')).status).toBe(200);
    expect(JSON.parse(upstream.requests.at(-1)!.body)).toMatchObject({ model: 'kept' });
    await reloaded({ ...before, routing: { ...before.routing, retries: 3 } });
    expect(messages).toEqual([
      'configuration read again: providers.kept changed',
      'configuration read again: providers.kept, routing.retries changed',
      'configuration read again: nothing changed',
    ]);
  });

  it('that is broken is left out and says why', async () => {
    const { db } = gateway.running.app.get(Database);
    await add('broken');
    await db
      .updateTable('stored_provider')
      .set({ settings: Buffer.from('broken') })
      .where('id', '=', 'broken')
      .execute();
    await add('whole');
    expect((await operator.get('providers/broken')).body).toMatchObject({
      in_service: false,
      settings: null,
      secrets: [],
      problem: 'its settings cannot be decrypted',
    });
    expectEnvelope(await ask('broken'), 404, 'model_not_found');
    expect((await ask('whole')).status).toBe(200);
    await operator.delete('providers/broken').expect(200);
  });

  it('leads to public addresses alone where the file does not say otherwise', async () => {
    await add('private');
    const config = gateway.running.app.get(ConfigService);
    await config.replace({ ...config.file, stored_providers: { allow_private_addresses: false } });
    await until(async () => (await ask('private')).status === 404, 'the rule is in force');
    expect((await operator.get('providers/private')).body).toMatchObject({
      problem: expect.stringContaining('must not lead to') as string,
    });
    upstream.replies({});
    const { port } = new URL(upstream.origin);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::ffff:127.0.0.1]:${port}`, '10.0.0.1', '169.254.169.254']) {
      const given = { ...settings('private'), base_url: `http://${host}/v1` };
      for (const path of ['providers', 'providers/try'])
        expect([host, expectEnvelope(await operator.post(path, { settings: given }), 400, 'invalid_request').message]).toEqual([
          host,
          expect.stringMatching(/^settings\.base_url must not lead to this machine or a private network/),
        ]);
    }
    expect(upstream.requests).toEqual([]);
    await config.replace({ ...config.file, ...local });
    await until(async () => (await operator.get('providers/private')).body.problem === null, 'the rule is lifted');
  });
});

describeSharedGateways('A provider of the store at several gateways', (start) => {
  it('is served by all of them within a second, and after a restart', async () => {
    const upstream = await LoopbackUpstream.start();
    const gateways = [await start(local), await start(local)];
    const [one, two] = gateways as [Gateway, Gateway];
    upstream.replies(({ body }) => inOpenAiForm(body.includes('"stream":true')));
    const key = two.customer.liveKey;
    const ask = async (gateway: Gateway) =>
      (await gateway.post('chat/completions', { model: 'shared', messages: [{ role: 'user', content: 'Hello' }] }, key)).status;
    try {
      const operator = await Administration.as(one.running, 'operator');
      const settings = { base_url: upstream.origin, api_key: SECRET, models: { shared: free } };
      await operator.post('providers', { id: 'shared', settings }).expect(200);
      await until(async () => (await ask(two)) === 200, 'the other gateway knows it');
      await operator.post('providers/shared/disable').expect(200);
      await until(async () => (await ask(two)) === 404, 'the other gateway has switched it off');
      await operator.post('providers/shared/enable').expect(200);
      const { db } = one.running.app.get(Database);
      await db
        .insertInto('stored_provider')
        .values({ id: 'broken', settings: Buffer.from('broken'), created_at: 1, version: 1 })
        .execute();
      const restarted = await start(local);
      gateways.push(restarted);
      expect(await ask(restarted)).toBe(200);
      expect((await operator.get('providers/broken')).body).toMatchObject({ settings: null });
    } finally {
      for (const gateway of gateways) await gateway.close();
      await upstream.stop();
    }
  });
});

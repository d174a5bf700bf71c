import request from 'supertest';
import { AccountStore } from '../src/auth/account-store.js';
import { ApiKeyStore, type MadeApiKey } from '../src/auth/api-key-store.js';
import type { Environment } from '../src/auth/principal.js';
import { ProjectStore } from '../src/auth/project-store.js';
import type { RulesDto } from '../src/auth/rules/rules.dto.js';
import type { ErrorBody } from '../src/wire/error.js';
import type { ModelList } from '../src/wire/model.js';
import { Gateway } from './support/gateway.js';
import { useGateway, useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { expectError } from './support/wire-schemas.js';

const terms = { context_length: 8_192, max_tokens: 100, capabilities: { completion: true } };
const priced = (price: number) => ({ ...terms, pricing: { prompt: price, completion: price } });

const chat = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 };
const text = { prompt: 'Hello', max_tokens: 5 };

/** Every way to ask for a generation. */
const ways = [
  ['chat/completions', chat],
  ['chat/completions', { ...chat, stream: true }],
  ['completions', text],
  ['completions', { ...text, stream: true }],
] as const;

describe('The rules of a key', () => {
  const one = useUpstream();
  const two = useUpstream();
  const gateway = useGateway(() =>
    Gateway.start({
      server: { trusted_proxies: ['127.0.0.1', '10.0.0.0/8'] },
      providers: {
        one: {
          base_url: `${one.origin}/v1`,
          models: { shared: priced(1), 'only-one': priced(1) },
        },
        two: { base_url: `${two.origin}/v1`, models: { shared: priced(2), 'only-two': { ...priced(2), lower_max_tokens: true } } },
        far: { base_url: `${two.origin}/v1`, open: priced(1), models: { listed: priced(1) } },
      },
      routing: {
        retries: 0,
        aliases: { quick: 'shared', distant: 'far/vendor/unlisted' },
        auto: { models: ['shared', 'only-two'] },
      },
    }),
  );
  beforeEach(() => {
    const usage = { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 };
    const reply = ({ path, body }: { path: string; body: string }) => {
      const streamed = (JSON.parse(body) as { stream?: boolean }).stream === true;
      const said = path.includes('chat') ? { [streamed ? 'delta' : 'message']: { role: 'assistant', content: 'Hi' } } : { text: 'Hi' };
      const answer = JSON.stringify({ choices: [{ index: 0, ...said, finish_reason: 'stop' }], usage });
      return streamed
        ? { headers: { 'content-type': 'text/event-stream' }, body: `data: ${answer}\n\ndata: [DONE]\n\n` }
        : { headers: { 'content-type': 'application/json' }, body: answer };
    };
    one.replies(reply);
    two.replies(reply);
  });

  const keys = (): ApiKeyStore => gateway.running.app.get(ApiKeyStore);

  async function keyWith(rules: RulesDto, { environment = 'live', ...more }: { environment?: Environment; projectId?: string } = {}) {
    const made = await keys().create({ accountId: gateway.customer.accountId, environment, rules, ...more });
    await known(made);
    return made.key;
  }

  /** Nothing but 401 says that a gateway does not know a key. */
  const known = ({ key }: MadeApiKey) => until(async () => (await gateway.get('models', key)).status !== 401, 'the key is known');

  const ask = (model: string, key: string) => gateway.post('chat/completions', { ...chat, model }, key);
  const servedBy = async (model: string, key: string): Promise<unknown> => {
    const { status, headers, body } = await ask(model, key);
    return status === 200 ? headers['x-switchyard-served-by'] : (body as ErrorBody).error.code;
  };
  const list = async (key: string, query = '') =>
    ((await gateway.get(`models${query}`, key).expect(200)).body as ModelList).data.filter(({ provider }) => provider.id !== 'sandbox');
  const ids = async (key: string) => (await list(key)).map(({ id }) => id);

  describe('on models', () => {
    it.each(ways)('answer a denied one as one that does not exist: %s %j', async (path, body) => {
      const key = await keyWith({ models: { deny: ['shared'] } });
      const denied = await gateway.post(path, { ...body, model: 'shared' }, key);
      const unknown = await gateway.post(path, { ...body, model: 'unknown' }, key);
      expectError(denied, 404, 'model_not_found');
      expect(JSON.parse(denied.text.replaceAll('shared', 'unknown'))).toEqual(unknown.body);
      expect(Object.keys(denied.headers)).toEqual(Object.keys(unknown.headers));
      await gateway.post(path, { ...body, model: 'only-one' }, key).expect(200);
      expect(one.requests).toHaveLength(1);
    });

    it('show a denied one no more than one that does not exist, by whatever name', async () => {
      const key = await keyWith({ models: { deny: ['shared'] } });
      for (const name of ['shared', 'one/shared', 'two/shared', 'quick', 'far/shared']) {
        const denied = await gateway.get(`models/${encodeURIComponent(name)}`, key);
        const unknown = await gateway.get('models/unknown', key);
        expectError(denied, 404, 'model_not_found');
        expect(JSON.parse(denied.text.replaceAll(name, 'unknown'))).toEqual(unknown.body);
        expect(Object.keys(denied.headers)).toEqual(Object.keys(unknown.headers));
      }
      const { body: auto } = await gateway.get('models/auto', key).expect(200);
      expect(auto).toEqual((await list(key)).find(({ id }) => id === 'auto'));
      expect(auto).toMatchObject({ provider: { id: 'two' } });
    });

    it('hold by whatever name the model is asked for', async () => {
      const key = await keyWith({ models: { deny: ['shared'] } });
      for (const name of ['shared', 'one/shared', 'two/shared', 'quick', 'two/quick'])
        expect([name, await servedBy(name, key)]).toEqual([name, 'model_not_found']);
      expect(await servedBy('auto', key)).toBe('two/only-two');
      expect(await ids(key)).toEqual(['auto', 'listed', 'only-one', 'only-two']);
      expect(one.requests).toHaveLength(0);
    });

    it('take names and patterns that are allowed, and nothing else', async () => {
      const key = await keyWith({ models: { allow: ['only-*'], deny: ['*-two'] } });
      expect(await ids(key)).toEqual(['only-one']);
      expect(await servedBy('only-one', key)).toBe('one/only-one');
      expect(await servedBy('one/only-one', key)).toBe('one/only-one');
      for (const name of ['only-two', 'shared', 'quick', 'auto', 'listed', 'far/three', 'sandbox-chat'])
        expect([name, await servedBy(name, key)]).toEqual([name, 'model_not_found']);
    });

    it('deny an alias by its own name as well', async () => {
      const key = await keyWith({ models: { deny: ['quick', 'auto'] } });
      expect(await ids(key)).toEqual(['listed', 'only-one', 'only-two', 'shared']);
      for (const name of ['quick', 'auto', 'one/quick']) expect(await servedBy(name, key)).toBe('model_not_found');
      expect(await servedBy('shared', key)).toBe('one/shared');
    });

    it('deny names that clients make up, unless they are allowed by name', async () => {
      const denied = await keyWith({ models: { deny: ['shared'] } });
      for (const name of ['far/shared', 'far/vendor/shared', 'far/SHARED', 'far/anything', 'distant'])
        expect([name, await servedBy(name, denied)]).toEqual([name, 'model_not_found']);
      expect(await servedBy('far/listed', denied)).toBe('far/listed');
      const allowed = await keyWith({ models: { allow: ['*'], deny: ['vendor/other*', 'far/third'] } });
      expect(await servedBy('far/vendor/unlisted', allowed)).toBe('far/vendor/unlisted');
      expect(await servedBy('distant', allowed)).toBe('far/vendor/unlisted');
      expect(await servedBy('far/vendor/other:free', allowed)).toBe('model_not_found');
      expect(await servedBy('far/third', allowed)).toBe('model_not_found');
    });
  });

  describe('on providers', () => {
    it.each(ways)('neither ask a denied one nor fall back to it: %s %j', async (path, body) => {
      const key = await keyWith({ providers: { deny: ['one'] } });
      const answer = await gateway.post(path, { ...body, model: 'shared' }, key).expect(200);
      expect(answer.text).toContain('Hi');
      expect([two.requests.length, one.requests.length]).toEqual([1, 0]);
      two.replies({ status: 500 });
      const failed = await gateway.post(path, { ...body, model: 'shared' }, key);
      expect([failed.status, two.requests.length, one.requests.length]).toEqual([503, 1, 0]);
      await gateway.post(path, { ...body, model: 'shared' }).expect(200);
      expect(one.requests).toHaveLength(1);
    });

    it('show the models as what is left of them', async () => {
      const key = await keyWith({ providers: { allow: ['two'] } });
      expect(await ids(key)).toEqual(['auto', 'only-two', 'quick', 'shared']);
      const shared = (await list(key)).find(({ id }) => id === 'shared');
      expect(shared).toMatchObject({ owned_by: 'two', provider: { id: 'two' }, pricing: { prompt: 2, completion: 2 } });
      expect((await list(gateway.customer.liveKey)).find(({ id }) => id === 'shared')).toMatchObject({ owned_by: 'one' });
      expect(await list(key, '?provider=one')).toEqual([]);
      for (const name of ['one/shared', 'only-one', 'listed', 'far/listed', 'far/anything', 'distant', 'sandbox-chat'])
        expect([name, await servedBy(name, key)]).toEqual([name, 'model_not_found']);
    });
  });

  it('hold for keys of the sandbox too', async () => {
    const key = await keyWith(
      { models: { deny: ['shared'] }, providers: { deny: ['two'] }, operations: ['chat'] },
      { environment: 'test' },
    );
    expect(await servedBy('only-one', key)).toMatch(/^sandbox\//);
    for (const name of ['shared', 'quick', 'only-two', 'auto']) expect(await servedBy(name, key)).toBe('model_not_found');
    expectError(await gateway.post('completions', { ...text, model: 'only-one' }, key), 403, 'permission_denied');
  });

  describe('on operations', () => {
    const calls = {
      models: (key: string) => gateway.get('models', key),
      chat: (key: string) => gateway.post('chat/completions', { ...chat, model: 'shared' }, key),
      completion: (key: string) => gateway.post('completions', { ...text, model: 'shared', stream: true }, key),
      embeddings: (key: string) => gateway.post('embeddings', { model: 'sandbox-embedding', input: 'Hello' }, key),
      rerank: (key: string) => gateway.post('rerank', { model: 'sandbox-rerank', query: 'rain', documents: ['Rain'] }, key),
      responses: (key: string) => gateway.post('responses', { model: 'shared', input: 'Hello' }, key),
      messages: (key: string) => gateway.post('messages', { model: 'shared', ...chat }, key),
    };

    it.each(['models', 'chat', 'completion', 'embeddings', 'rerank', 'responses', 'messages'] as const)(
      'let through what is named: %s',
      async (operation) => {
        const key = await keyWith({ operations: [operation] });
        for (const [name, call] of Object.entries(calls)) {
          const answer = await call(key);
          if (name === operation) expect(answer.status).toBe(200);
          else {
            // Messages has errors in a form of its own.
            if (name === 'messages') expect(answer.status).toBe(403);
            else expectError(answer, 403, 'permission_denied');
            expect((answer.body as ErrorBody).error.message).toBe(`The API key may not be used for the operation '${name}'`);
          }
        }
      },
    );

    it('are looked at after the route, and before the body', async () => {
      const key = await keyWith({ operations: [] });
      expectError(await gateway.post('moderations', {}, key), 404, 'not_found');
      expectError(await gateway.get('completions', key), 405, 'method_not_allowed');
      expectError(await gateway.post('completions', {}, key), 403, 'permission_denied');
      expectError(await gateway.get('%', key), 400, 'invalid_request');
    });
  });

  describe('on addresses', () => {
    const from = (key: string, forwarded?: string) => {
      const asked = request(gateway.url)
        .post('/v1/chat/completions')
        .set('authorization', `Bearer ${key}`)
        .set('content-type', 'text/plain');
      return (forwarded === undefined ? asked : asked.set('x-forwarded-for', forwarded)).send('not looked at');
    };

    it('refuse clients elsewhere, before the body is looked at', async () => {
      const key = await keyWith({ addresses: ['203.0.113.0/24', '2001:db8::/32'] });
      expectError(await from(key), 403, 'permission_denied');
      for (const elsewhere of ['198.51.100.1', '203.0.113.1, 198.51.100.1', '203.0.113.1, 198.51.100.1, 10.1.1.1', 'x', '203.0.113.1, x'])
        expectError(await from(key, elsewhere), 403, 'permission_denied');
      for (const there of ['203.0.113.7', '1.2.3.4, 203.0.113.7, 10.1.1.1', '2001:db8::7', '[2001:db8::7]:99'])
        expectError(await from(key, there), 415, 'unsupported_media_type');
    });

    it('are those of key, project and account together', async () => {
      const project = await gateway.running.app
        .get(ProjectStore)
        .create({ accountId: gateway.customer.accountId, name: 'Addressed', rules: { addresses: ['203.0.113.0/25'] } });
      const key = await keyWith({ addresses: ['203.0.113.64/26', '198.51.100.1'] }, { projectId: project.id });
      expectError(await from(key, '203.0.113.65'), 415, 'unsupported_media_type');
      for (const elsewhere of ['203.0.113.1', '198.51.100.1', '203.0.113.200'])
        expectError(await from(key, elsewhere), 403, 'permission_denied');
    });
  });

  it('lower max_tokens to the limit of a model, or refuse them, whatever the model says', async () => {
    const sent = () => (JSON.parse(one.requests.at(-1)!.body) as { max_tokens: number }).max_tokens;
    const key = await keyWith({ lower_max_tokens: true });
    for (const [path, body] of ways) {
      const { status, headers } = await gateway.post(path, { ...body, model: 'only-one', max_tokens: 32_000 }, key);
      expect([status, headers['x-switchyard-dropped-parameters'], sent()]).toEqual([200, 'max_tokens', 100]);
      expectError(await gateway.post(path, { ...body, model: 'only-one', max_tokens: 32_000 }), 400, 'invalid_request');
    }
    const strict = await keyWith({ lower_max_tokens: false });
    const lowering = { ...chat, model: 'only-two', max_tokens: 32_000 };
    expectError(await gateway.post('chat/completions', lowering, strict), 400, 'invalid_request');
    await gateway.post('chat/completions', lowering).expect(200);
  });

  it('may be those of its project or account', async () => {
    const accounts = gateway.running.app.get(AccountStore);
    const projects = gateway.running.app.get(ProjectStore);
    const { accountId } = gateway.customer;
    const { id } = await projects.create({ accountId, name: 'Research', rules: { models: { deny: ['only-*'] } } });
    const key = await keyWith({}, { projectId: id });
    expect(await servedBy('only-one', key)).toBe('model_not_found');
    expect(await servedBy('only-one', gateway.customer.liveKey)).toBe('one/only-one');
    await projects.change(id, { rules: {} });
    await until(async () => (await servedBy('only-one', key)) === 'one/only-one', 'the project’s change');
    await accounts.change(accountId, { rules: { providers: { deny: ['one'] } } });
    await until(async () => (await servedBy('only-one', key)) === 'model_not_found', 'the account’s change');
    expect(await servedBy('shared', gateway.customer.liveKey)).toBe('two/shared');
    await accounts.change(accountId, { rules: {} });
    await until(async () => (await servedBy('shared', key)) === 'one/shared', 'the end of the account’s rules');
    await projects.archive(id);
    await until(async () => (await gateway.get('models', key)).status === 401, 'the end of the project');
  });
});

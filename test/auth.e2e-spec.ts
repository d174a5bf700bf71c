import request from 'supertest';
import { Gateway } from './support/gateway.js';
import { chatReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { expectError } from './support/wire-schemas.js';

const messages = [{ role: 'user', content: 'Hello' }];
const operations = [
  ['get', 'models', undefined],
  ['post', 'completions', { model: 'sandbox-text', prompt: 'Hello', max_tokens: 1 }],
  ['post', 'chat/completions', { model: 'sandbox-chat', messages, max_tokens: 1 }],
] as const;

describe('authentication', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() =>
    Gateway.start({
      providers: {
        upstream: { base_url: `${upstream.origin}/v1`, models: { 'upstream-chat': { pricing: { prompt: 1, completion: 1 } } } },
      },
    }),
  );

  describe.each(operations)('of %s /v1/%s', (method, path, body) => {
    const send = (authorization?: string): request.Test => {
      const sent = request(gateway.url)[method](`/v1/${path}`);
      return (authorization === undefined ? sent : sent.set('authorization', authorization)).send(body);
    };

    it('takes a live and a test key as Authorization: Bearer', async () => {
      for (const key of [gateway.customer.liveKey, gateway.customer.testKey]) {
        expect((await send(`Bearer ${key}`)).status).toBe(200);
        expect((await send(`bearer ${key}`)).status).toBe(200);
      }
    });
  });

  describe('keys', () => {
    it('have the prefix that the operator chose', async () => {
      await using other = await Gateway.start({ keys: { prefix: 'acme' } });
      expect(other.customer.liveKey).toMatch(/^acme-live-[0-9A-Za-z]{32}$/);
      expect((await other.get('models')).status).toBe(200);
    });

    it('are not made through the API', async () => {
      for (const path of ['keys', 'api-keys', 'api_keys']) expectError(await gateway.post(path, {}), 404, 'not_found');
    });
  });

  describe('environments', () => {
    const ask = (key: string) => gateway.post('chat/completions', { model: 'upstream-chat', messages, max_tokens: 3 }, key);

    it('of test keys are answered by the sandbox, whatever the model', async () => {
      upstream.replies({ status: 500 });
      const answer = await ask(gateway.customer.testKey);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ model: 'upstream-chat' });
      expect(answer.headers['x-switchyard-served-by']).toMatch(/^sandbox\//);
      expect(upstream.requests).toHaveLength(0);
    });

    it('of live keys reach everything', async () => {
      upstream.replies(chatReply('From afar'));
      const answer = await ask(gateway.customer.liveKey);
      expect(answer.body).toMatchObject({ choices: [{ message: { content: 'From afar' } }] });
      expect(answer.headers['x-switchyard-served-by']).toBe('upstream/upstream-chat');
      expect((await gateway.post('chat/completions', { model: 'sandbox-chat', messages, max_tokens: 1 })).status).toBe(200);
    });
  });

  it('is the first of the checks: key, route, body, fields, model, capability, limits, credits', async () => {
    const poor = await gateway.newCustomer('0');
    const post = (path: string, body: object | string, key?: string) => {
      const sent = request(gateway.url).post(path).set('content-type', 'application/json');
      return (key ? sent.set('authorization', `Bearer ${key}`) : sent).send(body);
    };
    const path = '/v1/completions';
    const codeOf = async (answer: Promise<request.Response> | request.Test) =>
      ((await answer).body as { error: { code: string } }).error.code;
    const fields = { prompt: 'x', best_of: 1, max_tokens: 5000 };
    expect(await codeOf(post('/v1/nowhere', '{', undefined))).toBe('missing_api_key');
    expect(await codeOf(post('/v1/nowhere', '{', 'sy-live-x'))).toBe('invalid_api_key');
    expect(await codeOf(post('/v1/nowhere', '{', poor.liveKey))).toBe('not_found');
    expect(await codeOf(post(path, '{', poor.liveKey))).toBe('invalid_request');
    expect(await codeOf(post(path, { ...fields, model: 'none', prompt: [] }, poor.liveKey))).toBe('invalid_prompt');
    expect(await codeOf(post(path, { ...fields, model: 'none' }, poor.liveKey))).toBe('model_not_found');
    expect(await codeOf(post(path, { ...fields, model: 'sandbox-chat' }, poor.liveKey))).toBe('unsupported_model');
    expect(await codeOf(post(path, { ...fields, model: 'sandbox-text' }, poor.liveKey))).toBe('invalid_request');
    expect(await codeOf(post(path, { ...fields, model: 'sandbox-text', max_tokens: 1 }, poor.liveKey))).toBe('insufficient_credits');
  });
});

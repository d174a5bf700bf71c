import { type AddressInfo, createServer } from 'node:net';
import OpenAI, { APIError } from 'openai';
import { started } from '../../src/common/testing/started.js';
import { OpenRequests } from '../../src/http/server/open-requests.js';
import type { ErrorBody } from '../../src/wire/error.js';
import type { Model, ModelList } from '../../src/wire/model.js';
import { describeAiSdkClient } from '../clients/ai-sdk-client.js';
import type { ClientGateway } from '../clients/client-gateway.js';
import { usePair } from '../clients/client-pair.js';
import { describeLangChainClient } from '../clients/langchain-client.js';
import { describeOpenAIClient } from '../clients/openai-client.js';
import { newestOpenAI, oldOpenAI } from '../clients/openai-majors.js';
import { payloadsOf } from '../support/event-stream.js';
import { GatewayProgram, type StartedGateway } from '../support/gateway-program.js';
import { Gateway } from '../support/gateway.js';
import { longForm } from '../support/long-form.js';
import { useLoopbackOnly } from '../support/loopback-only.js';
import { until } from '../support/until.js';
import { expectError } from '../support/wire-schemas.js';

useLoopbackOnly();

const messages = [{ role: 'user', content: 'How do I bake bread?' }];
const operations: [string, object][] = [
  ['chat/completions', { messages, max_tokens: 10, seed: 7 }],
  ['completions', { prompt: 'The kitchen was warm and', max_tokens: 10, seed: 7 }],
];
const both = operations.flatMap(([path, fields]) => [false, true].map((stream) => [path, { ...fields, stream }] as const));
/** Facts of a model that the far one has, for a far one that cannot be asked. */
const omni = { pricing: { prompt: 1, completion: 1 }, capabilities: { completion: true } };

describe('One gateway in front of another', () => {
  // A pair for each client: what one of them makes fail on purpose must not open the circuits of another's models.
  const clients = [
    (gateway: () => ClientGateway) => describeOpenAIClient({ ...newestOpenAI, gateway }),
    (gateway: () => ClientGateway) => describeOpenAIClient({ ...oldOpenAI, gateway }),
    (gateway: () => ClientGateway) => describeAiSdkClient({ name: 'ai 7', gateway }),
    (gateway: () => ClientGateway) => describeLangChainClient({ name: '@langchain/openai 1', gateway }),
  ];
  describe.each(longForm ? clients : clients.slice(0, 1))('to a client,', (describeClient) => {
    const pair = usePair();
    describeClient(() => pair().client);
  });

  describe('to both customers', () => {
    const pair = usePair();

    it('lists the far models with the facts that the far one gives of them', async () => {
      const { near, far } = pair();
      const query = 'models?active_only=false&include_capabilities=true';
      const told = ((await far.get(query)).body as ModelList).data;
      const listed = ((await near.get(`${query}&provider=far`)).body as ModelList).data;
      expect(told.length).toBeGreaterThan(10);
      const expected = told.map((model): Model => ({
        ...model,
        id: `far/${model.id}`,
        owned_by: 'far',
        provider: { id: 'far', name: 'Far' },
        performance: expect.anything() as never,
      }));
      expect(listed).toEqual(expected);
    });

    it.each(both)('charges both for what was generated once: %s %j', async (path, body) => {
      const { near, far } = pair();
      const before = [await near.balance(), await far.balance()] as const;
      const rows = [(await near.usage(0)).length, (await far.usage(0)).length] as const;
      const answer = await near.stream(path, { model: 'far/sandbox-omni', ...body });
      const text = await answer.text();
      expect(answer.headers['x-switchyard-served-by']).toBe('far/sandbox-omni');
      if (body.stream) expect(payloadsOf(text).at(-1)).toBe('[DONE]');
      const [atNear, atFar] = [(await near.usage(rows[0] + 1)).at(-1)!, (await far.usage(rows[1] + 1)).at(-1)!];
      expect(atNear).toMatchObject({ model: 'far/sandbox-omni', provider: 'far', outcome: 'completed', estimated: 0n });
      expect(atFar).toMatchObject({ model: 'sandbox-omni', provider: 'sandbox', outcome: 'completed', estimated: 0n });
      expect(atNear.completion_tokens).toBeGreaterThan(0n);
      for (const figure of ['prompt_tokens', 'completion_tokens', 'amount'] as const) expect(atNear[figure]).toBe(atFar[figure]);
      expect(before[0] - (await near.balance())).toBe(atNear.amount);
      expect(before[1] - (await far.balance())).toBe(atFar.amount);
    });

    it.each(both)('offers a far model under a name of its own: %s %j', async (path, body) => {
      const { far } = pair();
      const provider = {
        base_url: `${far.url}/v1`,
        api_key: far.customer.liveKey,
        models: { baker: { ...omni, upstream_model: 'sandbox-omni' } },
      };
      const near = await Gateway.start({ providers: { far: provider } });
      const answer = await near.stream(path, { model: 'baker', ...body });
      const text = await answer.text();
      await near.close();
      expect(answer.status).toBe(200);
      const events = body.stream ? payloadsOf(text).slice(0, -1) : [text];
      for (const event of events) expect(JSON.parse(event)).toMatchObject({ model: 'baker' });
    });

    it('lets the near sandbox answer a test key, whatever the model', async () => {
      const { near, far } = pair();
      const { testKey } = near.customer;
      const before = [await near.balance(), await near.balance(near.customer, 'test')] as const;
      let asked = 0;
      far.running.app.get(OpenRequests).onEnd(() => asked++);
      for (const [path, body] of both) {
        const answer = await near.stream(path, { model: 'far/sandbox-omni', ...body }, { key: testKey });
        await answer.text();
        expect(answer.status).toBe(200);
        expect(answer.headers['x-switchyard-served-by']).toBe('sandbox/sandbox-omni');
      }
      expect(asked).toBe(0);
      expect(await near.balance()).toBe(before[0]);
      expect(await near.balance(near.customer, 'test')).toBeLessThan(before[1]);
    });

    it.each(both)('carries a client’s leaving to the far socket: %s %j', async (path, body) => {
      const { near, far } = pair();
      const requests = far.running.app.get(OpenRequests);
      const answered: boolean[] = [];
      requests.onEnd((ended) => answered.push(ended.answered));
      const rows = [(await near.usage(0)).length, (await far.usage(0)).length] as const;
      const leaving = new AbortController();
      const asked = near.stream(path, { model: 'far/sandbox-stall', ...body, max_tokens: 100 }, { signal: leaving.signal });
      if (body.stream) await (await asked).next();
      else asked.catch(() => undefined);
      await until(() => requests.size === 1, 'the far request');
      leaving.abort();
      await until(() => requests.size === 0, 'the end of the far request');
      expect(answered).toEqual([false]);
      expect((await near.usage(rows[0] + 1)).at(-1)!.outcome).toBe('client_left');
      expect((await far.usage(rows[1] + 1)).at(-1)!.outcome).toBe('client_left');
      await near.balance();
      await far.balance();
    });
  });

  describe('when the near one’s account at the far one is in trouble', () => {
    let far: Gateway;
    let near: Gateway;
    const wrongKey = `sy-live-${'x'.repeat(32)}`;
    beforeAll(async () => {
      far = await Gateway.start();
      const empty = await far.newCustomer('0');
      const entry = (api_key: string) => ({ base_url: `${far.url}/v1`, api_key, models: { 'sandbox-omni': omni } });
      near = await Gateway.start({
        providers: { refused: { ...entry(wrongKey), prefix: 'refused/' }, empty: { ...entry(empty.liveKey), prefix: 'empty/' } },
      });
    });
    afterAll(async () => {
      await near.close();
      await far.close();
    });

    it.each([
      ['refused/sandbox-omni', 'a key that the far one does not know'],
      ['empty/sandbox-omni', 'an account without credits'],
    ])('%s: the client learns nothing of %s', async (model) => {
      const before = await near.balance();
      for (const stream of [false, true]) {
        const answer = await near.post('chat/completions', { model, messages, stream });
        expectError(answer, 503, 'service_unavailable');
        expect(answer.text).not.toMatch(/key|credit|account|quota/i);
      }
      expect(await near.balance()).toBe(before);
    });
  });

  describe('when the far one is not there', () => {
    let near: Gateway;
    beforeAll(async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      await new Promise((resolve) => server.close(resolve));
      // One model a test: its circuit opens after five failures.
      const models = Object.fromEntries(both.map((_, index) => [`omni-${index}`, omni]));
      near = await Gateway.start({ providers: { gone: { base_url: `http://127.0.0.1:${port}/v1`, models } } });
    });
    afterAll(() => near.close());

    it.each(both.map((each, index) => [...each, `omni-${index}`] as const))('answers 502: %s %j', async (path, body, model) => {
      const before = await near.balance();
      expectError(await near.post(path, { model, ...body }), 502, 'upstream_error');
      expect(await near.balance()).toBe(before);
    });
  });

  describe('when the far one is killed', () => {
    const program = started(() => GatewayProgram.build(), 'dispose');
    let far: StartedGateway;
    let near: Gateway;
    const killed = () => far.process.stop();
    beforeEach(async () => {
      far = await program.start();
      near = await Gateway.start({ providers: { far: { base_url: far.baseURL, api_key: far.liveKey, prefix: 'far/' } } });
      // On a busy machine the start does not wait for the list of the far one.
      await until(async () => (await near.get('models/far%2Fsandbox-stall')).status === 200, 'the models of the far one');
    });
    afterEach(() => near.close());

    it.each(operations)(
      'an open stream ends with an error event and without [DONE]: %s',
      async (path, fields) => {
        const before = await near.balance();
        const answer = await near.stream(path, { model: 'far/sandbox-stall', ...fields, max_tokens: 100 });
        await answer.next();
        await killed();
        const payloads = payloadsOf(await answer.text());
        expect(payloads.length).toBeGreaterThan(1);
        const { error } = JSON.parse(payloads.at(-1)!) as ErrorBody;
        expect(error).toEqual({ type: 'api_error', code: 'upstream_error', message: expect.any(String) });
        expect(answer.complete).toBe(true);
        expect(await near.balance()).toBe(before);
        expect((await near.usage(1))[0]).toMatchObject({ outcome: 'provider_failed', amount: 0n });
      },
      30_000,
    );

    it('the official client throws in its loop, and gets 502 from then on', async () => {
      const client = new OpenAI({ baseURL: `${near.url}/v1`, apiKey: near.customer.liveKey, maxRetries: 0 });
      const model = 'far/sandbox-stall';
      const asked = { model, messages: [{ role: 'user' as const, content: 'How do I bake bread?' }] };
      const waiting = client.chat.completions.create(asked).catch((error: unknown) => error);
      const stream = await client.chat.completions.create({ ...asked, stream: true });
      let text = '';
      const read = async (): Promise<void> => {
        for await (const chunk of stream) {
          text += chunk.choices[0]?.delta.content ?? '';
          if (text) void killed();
        }
      };
      const error = await read().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(APIError);
      expect(error).toMatchObject({ code: 'upstream_error' });
      expect(await waiting).toMatchObject({ status: 502, code: 'upstream_error' });
      await expect(client.chat.completions.create(asked)).rejects.toMatchObject({ status: 502, code: 'upstream_error' });
    });
  });
});

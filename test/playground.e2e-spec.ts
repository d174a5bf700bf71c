import { jest } from '@jest/globals';
import request from 'supertest';
import { Database } from '../src/database/database.js';
import { OpenRequests } from '../src/http/server/open-requests.js';
import { InferenceService } from '../src/inference/inference.service.js';
import { RequestHistories } from '../src/observability/request-history.js';
import { MemberStore } from '../src/people/member-store.js';
import { Administration } from './support/administration.js';
import type { Customer } from './support/customer.js';
import { describeGateways } from './support/describe-gateways.js';
import { eventsOf, openStream } from './support/event-stream.js';
import { expectEnvelope } from './support/expect-envelope.js';
import { useGateway, useOperator } from './support/started.js';
import { until } from './support/until.js';

const chat = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Tell me about the weather.' }], max_tokens: 8 };
const text = { model: 'sandbox-text', prompt: 'Once upon a time', max_tokens: 8 };

interface Listed {
  readonly key_id: string;
  readonly operation: string;
  /** Null until the record is written: the charge alone may be there before. */
  readonly status: number | null;
  readonly charged: string | null;
}

describeGateways('The playground', (start) => {
  let customer: Customer;
  let developer: Administration;
  const gateway = useGateway(() => start({ observability: { store_text: true } }));
  const operator = useOperator(gateway);
  beforeEach(async () => {
    customer = await gateway.newCustomer();
    developer = await Administration.as(gateway.running, 'developer', customer.accountId);
  });

  const path = (operation: string, environment?: string) =>
    `accounts/${customer.accountId}/playground/${operation}${environment === undefined ? '' : `?environment=${environment}`}`;
  const requests = async (): Promise<Listed[]> =>
    ((await developer.get(`accounts/${customer.accountId}/requests`)).body as { data: Listed[] }).data;
  /** Waits for so many requests, each with its record. */
  const recorded = (count: number) =>
    until(async () => {
      const found = await requests();
      return found.length === count && found.every(({ status }) => status !== null);
    }, `${count} records`);
  const refused = ({ status, headers, text: body }: request.Response, expected: number, code: string) =>
    expectEnvelope({ status, headers, body }, expected, code);
  const keyId = (environment = 'live') => `playground:${customer.accountId}:${environment}:${developer.tokenId}`;

  it('answers as /v1 does, charges the account, and records who did it', async () => {
    const before = await gateway.balance(customer);
    const answer = await developer.post(path('chat/completions'), { ...chat, seed: 1 });
    expect([answer.status, answer.body]).toMatchObject([200, { object: 'chat.completion', model: 'sandbox-chat' }]);
    const direct = await gateway.post('chat/completions', { ...chat, seed: 1 }, customer.liveKey);
    const choices = (body: unknown) => (body as { choices: unknown }).choices;
    expect(choices(answer.body)).toEqual(choices(direct.body));
    expect(answer.headers['x-switchyard-cost']).toBe(direct.headers['x-switchyard-cost']);
    expect((await developer.post(path('completions'), text)).body).toMatchObject({ object: 'text_completion' });
    await recorded(3);
    const made = (await requests()).filter(({ key_id }) => key_id === keyId());
    expect(made.map(({ operation, status }) => [operation, status])).toEqual([
      ['completion', 200],
      ['chat', 200],
    ]);
    const charged = (await requests()).reduce((sum, one) => sum + Math.round(Number(one.charged) * 1e9), 0);
    expect(before - (await gateway.balance(customer))).toBe(BigInt(charged));
    expect(charged).toBeGreaterThan(0);
  });

  it('streams in the format of OpenAI, and stops when the client leaves', async () => {
    const url = `${gateway.url}/admin/v1/${path('chat/completions')}`;
    const streamed = await openStream({
      url,
      key: developer.token,
      body: { ...chat, stream: true, stream_options: { include_usage: true } },
    });
    expect(streamed.status).toBe(200);
    const events = eventsOf(await streamed.text());
    expect(events.length).toBeGreaterThan(3);
    const leaving = await openStream({ url, key: developer.token, body: { ...chat, model: 'sandbox-stall', stream: true } });
    leaving.leave();
    await until(async () => (await gateway.held(customer)) === 0n, 'the end of the hold');
  });

  it('has the test environment, in which the test balance pays', async () => {
    const before = await gateway.balance(customer, 'test');
    await developer.post(path('completions', 'test'), text).expect(200);
    await until(async () => (await requests()).length === 1, 'the record');
    expect((await requests())[0]!.key_id).toBe(keyId('test'));
    expect(before - (await gateway.balance(customer, 'test'))).toBeGreaterThan(0n);
    refused(await developer.post(path('completions', 'other'), text), 400, 'invalid_request');
  });

  it('holds to the checks of /v1: fields, models, credits, limits, rules', async () => {
    refused(await developer.post(path('chat/completions'), { ...chat, temperature: '1' }), 400, 'invalid_request');
    refused(await developer.post(path('chat/completions'), { ...chat, model: 'none' }), 404, 'model_not_found');
    refused(await developer.post(path('chat/completions'), { ...chat, model: 'sandbox-overloaded' }), 503, 'model_overloaded');
    await recorded(3);
    expect((await requests()).map(({ status }) => status)).toEqual([503, 404, 400]);
    const rules = async (given: object) => {
      await operator.patch(`accounts/${customer.accountId}`, { rules: given }).expect(200);
    };
    await rules({ models: { deny: ['sandbox-chat'] } });
    refused(await developer.post(path('chat/completions'), chat), 404, 'model_not_found');
    await rules({ operations: ['chat'] });
    refused(await developer.post(path('completions'), text), 403, 'permission_denied');
    await rules({ addresses: ['10.0.0.0/8'] });
    refused(await developer.post(path('chat/completions'), chat), 403, 'permission_denied');
    await rules({ requests_per_minute: 1, burst_seconds: 60 });
    await developer.post(path('completions'), text).expect(200);
    refused(await developer.post(path('completions'), text), 429, 'rate_limit_exceeded');
    await rules({ budgets: { day: '0.000000001' } });
    refused(await developer.post(path('completions'), text), 402, 'budget_exceeded');
    await rules({});
    const { accountId } = await gateway.newCustomer('0');
    const poor = await Administration.as(gateway.running, 'developer', accountId);
    refused(await poor.post(`accounts/${accountId}/playground/completions`, text), 402, 'insufficient_credits');
  });

  it('is no second pipeline: one generation asks it once', async () => {
    const whole = jest.spyOn(InferenceService.prototype, 'whole');
    await developer.post(path('chat/completions'), chat).expect(200);
    expect(whole).toHaveBeenCalledTimes(1);
    whole.mockRestore();
  });

  it('repeats nothing under one Idempotency-Key', async () => {
    const send = () => developer.post(path('completions'), text).set('idempotency-key', 'one');
    const [first, again] = [await send(), await send()];
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });

  it('has a key that opens nothing, cannot be replaced, and ends the playground when it is revoked', async () => {
    await developer.post(path('completions'), text).expect(200);
    const keys = (await developer.get(`accounts/${customer.accountId}/keys`)).body as { data: { id: string; label: string }[] };
    expect(keys.data.find(({ id }) => id === keyId())).toMatchObject({
      label: `Playground of ${developer.tokenId}`,
      metadata: { playground: developer.tokenId },
    });
    refused(await gateway.post('completions', text, keyId()), 401, 'invalid_api_key');
    const encoded = encodeURIComponent(keyId());
    refused(await developer.post(`accounts/${customer.accountId}/keys/${encoded}/rotate`, {}), 409, 'conflict');
    await developer.delete(`accounts/${customer.accountId}/keys/${encoded}`).expect(200);
    refused(await developer.post(path('completions'), text), 403, 'permission_denied');
    // Another person's goes on, and has their name.
    const person = await Administration.signedIn(gateway.running, 'owner', customer.accountId);
    await person.post(path('completions'), text).expect(200);
    expect((await person.get(`accounts/${customer.accountId}/keys`)).body).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ label: 'Playground of owner' })]) as unknown,
    });
    // So has that of an operator who is a member, as the first person is.
    const first = await Administration.signedIn(gateway.running, 'operator');
    const { app } = gateway.running;
    await app
      .get(Database)
      .change('person', (trx, version) =>
        app.get(MemberStore).put(trx, version, customer.accountId, first.personId, 'owner', async () => {}),
      );
    await first.post(path('completions'), text).expect(200);
    expect((await person.get(`accounts/${customer.accountId}/keys`)).body).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ label: 'Playground of operator' })]) as unknown,
    });
  });

  it('tells operators alone which operator has used it', async () => {
    await operator.post(path('completions'), text).expect(200);
    const admin = await Administration.as(gateway.running, 'admin', customer.accountId);
    type Listing = { data: { id?: string; subject?: string; actor?: string | null; key_id?: string }[] };
    const listed = async (from: Administration, what: string) => (await from.get(`accounts/${customer.accountId}/${what}`)).body as Listing;
    await until(async () => (await listed(admin, 'requests')).data.length === 1, 'the record');
    for (const what of ['keys', 'audit-log', 'requests', 'usage'])
      expect([what, JSON.stringify(await listed(admin, what))]).toEqual([what, expect.not.stringContaining(operator.tokenId)]);
    const id = (await listed(admin, 'requests')).data[0]!.key_id!;
    expect(id).toMatch(new RegExp(`^playground:${customer.accountId}:live:operator-[0-9a-f]{16}$`));
    const line = (await listed(operator, 'audit-log')).data.find(({ subject }) => subject === id);
    expect(line).toMatchObject({ actor: operator.tokenId });
  });

  it('makes one key for many requests that come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => developer.post(path('completions'), text)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    const log = (await operator.get(`accounts/${customer.accountId}/audit-log`)).body as { data: { subject: string }[] };
    expect(log.data.filter(({ subject }) => subject === keyId())).toHaveLength(1);
  });

  it('takes as long a body as /v1, where the rest of the administration does not', async () => {
    const long = 'word '.repeat(80_000);
    await developer.post(path('chat/completions'), { ...chat, messages: [{ role: 'user', content: long }], model: 'sandbox-omni' });
    expect(
      refused(await developer.post(`accounts/${customer.accountId}/keys`, { label: long }), 413, 'request_too_large').message,
    ).toContain('262144');
    const { status } = await developer.post(path('completions'), { ...text, prompt: long });
    expect(status).not.toBe(413);
  });

  it('is not open to viewers, nor to members of other accounts, nor for accounts that are not there', async () => {
    const viewer = await Administration.as(gateway.running, 'viewer', customer.accountId);
    refused(await viewer.post(path('completions'), text), 403, 'permission_denied');
    const other = await Administration.as(gateway.running, 'owner', (await gateway.newCustomer()).accountId);
    refused(await other.post(path('completions'), text), 404, 'not_found');
    refused(await operator.post('accounts/acct_none/playground/completions', text), 404, 'not_found');
    expect(gateway.running.app.get(OpenRequests).size).toBe(0);
  });

  it('keeps the text of what is generated where texts are kept, and of nothing else of the administration', async () => {
    const key = await developer.post(`accounts/${customer.accountId}/keys`, { environment: 'test', label: 'kept nowhere' }).expect(200);
    const answer = await developer.post(path('completions'), text).expect(200);
    const id = answer.headers['x-request-id']!;
    const shown = async () =>
      ((await developer.get(`accounts/${customer.accountId}/requests/${id}?text=true`)).body as { text?: { request: string } | null }).text;
    await until(async () => (await shown()) !== undefined && (await shown()) !== null, 'the text');
    expect((await shown())!.request).toContain('Once upon a time');
    // It came before.
    expect(await gateway.running.app.get(RequestHistories).text(key.headers['x-request-id']!)).toBeUndefined();
  });
});

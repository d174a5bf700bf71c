import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';
import OpenAI from 'openai';
import type { Responses } from 'openai/resources/responses/responses';
import { lastValueFrom, tap } from 'rxjs';
import { started } from '../src/common/testing/started.js';
import { AccountStore } from '../src/auth/account-store.js';
import { ApiKeyStore } from '../src/auth/api-key-store.js';
import { BodyBudget } from '../src/common/limits/byte-budget.js';
import { newRequestId } from '../src/common/requests/request-id.js';
import { Database } from '../src/database/database.js';
import { RequestContext } from '../src/http/requests/request-context.js';
import { LoopbackUpstream, type Reply } from '../src/providers/testing/loopback-upstream.js';
import { ResponseSweep } from '../src/response-store/response-sweep.js';
import { ResponseStore } from '../src/response-store/response-store.js';
import { RunningResponses } from '../src/response-store/running-responses.js';
import { MAX_BACKGROUND } from '../src/responses/store/store-limits.js';
import { StoredResponsesService } from '../src/responses/store/stored-responses.service.js';
import type { StreamEvent } from '../src/wire/stream-event.js';
import { said } from '../src/wire/testing/said.js';
import type { Customer } from './support/customer.js';
import { describeGateways } from './support/describe-gateways.js';
import { Gateway } from './support/gateway.js';
import { GatewayProgram } from './support/gateway-program.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { chatReply, jsonReply } from './support/openai-bytes.js';
import { responseEventsOf, ResponseStreamMachine } from './support/response-stream.js';
import { useGateway, useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { json, sse } from './vendors/vendor.js';

useLoopbackOnly();

type Answer = Responses.Response;

const space = { entries: 100, bytes: 1e9, total: 1e9 };

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const envelope = { id: 'chatcmpl-vendor', created: 1, model: 'vendor-model' };
const event = (choices: object[], more: object = {}) =>
  `data: ${JSON.stringify({ ...envelope, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
const message = said.assistant('one two three');
const begun = event([{ index: 0, delta: message, finish_reason: null }]);
const whole = `${begun}${event([{ index: 0, delta: {}, finish_reason: 'stop' }], { usage })}data: [DONE]\n\n`;

/** Answers in the form that is asked for. */
const answers = ({ body }: { body: string }): Reply =>
  (JSON.parse(body) as { stream?: boolean }).stream ? { headers: sse, body: whole } : chatReply('one two three', usage);
/** The Python client says that of requests without a body too. */
const asPython = { headers: { 'content-type': 'application/json' } };
/** Begins an answer and goes on with nothing. */
const stalls: Reply = { headers: sse, body: whole, after: begun.length, ending: 'stall' };

const settingsFor = (upstream: LoopbackUpstream) => ({
  routing: { retries: 0 },
  providers: {
    p: {
      base_url: `${upstream.origin}/v1`,
      models: {
        m: { pricing: { prompt: 1, completion: 1 }, context_length: 8_000, max_tokens: 100, capabilities: { function_calling: true } },
      },
    },
  },
});

const clientOf = (gateway: Gateway, key: string) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
const ended = async (client: OpenAI, id: string): Promise<Answer> => {
  let response: Answer | undefined;
  await until(async () => {
    response = await client.responses.retrieve(id);
    return response.status !== 'queued' && response.status !== 'in_progress';
  }, `the end of ${id}`);
  return response!;
};
const notFound = expect.objectContaining({ status: 404, code: 'not_found' });

describeGateways('Stored responses', (start) => {
  /** On PostgreSQL another gateway. */
  let elsewhere: Gateway;
  let customer: Customer;
  let client: OpenAI;

  const upstream = useUpstream();
  const gateway = useGateway(() => start(settings()));
  beforeAll(async () => {
    elsewhere = gateway.running.config.store.database_url ? await start(settings()) : gateway;
  });
  afterAll(async () => {
    if (elsewhere !== gateway) await elsewhere.close();
  });
  beforeEach(async () => {
    upstream.replies(answers);
    customer = await gateway.newCustomer('1000');
    client = clientOf(gateway, customer.liveKey);
    const other = clientOf(elsewhere, customer.liveKey);
    await until(
      () =>
        other.models.list().then(
          () => true,
          () => false,
        ),
      'the key is known elsewhere',
    );
  });

  const settings = () => ({ ...settingsFor(upstream), store: { keep_responses: true, max_responses: 60 } });
  const asked = () => (JSON.parse(upstream.requests.at(-1)!.body) as { messages: object[] }).messages;
  const rows = () =>
    gateway.running.app.get(Database).db.selectFrom('stored_response').selectAll().where('account_id', '=', customer.accountId).execute();
  const inBackground = (body: object = {}) =>
    client.responses.create({ model: 'm', input: 'Count.', background: true, ...body } as Responses.ResponseCreateParamsNonStreaming);

  it.each([false, true])('are read, listed and deleted at every gateway, without a trace in the clear (stream: %s)', async (stream) => {
    const body = { model: 'm', input: 'My secret is Xylophon.', metadata: { order: '7' } };
    const created = stream
      ? ResponseStreamMachine.run(await (await gateway.stream('responses', body, { key: customer.liveKey })).text())
      : ((await gateway.post('responses', body, customer.liveKey).expect(200)).body as Answer);
    expect(created).toMatchObject({ status: 'completed', store: true, background: false, previous_response_id: null });
    const { body: read } = await elsewhere.get(`responses/${created.id}`, customer.liveKey).expect(200);
    expect(read).toEqual(created);
    const { body: items } = await elsewhere.get(`responses/${created.id}/input_items`, customer.liveKey).expect(200);
    const id = expect.stringMatching(/^msg_[-0-9a-f]+_in_0$/);
    const content = [{ type: 'input_text', text: 'My secret is Xylophon.' }];
    expect(items).toEqual({
      object: 'list',
      data: [{ id, type: 'message', role: 'user', status: 'completed', content }],
      first_id: id,
      last_id: id,
      has_more: false,
    });
    const [row] = await rows();
    expect(
      JSON.stringify(
        { ...row, input: Buffer.from(row!.input).toString('latin1'), answer: Buffer.from(row!.answer).toString('latin1') },
        (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value),
      ),
    ).not.toMatch(/Xylophon|one two/);
    await expect(client.responses.delete(created.id)).resolves.toEqual({ id: created.id, object: 'response', deleted: true });
    expect(await rows()).toEqual([]);
    await expect(client.responses.retrieve(created.id)).rejects.toEqual(notFound);
    await expect(client.responses.delete(created.id)).rejects.toEqual(notFound);
  });

  it('go on with what was said, without its instructions', async () => {
    const first = await client.responses.create({ model: 'm', instructions: 'Be brief.', input: 'Ann?' });
    const second = await client.responses.create({
      model: 'm',
      previous_response_id: first.id,
      input: [said.user('Bob?')],
    });
    const third = await clientOf(elsewhere, customer.liveKey).responses.create({
      model: 'm',
      instructions: 'Be kind.',
      previous_response_id: second.id,
      input: 'Cyd?',
    });
    expect(asked()).toEqual([
      said.system('Be kind.'),
      ...['Ann?', 'Bob?'].flatMap((content) => [said.user(content), message]),
      said.user('Cyd?'),
    ]);
    expect(third).toMatchObject({ previous_response_id: second.id, instructions: 'Be kind.' });

    const listed = async (query: object) => {
      const texts: unknown[] = [];
      for await (const item of client.responses.inputItems.list(third.id, query))
        texts.push((item as { content: { text: string }[] }).content[0]!.text);
      return texts;
    };
    const texts = ['Ann?', 'one two three', 'Bob?', 'one two three', 'Cyd?'];
    expect(await listed({ order: 'asc', limit: 2 })).toEqual(texts);
    expect(await listed({ limit: 3 })).toEqual(texts.toReversed());
    for (const query of ['limit=0', 'limit=101', 'order=up', 'after=msg_x'])
      await gateway.get(`responses/${third.id}/input_items?${query}`, customer.liveKey).expect(400);

    await client.responses.delete(second.id);
    await expect(client.responses.create({ model: 'm', previous_response_id: third.id, input: 'Dan?' })).rejects.toMatchObject({
      status: 404,
    });
    expect(await listed({ order: 'asc' })).toEqual(['Cyd?']);
    const again = await client.responses.create({ model: 'm', previous_response_id: first.id, input: 'Eve?', store: false });
    expect(again).toMatchObject({ store: false, previous_response_id: first.id });
    await expect(client.responses.retrieve(again.id)).rejects.toEqual(notFound);
  });

  it('go on with calls of functions and their outputs', async () => {
    const tool_calls = [said.call('call_1', 'now', '{}')];
    const choices = [{ index: 0, message: said.assistant(null, tool_calls), finish_reason: 'tool_calls' }];
    upstream.replies(jsonReply({ ...envelope, object: 'chat.completion', choices, usage }));
    const tools: Responses.FunctionTool[] = [{ type: 'function', name: 'now', parameters: {}, strict: false }];
    const first = await client.responses.create({ model: 'm', tools, input: 'When?' });
    upstream.replies(answers);
    const output: Responses.ResponseInputItem[] = [{ type: 'function_call_output', call_id: 'call_1', output: 'noon' }];
    await client.responses.create({ model: 'm', tools, input: output, previous_response_id: first.id });
    expect(asked().slice(1)).toMatchObject([{ role: 'assistant', tool_calls }, said.result('call_1', 'noon')]);
  });

  it('lend their items to inputs that name them by their ids, as the AI SDK does', async () => {
    const { id, output } = await client.responses.create({ model: 'm', input: 'Ann?' });
    const input: Responses.ResponseInput = [said.user('Ann?'), { type: 'item_reference', id: output[0]!.id! }, said.user('Bob?')];
    const second = await client.responses.create({ model: 'm', input });
    expect(asked()).toEqual([said.user('Ann?'), message, said.user('Bob?')]);
    await client.responses.create({ model: 'm', input: input.slice(1), store: false });
    expect(asked()).toEqual([message, said.user('Bob?')]);
    const model = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: customer.liveKey })('m');
    const first = await generateText({ model, prompt: 'Ann?' });
    await generateText({
      model,
      messages: [said.user('Ann?'), ...first.response.messages, said.user('Bob?')],
    });
    expect(asked()).toEqual([said.user('Ann?'), message, said.user('Bob?')]);
    await client.responses.delete(id);
    const { data } = await client.responses.inputItems.list(second.id);
    expect(data).toHaveLength(3);
    const refused = { status: 400, code: 'unsupported_parameter' };
    await expect(client.responses.create({ model: 'm', input })).rejects.toMatchObject(refused);
    const stranger = clientOf(gateway, (await gateway.newCustomer()).liveKey);
    for (const item of [data[0]!.id, 'msg_1'])
      await expect(stranger.responses.create({ model: 'm', input: [{ type: 'item_reference', id: item }] })).rejects.toMatchObject(refused);
  });

  it('count in each place where an input names their items', async () => {
    upstream.replies(chatReply('y'.repeat(3_000_000), usage));
    const { output } = await client.responses.create({ model: 'm', input: 'x' });
    upstream.replies(answers);
    const item = { type: 'item_reference', id: output[0]!.id };
    const named = (times: number) =>
      gateway.post('responses', { model: 'm', input: Array.from({ length: times }, () => item) }, customer.liveKey);
    await named(2).expect(200);
    const { body } = await named(3).expect(400);
    expect((body as { error: object }).error).toMatchObject({ message: expect.stringMatching(/names items of .* 8388608 bytes together/) });
  });

  it('belong to their account and environment, and to all of its keys that may use the operation', async () => {
    const { id } = await client.responses.create({ model: 'm', input: 'Hello' });
    const running = await inBackground();
    const stranger = await gateway.newCustomer();
    for (const key of [stranger.liveKey, customer.testKey]) {
      const other = clientOf(gateway, key);
      for (const one of [id, running.id]) {
        await expect(other.responses.retrieve(one)).rejects.toEqual(notFound);
        await expect(other.responses.inputItems.list(one)).rejects.toEqual(notFound);
        await expect(other.responses.cancel(one)).rejects.toEqual(notFound);
        await expect(other.responses.delete(one)).rejects.toEqual(notFound);
        await expect(other.responses.create({ model: 'm', input: 'x', previous_response_id: one })).rejects.toEqual(notFound);
      }
    }
    for (const unknown of ['resp_1', id.slice(5), 'resp_01890a5d-ac96-774b-bcce-b302099a8057', `${id}x`])
      await expect(client.responses.retrieve(unknown)).rejects.toEqual(notFound);
    const keys = gateway.running.app.get(ApiKeyStore);
    const { accountId } = customer;
    const colleague = await keys.create({ accountId, environment: 'live' });
    const chatter = await keys.create({ accountId, environment: 'live', rules: { operations: ['chat'] } });
    await until(async () => (await gateway.get(`responses/${id}`, colleague.key)).status === 200, 'the key is known');
    for (const request of [
      gateway.get(`responses/${id}`, chatter.key),
      gateway.get(`responses/${id}/input_items`, chatter.key),
      gateway.post(`responses/${id}/cancel`, {}, chatter.key),
    ])
      await request.expect(403);
    await ended(client, running.id);
  });

  it('in the background are queued, answered, and charged once', async () => {
    const before = await gateway.balance(customer);
    const queued = await inBackground();
    expect(queued).toMatchObject({ status: 'queued', background: true, store: true, output: [] });
    const response = await ended(clientOf(elsewhere, customer.liveKey), queued.id);
    expect(response).toMatchObject({
      id: queued.id,
      status: 'completed',
      background: true,
      output_text: 'one two three',
      usage: { total_tokens: 10 },
    });
    expect(before - (await gateway.balance(customer))).toBe(10_000_000n);
    const row = (await gateway.usage(1, customer))[0]!;
    expect(row).toMatchObject({ request_id: queued.id.slice(5), operation: 'responses', outcome: 'completed', amount: 10_000_000n });
    const { records } = { records: async () => (await gateway.usage(1, customer))[0]!.attempts };
    await until(async () => (await records()) !== null, 'the record of the request');
    const next = await client.responses.create({ model: 'm', previous_response_id: queued.id, input: 'And?' });
    expect(next.status).toBe('completed');
    // It has ended: cancelling changes nothing.
    expect(await client.responses.cancel(queued.id)).toMatchObject({ status: 'completed', output: response.output });
    await expect(client.responses.cancel(next.id)).rejects.toMatchObject({ status: 400 });
  });

  it('in the background show that they go on, and cannot be continued until they end', async () => {
    upstream.replies(stalls);
    const { id } = await inBackground();
    await until(async () => (await client.responses.retrieve(id)).status === 'in_progress', 'the first output');
    await expect(client.responses.create({ model: 'm', previous_response_id: id, input: 'x' })).rejects.toMatchObject({ status: 400 });
    const coming = upstream.requests.at(-1)!;
    const from = performance.now();
    const cancelled = await clientOf(elsewhere, customer.liveKey).responses.cancel(id);
    await coming.closed;
    expect(performance.now() - from).toBeLessThan(5_000);
    expect(cancelled).toMatchObject({
      status: 'cancelled',
      output: [{ status: 'incomplete', content: [{ text: 'one two three' }] }],
    });
    expect(await client.responses.cancel(id, asPython)).toMatchObject({ status: 'cancelled' });
    const row = (await gateway.usage(1, customer))[0]!;
    expect(row.outcome).toBe('client_left');
    expect(row.amount > 0n && row.amount <= 100_000_000n).toBe(true);
    expect(cancelled.usage).toMatchObject({ output_tokens: Number(row.completion_tokens) });
    await expect(client.responses.create({ model: 'm', previous_response_id: id, input: 'x' })).rejects.toMatchObject({ status: 400 });
  });

  it.each(['key', 'account'])('in the background end with what deletes them, and with their %s', async (what) => {
    upstream.replies(stalls);
    const deleted = await inBackground();
    await until(() => upstream.requests.length === 1, 'the request');
    await clientOf(elsewhere, customer.liveKey).responses.delete(deleted.id, asPython);
    await upstream.requests[0]!.closed;
    const keys = elsewhere.running.app.get(ApiKeyStore);
    const { apiKey, key } = await keys.create({ accountId: customer.accountId, environment: 'live' });
    await until(async () => (await gateway.get('models', key)).status === 200, 'the key is known');
    const { id } = await clientOf(gateway, key).responses.create({ model: 'm', input: 'Count.', background: true });
    await until(async () => (await client.responses.retrieve(id)).status === 'in_progress', 'the first output');
    const accounts = elsewhere.running.app.get(AccountStore);
    if (what === 'key') await keys.revoke(apiKey.id);
    else await accounts.change(customer.accountId, { status: 'suspended' });
    await upstream.requests[1]!.closed;
    if (what === 'account') await accounts.change(customer.accountId, { status: 'active' });
    await until(async () => (await gateway.get('models', customer.liveKey)).status === 200, 'the account is active');
    expect(await ended(client, id)).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: 'Invalid API key provided' },
    });
    expect((await gateway.usage(2, customer)).map(({ outcome }) => outcome)).toEqual(['client_left', 'client_left']);
    expect(await gateway.held(customer)).toBe(0n);
  });

  it('in the background are refused as others are, and leave nothing', async () => {
    const poor = await gateway.newCustomer('0.000001');
    await expect(
      clientOf(gateway, poor.liveKey).responses.create({ model: 'm', input: 'x', background: true, max_output_tokens: 100 }),
    ).rejects.toMatchObject({ status: 402 });
    await expect(inBackground({ model: 'none' })).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    await expect(inBackground({ store: false })).rejects.toMatchObject({ status: 400 });
    expect(await rows()).toEqual([]);
    upstream.replies({ status: 500, headers: json, body: '{}' });
    expect(await ended(client, (await inBackground()).id)).toMatchObject({ status: 'failed', error: { code: 'server_error' }, output: [] });
    expect((await gateway.usage(1, customer))[0]).toMatchObject({ outcome: 'provider_failed', amount: 0n });
  });

  it.each(['text', 'calls'] as const)('send their events while they are made and again: %s', async (kind) => {
    const calls = ['now', 'then'].map((name, index) => ({
      index,
      id: `call_${name}`,
      type: 'function',
      function: { name, arguments: '{}' },
    }));
    const thought = event([{ index: 0, delta: { role: 'assistant', reasoning_content: 'Hm.' }, finish_reason: null }]);
    const called = event([{ index: 0, delta: { tool_calls: calls }, finish_reason: 'tool_calls' }], { usage });
    upstream.replies({ headers: sse, body: kind === 'text' ? whole : `${thought}${called}data: [DONE]\n\n` });
    const tools = ['now', 'then'].map((name) => ({ type: 'function', name, parameters: {}, strict: false }));
    const open = await gateway.stream('responses', { model: 'm', input: 'Count.', background: true, tools }, { key: customer.liveKey });
    const text = await open.text();
    const response = ResponseStreamMachine.run(text);
    expect(response).toMatchObject({ status: 'completed', background: true });
    expect(response.output.map(({ type }) => type)).toEqual(
      kind === 'text' ? ['message'] : ['reasoning', 'function_call', 'function_call'],
    );
    const numbers: number[] = [];
    const resumed = await clientOf(elsewhere, customer.liveKey).responses.retrieve(response.id, { stream: true, starting_after: 1 });
    for await (const { sequence_number } of resumed) numbers.push(sequence_number);
    expect(numbers).toEqual(
      responseEventsOf(text)
        .slice(2)
        .map(({ sequence_number }) => sequence_number),
    );
  });

  it('are asked for once for all who follow the events of one', async () => {
    upstream.replies(stalls);
    const ids = [(await inBackground()).id, (await inBackground()).id] as const;
    const looks = jest.spyOn(gateway.running.app.get(ResponseStore), 'isRunning');
    const looksAt = (id: string) => looks.mock.calls.filter(([, request]) => `resp_${request}` === id).length;
    const owner = { accountId: customer.accountId, environment: 'live' as const };
    const follow = (id: string) => {
      const context = new RequestContext(id);
      const last = lastValueFrom(gateway.running.app.get(StoredResponsesService).events(owner, id, context));
      return last.finally(() => context.answerClaim?.release());
    };
    const [followed, alone] = ids;
    const all = [...Array.from({ length: 10 }, () => follow(followed)), follow(alone)];
    await until(() => looksAt(alone) === 2, 'the second look');
    expect(looksAt(followed)).toBeLessThan(10);
    looks.mockRestore();
    for (const id of ids) await client.responses.cancel(id);
    for (const end of await Promise.all(all)) expect(end).toContain('response.incomplete');
  });

  it('with an Idempotency-Key are begun once', async () => {
    const send = () =>
      client.responses.create({ model: 'm', input: 'Count.', background: true }, { headers: { 'idempotency-key': 'one' } });
    const first = await send();
    let second: Answer | undefined;
    await until(async () => (second = await send().catch(() => undefined)) !== undefined, 'the kept answer');
    expect(second!.id).toBe(first.id);
    await ended(client, first.id);
    expect(upstream.requests).toHaveLength(1);
  });

  it('of an account run in the background up to a limit, and are kept up to another', async () => {
    upstream.replies(stalls);
    const all = await Promise.all(Array.from({ length: MAX_BACKGROUND }, () => inBackground()));
    await expect(inBackground()).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    expect(
      await gateway
        .newCustomer()
        .then((other) => clientOf(gateway, other.liveKey).responses.create({ model: 'm', input: 'x', background: true })),
    ).toMatchObject({ status: 'queued' });
    await Promise.all(all.map(({ id }) => client.responses.cancel(id)));
    upstream.replies(answers);
    const last: string[] = [];
    for (let made = 0; made < 15; made++) last.push((await client.responses.create({ model: 'm', input: 'x' })).id);
    const kept = await rows();
    expect(kept).toHaveLength(60);
    for (const id of last) expect(kept.some((row) => row.id === id.slice(5))).toBe(true);
  });

  it('in the background fail, and cost nothing, where their gateway ends before them', async () => {
    // On the embedded store there is no other gateway that could be asked.
    if (elsewhere === gateway) return;
    upstream.replies(stalls);
    const leaving = await start({ ...settings(), server: { drain_timeout: 300 } });
    const { id } = await clientOf(leaving, customer.liveKey).responses.create({ model: 'm', input: 'Count.', background: true });
    await until(async () => (await client.responses.retrieve(id)).status === 'in_progress', 'the first output');
    await leaving.close();
    expect(await client.responses.retrieve(id)).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    expect((await gateway.usage(1, customer))[0]).toMatchObject({ outcome: 'shutdown', amount: 0n });
  });

  it('fail where their gateway tells nothing of them any more', async () => {
    const store = elsewhere.running.app.get(RunningResponses);
    const { id } = await client.responses.create({ model: 'm', input: 'x' });
    const response = { ...(await client.responses.retrieve(id)), status: 'queued' as const };
    const request = {
      id: `${id.slice(5, -1)}${id.endsWith('0') ? '1' : '0'}`,
      owner: { ...customer, environment: 'live' as const },
      background: true,
      input: '[]',
    };
    const running = { node: 'a gateway that has died', ttl: 200, places: 5, space };
    await store.begin(request, { status: 'queued', json: JSON.stringify(response) }, running);
    expect(await ended(client, `resp_${request.id}`)).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
  });

  it('are sent as they are stored', async () => {
    const request = { id: newRequestId(), owner: { ...customer, environment: 'live' as const }, background: false, input: '[]' };
    const { body } = await gateway.post('responses', { model: 'm', input: 'x' }, customer.liveKey);
    const written = JSON.stringify(body, null, 1);
    await gateway.running.app.get(ResponseStore).add(request, { status: 'completed', json: written }, space);
    const { text } = await elsewhere.get(`responses/resp_${request.id}`, customer.liveKey).expect(200);
    expect(text).toBe(written);
  });

  it('in the background keep no input where the provider refuses it', async () => {
    upstream.replies({ status: 400, headers: json, body: JSON.stringify({ error: { message: 'No.' } }) });
    const { id } = await inBackground({ input: 'x'.repeat(100_000) });
    expect(await ended(client, id)).toMatchObject({ status: 'failed' });
    await until(async () => (await rows()).every((row) => row.id !== id.slice(5) || row.bytes < 5_000n), 'the end in the store');
    expect((await client.responses.inputItems.list(id)).data).toEqual([]);
  });

  it('go when their time is over', async () => {
    const { id } = await client.responses.create({ model: 'm', input: 'x' });
    const sweep = gateway.running.app.get(ResponseSweep);
    await sweep.sweep();
    expect(await rows()).toHaveLength(1);
    const store = gateway.running.app.get(ResponseStore);
    await store.sweep(Date.now() + 1000);
    await expect(client.responses.retrieve(id)).rejects.toEqual(notFound);
  });

  it('take no bytes for what is refused in the background', async () => {
    const bodies = gateway.running.app.get(BodyBudget);
    const nobody = { type: 'item_reference', id: 'msg_nobody' };
    const refused = { model: 'm', input: [said.user('x'.repeat(100_000)), nobody], background: true };
    expect((await gateway.post('responses', refused, customer.liveKey)).status).toBe(400);
    await until(() => bodies.used === 0, 'the bytes are given back');
  });

  it('are read with the bytes that they take, and no faster than their clients do', async () => {
    const content = 'y'.repeat(3_000_000);
    upstream.replies(chatReply(content, usage));
    const { id, output } = await client.responses.create({ model: 'm', input: 'x' });
    const item = { type: 'item_reference', id: output[0]!.id };
    upstream.replies(answers);
    const bodies = gateway.running.app.get(BodyBudget);
    const path = `responses/${id}`;
    const reads = () => [
      ...[path, `${path}?stream=true`, `${path}/input_items`].map((address) => gateway.get(address, customer.liveKey)),
      gateway.post('responses', { model: 'm', input: 'x', previous_response_id: id }, customer.liveKey),
      gateway.post('responses', { model: 'm', input: [item, said.user('x')] }, customer.liveKey),
    ];
    const others = bodies.limit - bodies.used;
    expect(bodies.resize('others', 0, others)).toBe(true);
    for (const read of reads()) expect((await read).status).toBe(503);
    bodies.resize('others', others, 0);
    for (const read of reads()) expect((await read).status).toBe(200);
    await until(() => bodies.used === 0, 'the bytes are given back');

    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname).pause();
    socket.write(`GET /v1/${path}?stream=true HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${customer.liveKey}\r\n\r\n`);
    await until(() => bodies.heldBy(customer.accountId) >= content.length, 'the bytes are counted');
    await delay(100);
    expect(bodies.heldBy(customer.accountId)).toBeGreaterThanOrEqual(content.length);
    socket.destroy();
    await until(() => bodies.used === 0, 'the bytes are given back');

    const context = new RequestContext(id);
    const events: StreamEvent[] = [];
    const owner = { accountId: customer.accountId, environment: 'live' as const };
    context.flow.pause();
    const replayed = lastValueFrom(
      gateway.running.app
        .get(StoredResponsesService)
        .events(owner, id, context)
        .pipe(tap((one) => events.push(one))),
    );
    await until(() => events.length > 0, 'the first event');
    await delay(100);
    expect(events).toHaveLength(1);
    context.flow.resume();
    await replayed;
    expect(events).toHaveLength(9);
    context.answerClaim?.release();
  });

  it('have a limit for their input', async () => {
    const input = 'x'.repeat(5_000_000);
    const terms = { key: customer.liveKey };
    await gateway.post('responses', { model: 'm', input, store: true }, terms.key).expect(413);
    const { body } = await gateway.post('responses', { model: 'sandbox-chat', input: 'x', store: true }, terms.key).expect(200);
    expect(body).toMatchObject({ store: true });
  });
});

describe('Without the permission to store', () => {
  const gateway = useGateway(() => Gateway.start());

  it('a request without a wish is answered, and says that it is not stored', async () => {
    const { body } = await gateway.post('responses', { model: 'sandbox-chat', input: 'Hello' }).expect(200);
    expect(body).toMatchObject({ store: false, status: 'completed' });
    const { body: refusal } = await gateway.get(`responses/${(body as Answer).id}`).expect(404);
    expect((refusal as { error: { message: string } }).error.message).toContain('store.keep_responses');
  });

  it.each([{ store: true }, { background: true }, { previous_response_id: 'resp_1' }])(
    '%j is refused with the name of the setting',
    async (wish) => {
      const { body } = await gateway.post('responses', { model: 'sandbox-chat', input: 'Hello', ...wish }).expect(400);
      expect((body as { error: object }).error).toMatchObject({
        code: 'unsupported_parameter',
        message: expect.stringContaining('store.keep_responses'),
      });
    },
  );
});

describe('A gateway that is killed while it answers in the background [program]', () => {
  const program = started(() => GatewayProgram.build(), 'dispose');
  const upstream = useUpstream();
  it('leaves a response that has failed, and its hold is settled', async () => {
    upstream.replies(stalls);
    const { process, baseURL, liveKey } = await program.start({ ...settingsFor(upstream), store: { keep_responses: true } });
    const client = new OpenAI({ baseURL, apiKey: liveKey, maxRetries: 0 });
    const { id } = await client.responses.create({ model: 'm', input: 'Count.', background: true });
    await until(async () => (await client.responses.retrieve(id)).status === 'in_progress', 'the first output');
    process.signal('SIGKILL');
    await process.exited;
    const again = new OpenAI({ baseURL: await program.startIn(process.cwd).listening(), apiKey: liveKey, maxRetries: 0 });
    expect(await again.responses.retrieve(id)).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    const store = new DatabaseSync(join(process.cwd, 'data/switchyard.db'), { readOnly: true });
    const row = () => store.prepare('select outcome, amount, hold from usage where request_id = ?').get(id.slice(5));
    await until(() => row() !== undefined, 'the settlement');
    const { outcome, amount, hold } = row()!;
    expect(outcome).toBe('crashed');
    expect(Number(amount) <= Number(hold)).toBe(true);
    expect(store.prepare('select count(*) as count from inflight').get()).toEqual({ count: 0 });
    store.close();
    await again.responses.delete(id);
  });
});

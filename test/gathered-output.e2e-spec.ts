import type { Socket } from 'node:net';
import { jest } from '@jest/globals';
import { AnswerBudget, BodyBudget } from '../src/common/limits/byte-budget.js';
import { OpenRequests } from '../src/http/server/open-requests.js';
import type { Reply } from '../src/providers/testing/loopback-upstream.js';
import type { ResponseObject } from '../src/wire/response.js';
import type { Customer } from './support/customer.js';
import { Gateway } from './support/gateway.js';
import { open as connection } from './support/raw-socket.js';
import { responseEventsOf } from './support/response-stream.js';
import { useGateway, useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { json, sse } from './vendors/vendor.js';

const MB = 1024 * 1024;
const LIMIT = 8 * MB;

const envelope = { id: 'chatcmpl-vendor', object: 'chat.completion.chunk', created: 1, model: 'vendor-model' };
const event = (choices: object[], more: object = {}) => `data: ${JSON.stringify({ ...envelope, choices, ...more })}\n\n`;
const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const end = `${event([{ index: 0, delta: {}, finish_reason: 'stop' }])}${event([], { usage })}data: [DONE]\n\n`;

/** Characters that take two bytes in memory and three in JSON. */
const wide = (length: number) => '\u4f60'.repeat(length);
const piece = (delta: object) => event([{ index: 0, delta, finish_reason: null }]);
const delta = (kind: string, text: string): object =>
  kind === 'tool_calls' ? { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'now', arguments: text } }] } : { [kind]: text };

describe('The output of responses', () => {
  let customer: Customer;
  let other: Customer;
  const upstream = useUpstream();
  const gateway = useGateway(() =>
    Gateway.start({
      server: { answer_budget: LIMIT },
      store: { keep_responses: true },
      routing: { retries: 0 },
      providers: {
        p: {
          base_url: `${upstream.origin}/v1`,
          free: true,
          models: { m: { context_length: 8_000, max_tokens: 100, capabilities: { function_calling: true } } },
        },
      },
    }),
  );
  beforeEach(async () => {
    customer = await gateway.newCustomer();
    other = await gateway.newCustomer();
  });
  afterEach(async () => {
    await until(() => answers().used === 0 && gateway.running.app.get(BodyBudget).used === 0, 'all is given back');
  });

  const answers = () => gateway.running.app.get(AnswerBudget);
  const streams = (text: string, more: Partial<Reply> = {}): Reply => ({ headers: sse, body: `${text}${end}`, ...more });
  const tools = [{ type: 'function', name: 'now', parameters: {}, strict: false }];
  const open = (key: string) => gateway.stream('responses', { model: 'm', input: 'Go', tools, store: false }, { key });
  const background = async (key: string) =>
    (await gateway.post('responses', { model: 'm', input: 'Go', background: true, tools }, key)).body as ResponseObject;
  const retrieved = async ({ id }: ResponseObject, key: string): Promise<ResponseObject> => {
    let response: ResponseObject | undefined;
    await until(async () => {
      response = (await gateway.get(`responses/${id}`, key)).body as ResponseObject;
      return response.status !== 'queued' && response.status !== 'in_progress';
    }, 'the end of the response');
    return response!;
  };
  const refusal = { code: 'server_error', message: expect.stringContaining('too many bytes together (server.answer_budget)') };

  it.each(['content', 'reasoning_content', 'tool_calls'])('is claimed while it is gathered, and given back: %s', async (kind) => {
    const text = piece(delta(kind, wide(100_000)));
    upstream.replies(streams(text, { after: Buffer.byteLength(text), ending: 'stall' }));
    const stream = await open(customer.liveKey);
    await until(() => answers().heldBy(customer.accountId) >= 200_000, 'the claim');
    stream.leave();
    await until(() => answers().used === 0, 'all is given back');
    const { id } = await background(customer.liveKey);
    await until(() => answers().heldBy(customer.accountId) >= 200_000, 'the claim');
    await gateway.post(`responses/${id}/cancel`, {}, customer.liveKey);
  });

  it('is claimed with the events of its end, which have it four times more', async () => {
    upstream.replies(streams(piece({ content: wide(100_000) })));
    const claims = jest.spyOn(answers(), 'resize');
    const last = responseEventsOf(await (await open(customer.liveKey)).text()).at(-1);
    expect(last).toMatchObject({ type: 'response.completed' });
    const most = Math.max(...claims.mock.calls.filter(([account]) => account === customer.accountId).map(([, , wanted]) => wanted));
    expect(most).toBeGreaterThanOrEqual(100_000 * (2 + 4 * 3));
    claims.mockRestore();
  });

  it.each(['content', 'reasoning_content', 'tool_calls'])(
    'beyond the budget fails its stream with what is wrong, and others go on: %s',
    async (kind) => {
      const text = Array.from({ length: 40 }, () => piece(delta(kind, wide(100_000)))).join('');
      upstream.replies(streams(text));
      const failed = responseEventsOf(await (await open(customer.liveKey)).text()).at(-1) as unknown as {
        type: string;
        response: ResponseObject;
      };
      expect(failed).toMatchObject({ type: 'response.failed', response: { status: 'failed', error: refusal, output: [] } });
      upstream.replies(streams(piece({ content: 'small' })));
      expect(responseEventsOf(await (await open(other.liveKey)).text()).at(-1)).toMatchObject({ type: 'response.completed' });
    },
  );

  it('beyond the budget fails in the background, and says so', async () => {
    upstream.replies(streams(Array.from({ length: 40 }, () => piece({ content: wide(100_000) })).join('')));
    expect(await retrieved(await background(customer.liveKey), customer.liveKey)).toMatchObject({
      status: 'failed',
      error: refusal,
      output: [],
    });
  });

  it('of many responses of one account leaves half of the budget to others', async () => {
    const text = piece({ content: wide(10_000) }).repeat(20);
    upstream.replies(streams(text, { after: Buffer.byteLength(text), ending: 'stall' }));
    const all = await Promise.all(Array.from({ length: 12 }, () => open(customer.liveKey)));
    for (const { status } of all) expect(status).toBe(200);
    await until(() => all.filter(({ received }) => received.includes('response.failed')).length >= 5, 'what is too much is refused');
    expect(answers().heldBy(customer.accountId)).toBeLessThanOrEqual(LIMIT / 2);
    upstream.replies(streams(piece({ content: wide(200_000) })));
    expect(responseEventsOf(await (await open(other.liveKey)).text()).at(-1)).toMatchObject({ type: 'response.completed' });
    for (const stream of all) stream.leave();
  });

  it('that is not streamed is claimed as well', async () => {
    const message = { role: 'assistant', content: wide(1_500_000) };
    const body = JSON.stringify({ ...envelope, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
    upstream.replies({ headers: json, body });
    const answer = await gateway.post('responses', { model: 'm', input: 'Go', store: false }, customer.liveKey);
    expect([answer.status, answer.body]).toMatchObject([503, { error: { code: 'service_unavailable' } }]);
  });

  it('that clients do not read is cut off beyond the budget, first that of the account that has most', async () => {
    const requests = gateway.running.app.get(OpenRequests);
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Go' }] });
    const message = { role: 'assistant', content: 'x'.repeat(2 * MB) };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const whole = { headers: json, body: JSON.stringify({ ...envelope, object: 'chat.completion', choices, usage }) };
    const sockets: Socket[] = [];
    for (const { liveKey } of [other, ...Array.from({ length: 5 }, () => customer)]) {
      const socket = await connection(gateway.running.port);
      sockets.push(socket);
      // Behind an answer that does not come the next one waits, however much the buffers of the system take.
      for (const reply of [{ ...whole, after: 10, ending: 'stall' } as const, whole]) {
        upstream.replies(reply);
        const asked = upstream.requests.length;
        socket.write(
          `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${liveKey}\r\n` +
            `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
        await until(() => upstream.requests.length > asked, 'the request');
      }
    }
    const waiting = () => requests.unread().reduce((sum, { bytes }) => sum + bytes, 0);
    await until(() => sockets.some(({ destroyed }) => destroyed) && waiting() <= LIMIT, 'the end of some');
    expect([waiting() > 0, sockets[0]!.destroyed]).toEqual([true, false]);
    for (const socket of sockets) socket.destroy();
  });
});

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import fc from 'fast-check';
import { startedEach } from '../src/common/testing/started.js';
import { OpenRequests } from '../src/http/server/open-requests.js';
import type { Reply } from '../src/providers/testing/loopback-upstream.js';
import { said } from '../src/wire/testing/said.js';
import type { Customer } from './support/customer.js';
import { Gateway } from './support/gateway.js';
import { until } from './support/until.js';
import { inOpenAiForm, streamOf, wholeOf } from './support/openai-bytes.js';
import { useUpstream } from './support/started.js';

const refusal = (status: number, error: object): Reply => ({
  status,
  headers: { 'content-type': 'application/json', 'retry-after': '30' },
  body: JSON.stringify({ error }),
});

/** How a healthy provider answers requests that are bad: in every way in which a provider can answer. */
const answers = {
  400: () => refusal(400, { message: 'bad' }),
  403: () => refusal(403, { message: 'Your input was flagged by moderation', metadata: { reasons: ['violence'] } }),
  401: () => refusal(401, { message: 'no', code: 'invalid_api_key' }),
  402: () => refusal(402, { message: 'no' }),
  404: () => refusal(404, { message: 'The model does not exist', code: 'model_not_found' }),
  408: () => refusal(408, { message: 'too slow' }),
  413: () => refusal(413, { message: 'Request too large', code: 'rate_limit_exceeded' }),
  429: () => refusal(429, { message: 'slow down' }),
  'too large': () =>
    refusal(429, { message: 'Request too large for gpt in organization org-1 on tokens per min (TPM): Limit 1, Requested 2' }),
  500: () => refusal(500, { message: 'oops' }),
  503: () => refusal(503, { message: 'busy' }),
  504: () => refusal(504, { message: 'late' }),
  silent: () => ({ ending: 'silent' }),
  reset: () => ({ ending: 'reset' }),
  cut: (streamed) => ({ ...inOpenAiForm(streamed), after: 60, ending: 'reset' }),
  stall: (streamed) => ({ ...inOpenAiForm(streamed), after: 60, ending: 'stall' }),
  html: () => ({ headers: { 'content-type': 'text/html' }, body: '<html>' }),
  'half an object': (streamed) => ({
    ...inOpenAiForm(streamed),
    body: streamed ? streamOf('Ahoj').slice(0, 50) : wholeOf('Ahoj').slice(0, 50),
  }),
  'in band': () => ({
    headers: { 'content-type': 'text/event-stream' },
    body: 'data: {"error":{"message":"no","type":"server_error"}}\n\n',
  }),
  unfinished: () => ({ headers: { 'content-type': 'application/json' }, body: wholeOf('Ahoj').replace('"stop"', 'null') }),
  good: inOpenAiForm,
} satisfies Record<string, (streamed: boolean) => Reply>;

type Badness = keyof typeof answers;
const kinds = Object.keys(answers) as Badness[];

describe('What one customer does to the others', () => {
  let gateway: Gateway;
  let adversary: Customer;

  const upstream = useUpstream();
  beforeAll(async () => {
    upstream.replies(({ body, path }) => {
      if (path.endsWith('/models')) return { headers: { 'content-type': 'application/json' }, body: '{"data":[]}' };
      const badness = /BAD:([^"\\]+)/.exec(body)?.[1] as Badness | undefined;
      return answers[badness ?? 'good'](body.includes('"stream":true'));
    });
    const models = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`m-${i}`, { pricing: { prompt: 0, completion: 0 } }]));
    gateway = await Gateway.start({
      providers: {
        far: {
          base_url: `${upstream.origin}/v1`,
          models,
          open: { context_length: 1_000, max_tokens: 100, pricing: { prompt: 0, completion: 0 } },
          timeouts: { first_byte: 500, idle: 500, total: 5_000 },
        },
      },
    });
    adversary = await gateway.newCustomer();
  });

  afterAll(() => gateway.close());

  const ask = async (model: string, key: string, content: string, stream: boolean): Promise<number> => {
    const { status, text } = await gateway.post('chat/completions', { model, stream, messages: [said.user(content)] }, key).buffer(true);
    return text.includes('"error"') && status === 200 ? 502 : status;
  };

  it('is nothing, whatever bad requests an adversary mixes at a healthy provider', async () => {
    let model = 0;
    const request = fc.record({ badness: fc.constantFrom(...kinds), stream: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 12 }), fc.nat(5), fc.boolean(), async (requests, bystanders, open) => {
        const name = open ? `far/made-up` : `m-${model++}`;
        const bad = requests.flatMap(({ badness, stream }) =>
          Array.from({ length: 3 }, () => ask(name, adversary.liveKey, `BAD:${badness}`, stream)),
        );
        const meanwhile = Array.from({ length: bystanders }, () => ask(name, gateway.customer.liveKey, 'good', false));
        expect(await Promise.all(meanwhile)).toEqual(meanwhile.map(() => 200));
        await Promise.all(bad);
        for (const stream of [true, false]) expect(await ask(name, gateway.customer.liveKey, 'good', stream)).toBe(200);
        const { data } = (await gateway.get('models')).body as { data: { id: string }[] };
        if (!open) expect(data.map(({ id }) => id)).toContain(name);
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });

  it.each(kinds)('is nothing after a hundred requests at once that the provider answers with %s', async (badness) => {
    const name = `m-${100 + kinds.indexOf(badness)}`;
    await Promise.all(Array.from({ length: 100 }, (_, i) => ask(name, adversary.liveKey, `BAD:${badness}`, i % 2 === 0)));
    expect(await ask(name, gateway.customer.liveKey, 'good', false)).toBe(200);
    expect(await ask(name, gateway.customer.liveKey, 'good', true)).toBe(200);
  });

  it('is next to nothing in the figures of the catalogue', async () => {
    const twenty = Array.from({ length: 20 }, (_, i) => i);
    await Promise.all(twenty.map(() => ask('m-155', gateway.customer.liveKey, 'good', false)));
    // Never more than a few in a row, so that its own circuit stays closed.
    for (const i of twenty)
      await Promise.all([1, 2, 3].map((j) => ask('m-155', adversary.liveKey, j === 3 || i % 2 ? 'good' : 'BAD:500', false)));
    const { data } = (await gateway.get('models')).body as { data: { id: string; performance: { uptime_percentage: number } }[] };
    expect(data.find(({ id }) => id === 'm-155')!.performance.uptime_percentage).toBeGreaterThanOrEqual(95);
  });
});

describe('What one customer holds open', () => {
  let gateway: Gateway;
  let greedy: Customer;
  const leave = startedEach(() => new AbortController());

  const upstream = useUpstream();
  beforeAll(async () => {
    upstream.replies(({ body }) => answers[body.includes('BAD:stall') ? 'stall' : 'good'](body.includes('"stream":true')));
    const free = { pricing: { prompt: 0, completion: 0 } };
    gateway = await Gateway.start({
      providers: { far: { base_url: `${upstream.origin}/v1`, models: { m: free, other: free } } },
      routing: { max_concurrency: 100, max_queue: 100 },
      server: { max_open_requests: 400 },
    });
    greedy = await gateway.newCustomer();
  });

  afterEach(async () => {
    leave.abort();
    await until(() => gateway.running.app.get(OpenRequests).size === 0, 'the end of all requests');
  });

  afterAll(() => gateway.close());

  const body = (model: string, content: string) => ({ model, messages: [said.user(content)] });
  /** Opens streams that never end, and resolves with the statuses of those that were refused. */
  const hold = async (count: number, model: string) => {
    const refused: number[] = [];
    const { signal } = leave;
    for (let i = 0; i < count; i++)
      gateway.stream('chat/completions', body(model, 'BAD:stall'), { key: greedy.liveKey, signal }).then(
        ({ status }) => status !== 200 && refused.push(status),
        () => undefined,
      );
    const open = () => gateway.running.app.get(OpenRequests).size;
    await until(() => open() + refused.length === count || open() >= 356, 'the streams');
    return refused;
  };
  const ask = async (model: string, { liveKey } = gateway.customer) =>
    (await gateway.post('chat/completions', body(model, 'good'), liveKey)).status;

  it('leaves places at an offer and in the process to everybody else', async () => {
    const refused = await hold(190, 'm');
    // 89 of the places and 89 of the queue, eight ninths of each.
    await until(() => refused.length === 12, 'the refusals');
    expect(new Set(refused)).toEqual(new Set([503]));
    expect(await Promise.all(Array.from({ length: 10 }, () => ask('m')))).toEqual(Array.from({ length: 10 }, () => 200));
    expect(await ask('m', greedy)).toBe(503);
    await hold(300, 'other');
    expect(await ask('other', greedy)).toBe(429);
    expect(await Promise.all(Array.from({ length: 10 }, () => ask('m')))).toEqual(Array.from({ length: 10 }, () => 200));
    expect((await gateway.get('models')).status).toBe(200);
    expect(await ask('other', await gateway.newCustomer())).toBe(200);
  });

  it('does not fill the process', async () => {
    // Slow bodies hold places without asking any offer.
    const { port } = new URL(gateway.url);
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${greedy.liveKey}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n`;
    const sockets = Array.from({ length: 400 }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
    for (const socket of sockets) socket.write(head);
    const refused = await Promise.all(sockets.slice(-10).map(async (socket) => String((await once(socket, 'data'))[0]).slice(9, 12)));
    expect(new Set(refused)).toEqual(new Set(['429']));
    expect(await ask('m')).toBe(200);
    expect(gateway.running.app.get(OpenRequests).size).toBeLessThanOrEqual(357);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await ask('m', greedy)) === 200, 'the end of its requests');
  });

  it('lets as many connections wait as the machine allows', async () => {
    const most = Number(readFileSync('/proc/sys/net/core/somaxconn', 'latin1'));
    const port = Number(new URL(gateway.url).port);
    const sockets = Array.from({ length: Math.min(2_000, most) }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    // They connect before the gateway, in this process, can accept them. One that finds no room tries again after 1 s.
    await new Promise<void>((done) => process.nextTick(done));
    const connecting = ` 0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} 02 `;
    const dropped = readFileSync('/proc/net/tcp', 'latin1').split(connecting).length - 1;
    for (const socket of sockets) socket.destroy();
    expect(dropped).toBe(0);
  });
});

import { createServer, type AddressInfo, type Server } from 'node:net';
import OpenAI, { APIError } from 'openai';
import { ManualClock } from '../src/common/testing/manual-clock.js';
import { LoopbackUpstream, type Reply } from '../src/providers/testing/loopback-upstream.js';
import { Gateway } from './support/gateway.js';
import { until } from './support/until.js';

const PIECES = 60;

/** Milliseconds that no provider needs, however busy the machine is. */
const PATIENCE = 20_000;

const chunk = (choice: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'up', choices: [{ index: 0, ...choice }], ...more })}\n\n`;
const head = chunk({ delta: { role: 'assistant', content: '' }, finish_reason: null });
const pieces = (count: number) =>
  Array.from({ length: count }, (_, i) => chunk({ delta: { content: `w${i} ` }, finish_reason: null })).join('');
const end =
  chunk({ delta: {}, finish_reason: 'stop' }) +
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'up', choices: [], usage: { prompt_tokens: 10, completion_tokens: PIECES, total_tokens: 70 } })}\n\ndata: [DONE]\n\n`;
const text = Array.from({ length: PIECES }, (_, i) => `w${i} `).join('');
const whole = JSON.stringify({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'up',
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: PIECES, total_tokens: 70 },
});
const stream = head + pieces(PIECES) + end;
const cutAt = Buffer.byteLength(head + pieces(40));
const sse = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };
const served = (streamed: boolean): Reply => (streamed ? { headers: sse, body: stream } : { headers: json, body: whole });

interface Row {
  readonly name: string;
  /** What the provider does, by mode; absent: its port does not speak HTTP or does not listen. */
  readonly reply?: (streamed: boolean) => Reply;
  readonly address?: 'refused' | 'tls';
  /** Status of an error before the first piece, by mode; absent: it serves. */
  readonly status?: { readonly streamed?: number; readonly whole?: number };
  readonly code?: string;
  readonly retryAfter?: string;
  /** Pieces that the client sees before the stream fails. */
  readonly delivered?: number;
  /** The provider would go on: its connection must be closed. */
  readonly hangs?: true;
  /** Our own limit ends it: what was delivered is paid for, and the provider has not failed. */
  readonly paid?: true;
  /** The failures open the circuit. */
  readonly opens?: boolean;
  /** Milliseconds that the provider has. Only what is to run out by itself is short: a busy machine is slow, too. */
  readonly timeouts?: { readonly first_byte?: number; readonly idle?: number };
  /** It goes on for longer than it may. */
  readonly runsOut?: true;
}

const refusal = (status: number, message = 'no', headers: Record<string, string> = {}) => ({
  status,
  headers: { ...json, ...headers },
  body: JSON.stringify({ error: { message, type: 'x', code: null } }),
});
const both = (status: number) => ({ streamed: status, whole: status });

const rows: readonly Row[] = [
  { name: 'serves', reply: served, opens: false },
  {
    name: '429',
    reply: () => refusal(429, 'slow down', { 'retry-after': '7' }),
    status: both(429),
    code: 'rate_limit_exceeded',
    retryAfter: '7',
    opens: true,
  },
  { name: '500', reply: () => refusal(500), status: both(503), code: 'model_overloaded', opens: true },
  { name: '529', reply: () => refusal(529), status: both(503), code: 'model_overloaded', opens: true },
  { name: 'connect-refused', address: 'refused', status: both(502), code: 'upstream_error', opens: true },
  { name: 'tls-error', address: 'tls', status: both(502), code: 'upstream_error', opens: true },
  {
    name: 'black-hole',
    hangs: true,
    reply: () => ({ ending: 'silent' }),
    status: both(504),
    code: 'upstream_timeout',
    opens: true,
    timeouts: { first_byte: 300 },
  },
  {
    name: 'slow-first-token',
    reply: (streamed) => ({ ...served(streamed), delay: 150 }),
    opens: false,
  },
  {
    name: 'stall',
    hangs: true,
    reply: (streamed) => ({ ...served(streamed), after: streamed ? cutAt : 200, ending: 'stall' }),
    status: { whole: 504 },
    code: 'upstream_timeout',
    delivered: 40,
    opens: true,
    timeouts: { idle: 300 },
  },
  {
    name: 'reset-at-40',
    hangs: true,
    reply: (streamed) => ({ ...served(streamed), after: streamed ? cutAt : 200, ending: 'reset' }),
    status: { whole: 502 },
    code: 'upstream_error',
    delivered: 40,
    opens: true,
  },
  {
    name: 'never-ending',
    hangs: true,
    reply: (streamed) => ({
      headers: streamed ? sse : json,
      body: streamed ? head + pieces(40) : ' '.repeat(1000),
      endless: true,
      pace: 5,
    }),
    status: { whole: 504 },
    code: 'upstream_timeout',
    delivered: 40,
    paid: true,
    opens: false,
    runsOut: true,
  },
  {
    name: 'html-with-200',
    reply: () => ({ headers: { 'content-type': 'text/html' }, body: '<html>ok</html>' }),
    status: both(502),
    code: 'upstream_error',
    opens: true,
  },
  {
    name: 'invalid-json',
    reply: (streamed) =>
      streamed ? { headers: sse, body: `${head}${pieces(40)}data: {"choices": [{\n\n` } : { headers: json, body: whole.slice(0, 90) },
    status: { whole: 502 },
    code: 'upstream_error',
    delivered: 40,
    opens: true,
  },
  {
    name: 'no-finish-reason',
    reply: (streamed) =>
      streamed ? { headers: sse, body: `${head}${pieces(40)}data: [DONE]\n\n` } : { headers: json, body: whole.replace('"stop"', 'null') },
    code: 'upstream_error',
    delivered: 40,
  },
];

/**
 * The same questions to a provider that fails in every way, through the official client: what it sees, what it costs,
 * what is left behind.
 */
describe('a failing provider', () => {
  const clock = new ManualClock();
  const upstreams = new Map<string, LoopbackUpstream>();
  let raw: Server;
  let gateway: Gateway;
  let client: OpenAI;

  beforeAll(async () => {
    raw = createServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('this is not TLS\n'),
    );
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
    const providers: Record<string, object> = {};
    for (const { name, reply, address, timeouts } of rows) {
      let base = `https://127.0.0.1:${(raw.address() as AddressInfo).port}/v1`;
      if (address === 'refused') base = 'http://127.0.0.1:1/v1';
      if (reply) {
        const upstream = await LoopbackUpstream.start();
        upstream.replies(({ body }) => reply(body.includes('"stream":true')));
        upstreams.set(name, upstream);
        base = `${upstream.origin}/v1`;
      }
      providers[name] = {
        base_url: base,
        models: { [`m-${name}`]: { pricing: { prompt: 1, completion: 1 }, context_length: 1000, max_tokens: 100 } },
        timeouts: { connect: PATIENCE, first_byte: PATIENCE, idle: PATIENCE, total: PATIENCE, ...timeouts },
      };
    }
    gateway = await Gateway.start({ providers, routing: { retries: 0 } }, undefined, clock);
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.customer.liveKey, maxRetries: 0 });
  });

  afterAll(async () => {
    await gateway.close();
    raw.close();
    for (const upstream of upstreams.values()) await upstream.stop();
  });

  const ask = (name: string) => ({ model: `m-${name}`, messages: [{ role: 'user' as const, content: 'hi' }] });

  const metrics = async () => (await fetch(`${gateway.url}/metrics`)).text();

  async function streamed(name: string): Promise<{ text: string; error?: unknown; finished: boolean }> {
    let seen = '';
    let finished = false;
    try {
      for await (const { choices } of await client.chat.completions.create({ ...ask(name), stream: true })) {
        seen += choices[0]?.delta.content ?? '';
        finished ||= choices[0]?.finish_reason != null;
      }
    } catch (error) {
      return { text: seen, error, finished };
    }
    return { text: seen, finished };
  }

  async function unstreamed(name: string): Promise<{ text: string; error?: unknown; finished: boolean }> {
    try {
      const { choices } = await client.chat.completions.create(ask(name));
      return { text: choices[0]!.message.content!, finished: choices[0]!.finish_reason !== null };
    } catch (error) {
      return { text: '', error, finished: false };
    }
  }

  /** Sends requests, and lets the time of a provider run out that answers them on and on. */
  async function last<T>({ name, runsOut }: Row, count: number, send: () => Promise<T>): Promise<T> {
    const asked = upstreams.get(name)?.requests ?? [];
    const before = asked.length;
    const answers = send();
    if (!runsOut) return answers;
    // By then all has been read that came first.
    await until(() => asked.length === before + count && asked.slice(before).every(({ sent }) => sent() > 15_000), 'endless answers');
    await clock.advance(PATIENCE);
    return answers;
  }

  describe.each(rows)('$name', (row) => {
    it.each([
      ['streamed', true],
      ['whole', false],
    ] as const)('%s', async (mode, isStream) => {
      const before = await gateway.balance();
      const seen = await last(row, 1, () => (isStream ? streamed(row.name) : unstreamed(row.name)));
      const status = row.status?.[mode];
      const fails = status !== undefined || (isStream && row.delivered !== undefined);
      if (fails) {
        expect(seen.error).toBeInstanceOf(APIError);
        const error = seen.error as APIError;
        expect(error.status).toBe(status);
        expect(error.code).toBe(row.code);
        if (row.retryAfter) expect(error.headers?.get('retry-after')).toBe(row.retryAfter);
        // What came before the failure came whole and in order, and nothing says that the answer is complete.
        expect(seen.finished).toBe(false);
        if (isStream && row.delivered) expect(seen.text.startsWith(text.slice(0, 100))).toBe(true);
        if (isStream && row.delivered && row.name !== 'never-ending')
          expect(seen.text).toBe(text.split(' ', row.delivered).join(' ') + ' ');
        if (row.paid && isStream) expect(await gateway.balance()).toBeLessThan(before);
        else expect(await gateway.balance()).toBe(before);
      } else {
        expect(seen).toEqual({ text, finished: true });
        expect(before - (await gateway.balance())).toBe(70_000_000n);
      }
      // Where the answer went wrong nothing stays open at the provider.
      const upstream = upstreams.get(row.name);
      if (upstream && fails && row.hangs) {
        await upstream.requests.at(-1)!.closed;
      }
    });

    if (row.opens === undefined) return;
    it(row.opens ? 'opens the circuit' : 'keeps the circuit closed', async () => {
      const all = [unstreamed, streamed, unstreamed, streamed];
      await last(row, 4, () => Promise.all(all.map((send) => send(row.name))));
      const { data } = await client.models.list({ query: { active_only: 'false' } });
      const listed = data.find(({ id }) => id === `m-${row.name}`) as unknown as {
        status: { active: boolean };
        performance: { uptime_percentage: number };
      };
      expect(listed.status.active).toBe(!row.opens);
      expect(listed.performance.uptime_percentage).toBe(row.opens ? 0 : 100);
      if (!row.opens) return;
      expect(await metrics()).toContain(`switchyard_paused_accounts{offer="${row.name}/m-${row.name}"} 1\n`);
      const asked = upstreams.get(row.name)?.requests.length;
      const { error } = await streamed(row.name);
      expect(error).toMatchObject({ status: 503 });
      // Refused without asking the provider.
      expect(upstreams.get(row.name)?.requests.length).toBe(asked);
    });
  });

  it('leaves no attempt running and no hold behind', async () => {
    expect(await gateway.held(gateway.customer)).toBe(0n);
    expect(await metrics()).not.toMatch(/switchyard_running_attempts\{[^}]*\} [1-9]/);
  });
});

describe('a provider that streams what is asked for as a whole', () => {
  const upstreams: LoopbackUpstream[] = [];
  let gateway: Gateway;

  beforeAll(async () => {
    for (let n = 0; n < 2; n++) upstreams.push(await LoopbackUpstream.start());
    const model = { pricing: { prompt: 1, completion: 1 }, context_length: 1000, max_tokens: 100 };
    const provider = ({ origin }: LoopbackUpstream) => ({ base_url: `${origin}/v1`, models: { m: model }, timeouts: { idle: 300 } });
    const [first, second] = upstreams as [LoopbackUpstream, LoopbackUpstream];
    second.replies({ headers: json, body: whole });
    gateway = await Gateway.start({ providers: { first: provider(first), second: provider(second) }, routing: { retries: 0 } });
  });

  afterAll(async () => {
    await gateway.close();
    await Promise.all(upstreams.map((upstream) => upstream.stop()));
  });

  it.each<[string, Reply]>([
    ['stalls', { headers: sse, body: stream, after: cutAt, ending: 'stall' }],
    ['is cut', { headers: sse, body: stream, after: cutAt, ending: 'reset' }],
    ['ends with an error', { headers: sse, body: `${head}${pieces(40)}data: {"error":{"message":"no","code":500}}\n\n` }],
  ])('and %s has delivered nothing, so that another one is asked', async (_, reply) => {
    const before = await gateway.balance();
    upstreams[0]!.replies(reply);
    const response = await gateway.post('chat/completions', { model: 'm', messages: [{ role: 'user', content: 'hi' }] });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ choices: [{ message: { content: text }, finish_reason: 'stop' }] });
    expect(response.headers['x-switchyard-served-by']).toBe('second/m');
    expect(before - (await gateway.balance())).toBe(70_000_000n);
  });
});

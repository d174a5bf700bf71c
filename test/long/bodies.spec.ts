import { type AddressInfo, createServer, type Server } from 'node:net';
import { AnswerBudget, BodyBudget, ByteClaim } from '../../src/common/limits/byte-budget.js';
import { OpenStreams } from '../../src/http/answers/open-streams.js';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import { Gateway } from '../support/gateway.js';
import { longForm } from '../support/long-form.js';
import { open, type RawAnswer, readAnswer, sendRaw } from '../support/raw-socket.js';
import { useLoopbackOnly } from '../support/loopback-only.js';
import { until } from '../support/until.js';

useLoopbackOnly();

const facts = { context_length: 100_000_000, max_tokens: 500 };
const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }];

describe('A request body', () => {
  let upstream: LoopbackUpstream;
  let gateway: Gateway;

  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    const provider = {
      base_url: `${upstream.origin}/v1`,
      free: true,
      models: { m: { ...facts, parameters: ['max_tokens'], capabilities: { vision: true } } },
    };
    gateway = await Gateway.start({ providers: { provider } });
  });
  beforeEach(() => {
    upstream.replies({ headers: { 'content-type': 'application/json' }, body: JSON.stringify({ choices }) });
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.stop();
  });

  const head = (more: string) =>
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.customer.liveKey}\r\n` +
    `content-type: application/json\r\n${more}\r\n\r\n`;

  function send(json: string): Promise<RawAnswer> {
    const bytes = Buffer.from(json);
    return sendRaw(gateway.running.port, [head(`content-length: ${bytes.length}`), bytes], 30_000);
  }

  function sendChunks(json: string, size: number): Promise<RawAnswer> {
    const bytes = Buffer.from(json);
    const chunks: string[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      const chunk = bytes.toString('latin1', at, at + size);
      chunks.push(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    }
    return sendRaw(
      gateway.running.port,
      [head('transfer-encoding: chunked'), Buffer.from(`${chunks.join('')}0\r\n\r\n`, 'latin1')],
      30_000,
    );
  }

  const message = (content: string) => `{"role":"user","content":${content}}`;
  const body = (messages: string, more = '') => `{"model":"m",${more}"messages":[${messages}]}`;
  const plain = message('"hi"');
  const many = (count: number, one: (index: number) => string) => Array.from({ length: count }, (_, index) => one(index)).join(',');
  const image = `{"type":"image_url","image_url":{"url":"https://example.com/${'i'.repeat(80)}.png","detail":"low"}}`;
  const parts = `[{"type":"text","text":"${'some words. '.repeat(30)}"},${image},{"type":"text","text":"${'é'.repeat(200)}"}]`;
  const tool = (index: number) =>
    `{"type":"function","function":{"name":"tool_${index}","description":"Does it","parameters":{"type":"object","properties":{${many(
      12,
      (field) => `"field_${field}":{"type":"string","enum":["a","b"],"description":"The field number ${field}"}`,
    )}},"required":["field_0"]}}}`;

  it.each([
    ['fields', () => body(plain, many(100_000, (index) => `"z${index}":[]`) + ','), 'more than 512 fields'],
    [
      'fields before long texts',
      () =>
        body(
          many(800, () => message(`"${'x'.repeat(5_000)}"`)),
          '"z":[],'.repeat(5_000),
        ),
      'more than 512 fields',
    ],
    ['members', () => body(plain, `"x":{${many(100_000, (index) => `"z${index}":0`)}},`), 'more than 4096 members'],
    ['arrays', () => body(plain, `"x":[${'[],'.repeat(10_000_000)}0],`), 'too many objects and arrays'],
    ['values', () => body(plain, `"x":[${'0,'.repeat(1_000_000)}0],`), 'too many values'],
    ['levels', () => body(plain, `"x":${'['.repeat(100_000)}${']'.repeat(100_000)},`), 'deeper than 100 levels'],
    ['digits', () => body(plain, `"x":${'7'.repeat(1_000_000)},`), 'more than 1000 characters'],
    ['characters of a name', () => body(plain, `"${'x'.repeat(1_000_000)}":0,`), 'longer than 256 bytes'],
    ['characters of a model', () => `{"model":"${'😀'.repeat(1_000_000)}","messages":[${plain}]}`, 'model must be a non-empty string'],
  ])('with too many %s is refused, with the limit in the message', async (_what, json, told) => {
    const answer = await send(json());
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toEqual({
      error: { message: expect.stringContaining(told) as string, type: 'invalid_request_error', code: 'invalid_request' },
    });
    expect(upstream.requests).toHaveLength(0);
  });

  it('in tiny chunks is refused after a while, and read where it is short', async () => {
    expect((await sendChunks(body(message(`"${'x'.repeat(5_000)}"`)), 1)).status).toBe(200);
    for (const content of ['x'.repeat(150_000), '0,'.repeat(75_000)]) {
      const answer = await sendChunks(body(message(`"${content}"`)), 1);
      expect(answer.status).toBe(400);
      expect(answer.body).toContain('pieces of less than 64 bytes on average');
    }
    expect((await sendChunks(body(plain, `"x":[${'0,'.repeat(75_000)}0],`), 1)).status).toBe(400);
    expect((await sendChunks(body(message(`"${'x'.repeat(2_000_000)}"`)), 100)).status).toBe(200);
  });

  describe('that is refused while the client still sends it', () => {
    const values = Buffer.from(body(plain, `"x":[${'0,'.repeat(3_000_000)}0],`));
    const tiny = Buffer.from(`${'1\r\n \r\n'.repeat(3_000_000)}0\r\n\r\n`);
    const framed = [`content-length: ${values.length}`, values] as const;
    const chunked = ['transfer-encoding: chunked', tiny] as const;

    /** As most clients do. */
    async function writeThenRead(...pieces: (string | Buffer)[]): Promise<RawAnswer> {
      const socket = (await open(gateway.running.port)).pause();
      for (const piece of pieces) await new Promise<void>((written) => socket.write(piece, () => written()));
      const answer = await readAnswer(socket.resume(), 30_000);
      socket.destroy();
      return answer;
    }

    it.each([
      ['that is not kept', 'connection: close', framed],
      ['that is kept', 'connection: keep-alive', framed],
      ['that is not kept, in tiny chunks', 'connection: close', chunked],
      ['that is kept, in tiny chunks', 'connection: keep-alive', chunked],
      ['that another server could read in another way', 'host: y', framed],
    ])('tells the reason, on a connection %s', async (_what, field, [framing, bytes]) => {
      for (let time = 0; time < (longForm ? 20 : 5); time++) {
        const { status, body: told } = await writeThenRead(head(`${field}\r\n${framing}`), bytes);
        expect({ time, status, told }).toEqual({ time, status: 400, told: expect.stringContaining('invalid_request') as string });
      }
    });

    it('does not keep the connection of a client that sends nothing more, or never stops', async () => {
      const socket = await open(gateway.running.port);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(head('connection: close\r\ncontent-length: 10000000'));
      socket.write(values.subarray(0, 5_000_000));
      expect((await readAnswer(socket)).status).toBe(400);
      await closed;

      const endless = await open(gateway.running.port);
      const ended = new Promise((resolve) => endless.once('close', resolve));
      endless.write(head('transfer-encoding: chunked'));
      const more = (): void => void (endless.destroyed || endless.write(tiny.subarray(0, 600_000), () => setImmediate(more)));
      more();
      await ended;
    });
  });

  it.each([
    ['10 MB in 10,000 messages of mixed parts', () => body(many(10_000, () => message(parts)))],
    ['1,024 tools', () => body(plain, `"tools":[${many(1_024, tool)}],`)],
    ['32 MB of one document', () => body(message(`"${'One line of it.\\n'.repeat(1_900_000)}"`))],
    ['500 unknown fields', () => body(plain, `${many(500, (index) => `"${'n'.repeat(250)}${index}":0`)},`)],
  ])('with %s is answered', async (_what, json) => {
    const answer = await send(json());
    expect([answer.status, answer.body.slice(0, 300)]).toEqual([200, expect.anything()]);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('An answer of a provider in chunks of one byte', () => {
  const whole = (bytes: number) =>
    JSON.stringify({ choices: [{ ...choices[0], message: { role: 'assistant', content: 'x'.repeat(bytes) } }] });
  const event = (bytes: number) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(bytes) }, finish_reason: 'stop' }] })}\n\n`;

  let gateway: Gateway;
  let server: Server;
  let answer: Buffer;

  beforeAll(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const provider = { base_url: `http://127.0.0.1:${port}/v1`, free: true, models: { m: facts } };
    gateway = await Gateway.start({ providers: { provider }, routing: { retries: 0 } });
  });
  afterAll(async () => {
    await gateway.close();
    server.close();
  });

  it.each([
    ['whole', false, 'application/json', whole],
    ['streamed', true, 'text/event-stream', event],
  ])('is read where it is short, and is an error after a while: %s', async (_what, stream, type, text) => {
    for (const [bytes, status] of [
      [5_000, 200],
      [200_000, 502],
    ] as const) {
      const chunks = [...Buffer.from(text(bytes))].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join('');
      answer = Buffer.from(
        `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n${chunks}0\r\n\r\n`,
      );
      const told = await gateway.post('chat/completions', { model: 'm', stream, messages: [{ role: 'user', content: 'hi' }] });
      expect([told.status, told.text]).toEqual([status, expect.stringContaining(status === 200 ? 'x'.repeat(5_000) : 'less than 8 bytes')]);
    }
  });
});

describe('All bodies together', () => {
  const MB = 1024 * 1024;
  let upstream: LoopbackUpstream;
  let gateway: Gateway;

  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    const provider = { base_url: `${upstream.origin}/v1`, free: true, models: { m: facts } };
    gateway = await Gateway.start({
      providers: { provider },
      server: { body_budget: 3 * MB, answer_budget: MB },
      routing: { retries: 0 },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.stop();
  });

  const answers = (bytes: number) => {
    const message = { role: 'assistant', content: 'x'.repeat(bytes) };
    upstream.replies({ headers: { 'content-type': 'application/json' }, body: JSON.stringify({ choices: [{ ...choices[0], message }] }) });
  };
  /** Sends a request whose last byte does not come. */
  async function begin(key: string, bytes: number, stream = false) {
    const body = Buffer.from(JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'x'.repeat(bytes) }] }));
    const socket = await open(gateway.running.port);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.subarray(0, -1));
    return { socket, finish: () => socket.write(body.subarray(-1)) };
  }
  const ask = (bytes: number) => gateway.post('chat/completions', { model: 'm', messages: [{ role: 'user', content: 'x'.repeat(bytes) }] });

  it('keep their budget: beyond it a large one is refused, until there is room again, and small ones are answered', async () => {
    answers(2);
    const budget = gateway.running.app.get(BodyBudget);
    const { socket, finish } = await begin(gateway.customer.liveKey, 2 * MB);
    await until(() => budget.used >= 2 * MB, 'the first body');

    const refused = await ask(2 * MB);
    expect([refused.status, refused.headers['retry-after'], refused.body]).toEqual([
      503,
      '1',
      { error: { message: expect.stringContaining('server.body_budget') as string, type: 'api_error', code: 'service_unavailable' } },
    ]);
    expect((await ask(50_000)).status).toBe(200);

    const answered = readAnswer(socket);
    finish();
    expect((await answered).status).toBe(200);
    await until(() => budget.used === 0, 'the end of the request');
    expect((await ask(2 * MB)).status).toBe(200);
    socket.destroy();
    await until(() => budget.used === 0, 'the end of the last request');
  });

  it('leave half of it to other accounts where one sends several large bodies slowly', async () => {
    answers(2);
    const budget = gateway.running.app.get(BodyBudget);
    const { liveKey } = await gateway.newCustomer();
    const first = await begin(liveKey, 1.4 * MB);
    await until(() => budget.used >= 1.4 * MB, 'the first body');
    const second = await begin(liveKey, 1.4 * MB);
    const refused = await readAnswer(second.socket);
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(refused.body).toContain('those of this account more than half');
    expect((await ask(1.4 * MB)).status).toBe(200);

    const answered = readAnswer(first.socket);
    first.finish();
    expect((await answered).status).toBe(200);
    for (const { socket } of [first, second]) socket.destroy();
    await until(() => budget.used === 0, 'the end of the requests');
  });

  it('get their room back from a client that leaves in the middle of one', async () => {
    const budget = gateway.running.app.get(BodyBudget);
    const socket = await open(gateway.running.port);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.customer.liveKey}\r\n` +
        `content-type: application/json\r\ncontent-length: ${2 * MB}\r\n\r\n{"model":"${'x'.repeat(MB)}`,
    );
    await until(() => budget.used >= MB, 'a part of the body');
    socket.destroy();
    await until(() => budget.used === 0, 'the room');
  });

  it('and all answers keep theirs', async () => {
    const budget = gateway.running.app.get(AnswerBudget);
    answers(2 * MB);
    const refused = await ask(10);
    expect([refused.status, refused.text]).toEqual([502, expect.stringContaining('server.answer_budget')]);
    answers(MB / 2);
    expect((await ask(10)).status).toBe(200);
    expect(budget.used).toBe(0);
  });

  it('end a stream whose client is behind with an error event where there is no room, which it can still read', async () => {
    const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(50_000) } }] })}\n\n`;
    upstream.replies({ headers: { 'content-type': 'text/event-stream' }, body: event.repeat(300), ending: 'stall' });
    const streams = gateway.running.app.get(OpenStreams);
    const other = new ByteClaim(gateway.running.app.get(AnswerBudget), 'other');
    expect(other.resize(MB)).toBe(true);
    const { socket, finish } = await begin(gateway.customer.liveKey, 10, true);
    socket.pause();
    finish();
    await until(() => streams.size === 1, 'the stream');
    await until(() => streams.size === 0, 'its end');
    other.release();
    const { status, body } = await readAnswer(socket.resume(), 30_000);
    expect(status).toBe(200);
    expect(body.slice(-400)).toMatch(/data: \{"error":\{"message":"[^"]+server\.answer_budget.*\n\n\r\n0\r\n\r\n$/);
    socket.destroy();
  });
});

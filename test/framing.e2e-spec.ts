import request from 'supertest';
import { createTestApp } from './support/create-test-app.js';
import { expectEnvelope } from './support/expect-envelope.js';
import { type Bytes, open, type RawAnswer } from './support/raw-socket.js';
import { sendRaw } from './support/raw-socket.js';
import { useGateway } from './support/started.js';
import { until } from './support/until.js';

const body = JSON.stringify({ model: 'sandbox-omni', prompt: 'a', max_tokens: 1 });
const size = body.length.toString(16);
const chunked = `${size}\r\n${body}\r\n0\r\n\r\n`;

describe('A request whose framing can be read in two ways', () => {
  let key: string;
  const test = useGateway(() => createTestApp());
  beforeAll(async () => {
    key = `Authorization: Bearer ${test.testKey}\r\n`;
  });

  /** Sends the bytes with another request behind them, and reads until the connection closes. */
  async function sendAhead(bytes: string): Promise<RawAnswer> {
    const behind = `GET /v1/models HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${key}\r\n`;
    return readAll(test.port, Buffer.from(bytes + behind, 'latin1'));
  }

  const get = (rest: string, version = '1.1'): string => `GET /v1/models HTTP/${version}\r\n${key}${rest}`;
  const post = (rest: string, version = '1.1'): string =>
    `POST /v1/completions HTTP/${version}\r\nHost: a\r\n${key}Content-Type: application/json\r\n${rest}`;

  const cases: readonly [string, () => string][] = [
    ['two Hosts', () => get('Host: a\r\nHost: b\r\n\r\n')],
    ['two equal Hosts', () => get('Host: a\r\nhost: a\r\n\r\n')],
    ['a Host with a space', () => get('Host: a b\r\n\r\n')],
    ['a Host with a path', () => get('Host: a/b\r\n\r\n')],
    ['a Host with a user', () => get('Host: u@a\r\n\r\n')],
    ['two keys', () => get('Host: a\r\nAuthorization: Bearer other\r\n\r\n')],
    ['two content types', () => post(`Content-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`)],
    ['HTTP/2.0', () => get('Host: a\r\n\r\n', '2.0')],
    ['HTTP/0.9', () => get('Host: a\r\n\r\n', '0.9')],
    ['HTTP/1.2', () => get('Host: a\r\n\r\n', '1.2')],
    ['HTTP/3.0', () => get('Host: a\r\n\r\n', '3.0')],
    ['no version', () => 'GET /v1/models\r\n\r\n'],
    ['another host in the address', () => `GET http://b/v1/models HTTP/1.1\r\nHost: a\r\n${key}\r\n`],
    ['a user in the address', () => `GET http://u:p@a/v1/models HTTP/1.1\r\nHost: a\r\n${key}\r\n`],
    ['a Transfer-Encoding on HTTP/1.0', () => post(`Transfer-Encoding: chunked\r\n\r\n${chunked}`, '1.0')],
    ...[
      'identity, chunked', 'gzip, chunked', ',chunked', 'chunked,', 'chunked, identity', 'chunked, chunked', 'identity', 'gzip', '',
      'chunked;a=b', '"chunked"', 'xchunked', 'chunked x', 'chunked\r\nTransfer-Encoding: chunked', 'chunked\r\nTransfer-Encoding: identity',
      'identity\r\nTransfer-Encoding: chunked', '\r\n chunked', 'chunked\x0b', `chunked\r\nContent-Length: ${body.length}`,
    ].map((coding): [string, () => string] => [`Transfer-Encoding ${JSON.stringify(coding)}`, () => post(`Transfer-Encoding: ${coding}\r\n\r\n${chunked}`)]), // prettier-ignore
    ...[
      `${body.length}\r\nContent-Length: ${body.length}`, `${body.length}\r\nContent-Length: 1`, `${body.length}, ${body.length}`, `+${body.length}`,
      `-${body.length}`, `0x${size}`, '5 2', '', '99999999999999999999999', '1e2', '52.0', `${body.length}\r\nTransfer-Encoding: chunked`,
    ].map((length): [string, () => string] => [`Content-Length ${JSON.stringify(length)}`, () => post(`Content-Length: ${length}\r\n\r\n${body}`)]), // prettier-ignore
    ['a folded header', () => get('Host: a\r\nX: b\r\n c\r\n\r\n')],
    ['a folded Host', () => get('Host: a\r\n\tb\r\n\r\n')],
    ['a header before the first', () => get('Host: a\r\n\r\n').replace('\r\n', '\r\n X: a\r\n')],
    ['lines that end with LF', () => get('Host: a\n\r\n')],
    ['a head that ends with LF', () => get('Host: a\r\n\n')],
    ['a CR alone', () => get('Host: a\rX: b\r\n\r\n')],
    ['a space before the colon', () => get('Host: a\r\nTransfer-Encoding : chunked\r\n\r\n')],
    ['a line without a colon', () => get('Host\r\n\r\n')],
    ['a header without a name', () => get('Host: a\r\n: b\r\n\r\n')],
    ['a space in the address', () => get('Host: a\r\n\r\n').replace('models', 'mo dels')],
    ['a tab in the first line', () => get('Host: a\r\n\r\n').replace(' ', '\t')],
    ['the address of a tunnel', () => `GET a:80 HTTP/1.1\r\nHost: a\r\n${key}\r\n`],
    ...[
      `+${chunked}`, `0x${chunked}`, `-${chunked}`, ` ${chunked}`, `${size} \r\n${body}\r\n0\r\n\r\n`, `${size}\n${body}\n0\n\n`,
      `${size};a\n${body}\r\n0\r\n\r\n`, `${size}\r\n${body}xx\r\n0\r\n\r\n`, `fffffffffffffffff\r\n${body}\r\n0\r\n\r\n`,
      `${size}\r\n${body}\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n`, `${size}\r\n${body}\r\n0\r\nContent-Length: 5\r\n\r\n`,
    ].map((chunks): [string, () => string] => [`the chunks ${JSON.stringify(chunks)}`, () => post(`Transfer-Encoding: chunked\r\n\r\n${chunks}`)]), // prettier-ignore
  ];

  it.each(cases)('%s: 400, and what is behind it is not read', async (_, bytes) => {
    const answer = await sendAhead(bytes());
    expectEnvelope(answer, 400, 'invalid_request');
    expect(answer.headers['connection']).toBe('close');
    expect(answer.closed).toBe(true);
  });

  it.each(['tea', '100-continue, tea', 'x-100-continue-y', '100-continue\r\nExpect: tea'])(
    'the expectation %j: 417',
    async (expectation) => {
      const answer = await sendAhead(post(`Expect: ${expectation}\r\nContent-Length: ${body.length}\r\n\r\n${body}`));
      expectEnvelope(answer, 417, 'expectation_failed');
      expect(answer.closed).toBe(true);
    },
  );

  it('trailers without end: 431', async () => {
    const answer = await sendAhead(post(`Transfer-Encoding: chunked\r\n\r\n${size}\r\n${body}\r\n0\r\n${'X: y\r\n'.repeat(10_000)}\r\n`));
    expectEnvelope(answer, 431, 'request_header_too_large');
  });

  it('is answered behind the answer to an earlier request on the connection', async () => {
    const bytes = Buffer.from(
      `GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n${get('Host: a\r\nHost: b\r\n\r\n')}${get('Host: a\r\nConnection: close\r\n\r\n')}`,
    );
    const { text } = await readAll(test.port, bytes);
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '400']);
  });

  it.each([
    ['HTTP/1.0', () => `GET /v1/models HTTP/1.0\r\n${key}\r\n`],
    ['no Host', () => get('\r\n')],
    ['a Host with a port', () => get('Host: a:80\r\n\r\n')],
    ['a Host that is an IPv6 address', () => get('Host: [::1]:8080\r\n\r\n')],
    ['a whole URL', () => `GET http://A:80/v1/models HTTP/1.1\r\nHost: a:80\r\n${key}\r\n`],
    ['chunks', () => post(`Transfer-Encoding: chunked\r\n\r\n${chunked}`)],
    ['Chunks', () => post(`Transfer-Encoding: Chunked\r\n\r\n${chunked}`)],
    ['an extension of a chunk', () => post(`Transfer-Encoding: chunked\r\n\r\n${size};a=b\r\n${body}\r\n0\r\n\r\n`)],
    ['empty lines before it', () => `\r\n\r\n${get('Host: a\r\n\r\n')}`],
  ])('is none with %s', async (_, bytes) => expect((await sendRaw(test.port, bytes())).status).toBe(200));

  it('lets 100 requests of a connection wait for answers, and refuses what is behind them', async () => {
    const many = get('Host: a\r\n\r\n').repeat(1_000);
    const { text } = await readAll(test.port, Buffer.from(many));
    const statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
    expect(statuses.at(-1)).toBe('429');
    expect(statuses.slice(0, -1)).toEqual(statuses.slice(0, -1).fill('200'));
    expect(statuses.length).toBeGreaterThan(100);
    expect(statuses.length).toBeLessThan(1_000);
  });

  it('answers all requests of a connection that waits for some of them', async () => {
    const get50 = get('Host: a\r\n\r\n').repeat(50);
    const socket = await open(test.port);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    const answers = (): number => text.match(/HTTP\/1\.1 200/g)?.length ?? 0;
    for (let round = 1; round <= 6; round++) {
      socket.write(get50);
      await until(() => answers() === 50 * round, 'all answers');
    }
    socket.destroy();
  });

  it('leaves the gateway alive', () => request(test.url).get('/health/live').expect(200));
});

/** Reads until the connection closes; the first answer is parsed. */
async function readAll(port: number, bytes: Bytes): Promise<RawAnswer> {
  const socket = await open(port);
  let text = '';
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.write(bytes);
  await closed;
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const lines = head.split('\r\n').slice(1);
  const headers = Object.fromEntries(lines.map((line) => [line.split(': ')[0]!.toLowerCase(), line.split(': ')[1] ?? '']));
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), headers, body: rest.join('\r\n\r\n'), text, closed: true };
}

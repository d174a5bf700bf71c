import { jest } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import { openStream } from '../support/event-stream.js';
import { GatewayProgram, type StartedGateway } from '../support/gateway-program.js';

jest.setTimeout(120_000);

const secrets = {
  api_key: 'sk-live-Jb71Qz93Lm45Xv08',
  query: 'qTokn/55+aa=Zx91Wv37Ub',
  header: 'HdrVal-77Pq42Ns19Rt63',
  tenant: 'tenant9f3Kd82Lw61',
  option: 'AKIAwJ4rX9bQ2mZ7',
};

const encodings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  percent: encodeURIComponent,
  'every byte in percent': (text) => Array.from(text, (char) => `%${char.charCodeAt(0).toString(16)}`).join(''),
  JSON: (text) => Array.from(text, (char) => `\\u00${char.charCodeAt(0).toString(16)}`).join(''),
  HTML: (text) => Array.from(text, (char) => `&#${char.charCodeAt(0)};`).join(''),
  Base64: (text) => Buffer.from(`key:${text}`).toString('base64'),
  hexadecimal: (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'cut in front': (text) => text.slice(5),
  'cut behind': (text) => text.slice(0, 11),
  'its middle': (text) => text.slice(3, 13),
};

/** Eight characters of a secret, in whatever encoding, that stand in a text. */
function leaks(text: string): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) =>
    Object.entries(encodings)
      .filter(([encoding]) => !encoding.startsWith('cut') && encoding !== 'its middle' && encoding !== 'Base64')
      .flatMap(([encoding, encode]) =>
        Array.from({ length: secret.length - 7 }, (_, from) => secret.slice(from, from + 8))
          .filter((piece) => text.toLowerCase().includes(encode(piece).toLowerCase()))
          .map((piece) => `${name}, ${encoding}: ${piece}`),
      ),
  );
}

describe('Secrets of the configuration that a vendor echoes', () => {
  let upstream: LoopbackUpstream;
  let program: GatewayProgram;
  let gateway: StartedGateway;
  let echo = '';

  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    program = await GatewayProgram.build();
    const base_url = `${upstream.origin}/v1?api-version=2024-06-01&key=${encodeURIComponent(secrets.query)}`;
    const provider = {
      base_url,
      api_key: secrets.api_key,
      headers: { 'X-Gateway': secrets.header, 'X-Tenant': secrets.tenant },
      options: { signing: { secret_access_key: secrets.option } },
      free: true,
    };
    upstream.replies(({ path }) => ({
      status: path.startsWith('/v1/models') ? 500 : 400,
      body: JSON.stringify({ error: { message: echo } }),
    }));
    echo = Object.values(secrets).join(' ');
    gateway = await program.start({
      observability: { log_level: 'info' },
      routing: { retries: 0 },
      providers: {
        p: { ...provider, models: { m: { context_length: 8000, max_tokens: 10 } } },
        // Its list of models is asked for, which fails.
        q: provider,
      },
    } as never);
  });
  afterAll(async () => {
    await program.dispose();
    await upstream.stop();
  });

  const ask = (stream: boolean) =>
    openStream({
      url: `${gateway.baseURL}/chat/completions`,
      key: gateway.liveKey,
      body: { model: 'm', messages: [{ role: 'user', content: 'a' }], stream },
    });

  describe.each(Object.entries(encodings))('%s', (_, encode) => {
    beforeEach(() => (echo = Object.values(secrets).map((secret) => `[${encode(secret)}]`).join(' and '))); // prettier-ignore
    const error = () => JSON.stringify({ error: { message: echo, type: 'invalid_request_error' } });
    const event = { choices: [{ index: 0, delta: { content: 'word' }, finish_reason: null }] };

    it.each([
      ['an error of the request', 400, error],
      ['a failure, which is logged', 500, error],
      ['a text that is no JSON', 422, () => echo],
      ['an event of a stream', 200, () => `data: ${JSON.stringify(event)}\n\nevent: error\ndata: ${error()}\n\n`],
      ['an error instead of an answer', 200, error],
    ])('in %s', async (_what, status, body) => {
      upstream.replies({ status, body: body(), headers: { 'content-type': status === 200 ? 'text/event-stream' : 'application/json' } });
      for (const stream of [true, false]) {
        const answer = await ask(stream);
        const text = await answer.text();
        expect(leaks(text + JSON.stringify(answer.headers))).toEqual([]);
        if (status === 400) expect(text).toContain('[redacted]');
      }
    });
  });

  it('are in no line of the log, and in no file of the store', async () => {
    await gateway.process.output(/q could not list its models/);
    await gateway.process.output(/p failed/);
    gateway.process.signal('SIGTERM');
    const { stdout, stderr } = await gateway.process.exited;
    expect(stderr).toContain('[redacted]');
    expect(leaks(stdout + stderr)).toEqual([]);
    for (const line of stderr.trim().split('\n')) expect(() => JSON.parse(line) as unknown).not.toThrow();
    const folder = join(gateway.process.cwd, 'data');
    for (const name of await readdir(folder)) {
      const text = await readFile(join(folder, name), 'latin1').catch(() => '');
      expect([name, leaks(text)]).toEqual([name, []]);
    }
  });
});

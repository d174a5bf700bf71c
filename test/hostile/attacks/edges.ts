import { setTimeout as wait } from 'node:timers/promises';
import { sendRaw } from '../../support/raw-socket.ts';
import type { Attack } from '../attack.ts';
import { messages } from '../customer.ts';

const group = '5 smaller';
/** Milliseconds in which a stream has to end after its key was revoked. */
const REVOKED_WITHIN = 5_000;
const SECRET = 'hostile-secret-0123456789';

/** A request that is no proper HTTP: refused, and never taken for two. */
const framing = (name: string, head: (key: string) => string, body: string): Attack => ({
  group,
  name,
  short: name.startsWith('two'),
  async run(scene) {
    const { port } = new URL(scene.gateway.url);
    const { status } = await sendRaw(Number(port), head(scene.attacker.key) + body).catch(() => ({ status: 0 }));
    const refused = status >= 400 || status === 0;
    return { got: String(status || 'closed'), broken: refused ? [] : [`answered with ${status}`] };
  },
});

const BODY = JSON.stringify({ model: 'm', max_tokens: 5, messages: messages('Hello') });
const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
const lines = (first: string, key: string, ...more: string[]): string =>
  [first, `authorization: Bearer ${key}`, 'content-type: application/json', 'connection: close', ...more, '', ''].join('\r\n');
const POST = 'POST /v1/chat/completions HTTP/1.1';
const LENGTH = `content-length: ${BODY.length}`;

/** Ways in which a vendor's error may bring back a secret. */
const echoes: Readonly<Record<string, string>> = {
  'as it is': SECRET,
  'in percent codes': SECRET.replaceAll(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  'in base64': Buffer.from(SECRET).toString('base64'),
  'in part': SECRET.slice(0, -6),
};

const image = (name: string, url: string): Attack => ({
  group,
  name: `an image at ${name}, for a provider of one's own`,
  short: name === 'file:',
  async run(scene) {
    const { status } = await scene.ask({ model: 'local', max_tokens: 5, messages: messages([{ type: 'image_url', image_url: { url } }]) });
    const passed = scene.provider.seen.some(({ raw }) => raw.includes(url));
    return {
      got: `${status}, ${passed ? 'passed on' : 'not passed on'}`,
      share: [0, 1],
      broken: passed ? ['its address reached the provider'] : [],
    };
  },
});

export const edgeAttacks: readonly Attack[] = [
  {
    group,
    name: "a revoked key's open stream",
    short: true,
    async run(scene) {
      scene.provider.plays(async (exchange) => {
        while (!exchange.left) {
          await exchange.say('word ');
          await wait(100);
        }
      });
      const { key, keyId } = await scene.gateway.key(scene.attacker.account);
      const asked = scene.ask(
        { model: 'm', stream: true, messages: messages('Talk on.') },
        { leaveAfter: 2 * REVOKED_WITHIN * scene.slowness },
        { key },
      );
      await wait(1_000);
      const revokedAt = performance.now();
      await scene.gateway.command('keys', 'revoke', keyId);
      const answer = await asked;
      const after = performance.now() - revokedAt;
      return {
        got: `${(after / 1000).toFixed(1)} s more, ${answer.end}`,
        share: [0.3, 1],
        broken: after > REVOKED_WITHIN * scene.slowness ? ['the stream went on'] : [],
      };
    },
  },
  ...Object.entries(echoes).map(([name, echo]): Attack => ({
    group,
    name: `a secret of an address, echoed ${name}`,
    short: name === 'as it is',
    async run(scene) {
      scene.provider.plays((exchange) => {
        exchange.prompt = 0;
        exchange.refuse(400, `Bad request to ${exchange.path.slice(0, 10)}?api-key=${echo}`);
      });
      const { status, tail } = await scene.ask({ model: 'leaky', max_tokens: 5, messages: messages('Hello') });
      const shown = tail.includes(echo);
      return { got: `${status}, ${shown ? 'shown' : 'not shown'}`, broken: shown ? ['the secret came back'] : [] };
    },
  })),
  framing('two Host headers', (key) => lines(POST, key, 'host: one', 'host: two', LENGTH), BODY),
  framing('HTTP/2.0 on a connection of 1.1', (key) => lines('POST /v1/chat/completions HTTP/2.0', key, 'host: one', LENGTH), BODY),
  framing(
    'HTTP/1.0 with Transfer-Encoding',
    (key) => lines('POST /v1/chat/completions HTTP/1.0', key, 'host: one', 'transfer-encoding: chunked'),
    CHUNKED,
  ),
  framing('Transfer-Encoding: identity, chunked', (key) => lines(POST, key, 'host: one', 'transfer-encoding: identity, chunked'), CHUNKED),
  framing('Content-Length and Transfer-Encoding', (key) => lines(POST, key, 'host: one', LENGTH, 'transfer-encoding: chunked'), CHUNKED),
  image('file:', 'file:///etc/passwd'),
  image('169.254.169.254', 'http://169.254.169.254/latest/meta-data/'),
  image('127.0.0.1', 'http://127.0.0.1:22/'),
  image('NAT64 of 169.254.169.254', 'http://[64:ff9b::a9fe:a9fe]/'),
];

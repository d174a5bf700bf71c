import { request } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { started } from '../../src/common/testing/started.js';
import { RawServer } from '../../src/providers/transport/testing/raw-server.js';
import { GatewayProgram, type StartedGateway } from '../support/gateway-program.js';
import { someOf } from '../support/long-form.js';

const tale = {
  pricing: { prompt: '0.000001', completion: '0.000001' },
  context_length: 10_000,
  max_tokens: 1_000,
  capabilities: { chat: true },
};

const event = (data: object) => `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, ...data })}\n\n`;
const WORD = 'word '.repeat(6_400);
const piece = event({ model: 'tale', choices: [{ index: 0, delta: { content: WORD }, finish_reason: null }] });
const ending = event({ model: 'tale', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });

/**
 * Pieces of each answer. The connections to such a client take 6 MB, or some 190 pieces,
 * before the gateway stops to read; the shorter answers have ended by then, and the longer ones are held back.
 */
const PIECES = someOf(
  Array.from({ length: 160 }, (_, more) => 120 + more),
  4,
);
/** Requests at a time. */
const AT_A_TIME = 20;
/** Milliseconds after which the provider hangs up: the gateway has read by then what it reads. */
const HANGS_UP = 150;

describe('A client that reads nothing of its stream for a while', () => {
  const program = started(() => GatewayProgram.build(), 'dispose');

  /** What the stream says, of which nothing is read before its provider has hung up. */
  const readLate = ({ baseURL, liveKey }: StartedGateway, pieces: number): Promise<string> =>
    new Promise((told, failed) => {
      const headers = { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' };
      const asking = request(`${baseURL}/chat/completions`, { method: 'POST', agent: false, headers }, (response) => {
        response.on('error', failed);
        const slow = delay(2 * HANGS_UP); // The gateway is a program.
        void slow.then(async () => told(Buffer.concat(await response.toArray()).toString()));
      });
      asking.on('error', failed);
      asking.end(JSON.stringify({ model: 'tale', messages: [{ role: 'user', content: 'Tell me.' }], max_tokens: pieces, stream: true }));
    });

  async function serve(socket: Socket, asked: string, lengthOf: (body: string) => string): Promise<void> {
    const pieces = Number(/"max_tokens":(\d+)/.exec(asked)?.[1] ?? 0);
    const body = piece.repeat(pieces) + ending;
    socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n${lengthOf(body)}\r\n${body}`);
    await delay(HANGS_UP); // The gateway is a program.
    socket.end();
  }

  it.each([
    ['ends its body by closing the connection', () => ''],
    ['closes the connection after a body of a known length', (body: string) => `Content-Length: ${Buffer.byteLength(body)}\r\n`],
  ])('gets the answer of a provider that %s, and the gateway goes on', async (_name, lengthOf) => {
    const upstream = await RawServer.listen((socket) =>
      socket.once('data', (bytes) => {
        const asked = bytes.toString();
        if (asked.startsWith('POST')) void serve(socket, asked, lengthOf);
        else socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
      }),
    );
    const gateway = await program.start({ providers: { only: { base_url: `${upstream.origin}/v1`, models: { tale } } } });
    try {
      for (let first = 0; first < PIECES.length; first += AT_A_TIME) {
        const pieces = PIECES.slice(first, first + AT_A_TIME);
        const texts = await Promise.all(pieces.map((count) => readLate(gateway, count)));
        texts.forEach((text, index) => {
          expect(text.split(WORD)).toHaveLength(pieces[index]! + 1);
          expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
        });
      }
      expect(gateway.process.stderr).toBe('');
    } finally {
      await gateway.process.stop();
      await upstream.stop();
    }
  });
});

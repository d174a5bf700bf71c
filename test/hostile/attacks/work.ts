import type { Attack } from '../attack.ts';
import { conversation, kinds } from '../bodies.ts';
import { type Answer, messages } from '../customer.ts';
import { framed } from '../../support/hostile-bodies.ts';
import { waitedForCore } from '../../support/process-figures.ts';
import { sendPieces } from '../raw.ts';
import type { Scene } from '../scene.ts';
import { median } from '../figures.ts';

const group = '3 work';
/** Milliseconds by which the sandbox's work may raise the median of another request. */
const MEDIAN_MORE = 20;

const chat = (content: string) => Buffer.from(JSON.stringify({ model: 'large', max_tokens: 5, messages: messages(content) }));

/** How often each of them is there. */
function counted(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].map(([text, count]) => `${count} x ${text}`).join(', ');
}

/** Clear are 200 and refusals; neither 500 nor a connection that breaks without a word is. */
const unclear = (status: number): string[] => (status === 0 || status === 500 ? [`${status || 'no answer'}`] : []);

const oneByte = (name: string, payload: () => Buffer, short = false): Attack => ({
  group,
  name,
  short,
  fresh: true,
  watch: 3_000,
  async run(scene) {
    const { url } = scene.gateway;
    const { host, port } = new URL(url);
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${scene.attacker.key}\r\ncontent-type: application/json\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n`;
    const bytes = Buffer.concat([Buffer.from(head), framed({ json: payload(), chunk: 1 })]);
    const { status, text } = await sendPieces(Number(port), bytes);
    return { got: `${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`, bytes: bytes.length, broken: unclear(status) };
  },
});

/** Bodies that come at the same time. @param kind of a hostile body; without it, ordinary conversations */
const together = (bodies: number, kind?: string, short = false): Attack => ({
  group,
  name: `${bodies} ${kind ? `times ${kind}` : 'conversations'} of 33 MB at once`,
  short,
  fresh: true,
  watch: 3_000,
  async run(scene) {
    const bytes = kind ? kinds[kind]!(33e6) : conversation(33e6);
    const answers = await scene.many(bodies, bodies, () => scene.ask(bytes));
    const said = answers.map(({ status, end, headers }) => `${status || end}${headers['retry-after'] ? ' retry-after' : ''}`);
    const clear = ({ status, headers }: Answer) =>
      [200, 400, 413].includes(status) || (status === 503 && headers['retry-after'] !== undefined);
    return { got: counted(said), bytes: bytes.length * bodies, broken: said.filter((_, index) => !clear(answers[index]!)).slice(0, 1) };
  },
});

/** What a provider sends in chunks of one byte. */
const providerChunks = (name: string, megabytes: number, stream: boolean, short = false): Attack => ({
  group,
  name,
  short,
  fresh: true,
  watch: 3_000,
  async run(scene) {
    const text = 'word '.repeat(Math.floor((megabytes * 1e6) / 5));
    scene.provider.plays(async (exchange) => {
      exchange.said = text.length / 4;
      const payload = stream
        ? `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })}\n\n`
        : JSON.stringify({
            id: 'x',
            object: 'chat.completion',
            created: 1,
            model: 'm',
            choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
            usage: { ...exchange.counts, total_tokens: 0 },
          });
      const { socket } = exchange.response;
      if (!socket) return;
      const head = `HTTP/1.1 200 OK\r\ncontent-type: ${stream ? 'text/event-stream' : 'application/json'}\r\ntransfer-encoding: chunked\r\n\r\n`;
      socket.write(head);
      const chunks = framed({ json: Buffer.from(payload), chunk: 1 });
      for (let from = 0; from < chunks.length && !socket.destroyed; from += 65_536 * 6) {
        if (!socket.write(chunks.subarray(from, from + 65_536 * 6)))
          await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), exchange.closed]);
      }
    });
    const { status, bytes, tail } = await scene.ask({ model: 'large', stream, messages: messages('Slowly.') });
    return {
      got: `${status} ${/"code":"(\w+)"/.exec(tail)?.[1] ?? ''}, ${(bytes / 1e6).toFixed(1)} MB`,
      share: [0, 1],
      bytes: text.length * 6,
      broken: unclear(status),
    };
  },
});

const nested = (name: string, stream: boolean, depth: number, short = false): Attack => ({
  group,
  name,
  short,
  async run(scene) {
    scene.provider.plays(async (exchange) => {
      exchange.said = 100;
      const nest = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      const part = stream ? 'delta' : 'message';
      const payload = `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"${part}":{"role":"assistant","content":"Here.","extra":${nest}},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":100,"total_tokens":110}}`;
      exchange.prompt = 10;
      if (!stream) {
        exchange.response.writeHead(200, { 'content-type': 'application/json' }).end(payload);
        return;
      }
      await exchange.write(`data: ${payload}\n\n`);
      exchange.end();
    });
    const { status, tail } = await scene.ask({ model: 'm', stream, max_tokens: 200, messages: messages('Nest.') });
    const failed = status !== 200 || tail.includes('"error"');
    return {
      got: `${status} ${/"code":"(\w+)"/.exec(tail)?.[1] ?? ''}`,
      share: failed ? [0, 0] : [0.95, 1],
      broken: status === 500 || tail.includes('internal_error') ? [`${status} internal_error`] : [],
    };
  },
});

export const workAttacks: readonly Attack[] = [
  oneByte('1 MB in chunks of one byte', () => chat('x'.repeat(1e6)), true),
  oneByte('18 MB in chunks of one byte', () => chat('x'.repeat(18e6))),
  oneByte(
    '150,000 chunks of one byte outside texts',
    () => Buffer.from(`{${' '.repeat(150_000)}"model":"large","messages":[{"role":"user","content":"Hello"}]}`),
    true,
  ),
  together(4),
  together(4, 'empty arrays', true),
  together(4, 'unknown names'),
  together(4, 'tiny parts'),
  together(16),
  together(16, 'empty objects as messages'),
  providerChunks('18 MB from a provider in chunks of one byte', 18, false),
  providerChunks('18 MB of a stream in chunks of one byte', 18, true),
  providerChunks('1 MB of a stream in chunks of one byte', 1, true, true),
  nested('an answer nested 5,000 deep', false, 5_000, true),
  nested('a stream nested 5,000 deep', true, 5_000),
  nested('an answer nested 100,000 deep', false, 100_000),
  {
    group,
    name: 'sandbox: n 128 with log probabilities',
    short: true,
    watch: 2_000,
    async run(scene) {
      const quiet = await medianOf(scene);
      const body = {
        model: 'sandbox-omni',
        n: 128,
        logprobs: true,
        top_logprobs: 5,
        max_tokens: 50,
        messages: messages('Tell me about the weather.'),
      };
      const sandbox = scene.many(scene.short ? 20 : 200, 20, () => scene.ask(body, {}, scene.tester));
      const during = await medianOf(scene);
      const answers = await sandbox;
      const served = answers.filter(({ status }) => status === 200).length;
      const more = during - quiet;
      return {
        got: `${served} answers, median ${more.toFixed(0)} ms more`,
        share: [0, 1],
        most: scene.tester.credits,
        broken: more >= MEDIAN_MORE * scene.slowness ? [`another request's median rose by ${more.toFixed(0)} ms`] : [],
      };
    },
  },
];

/** The median time of small requests, milliseconds without those that the two processes waited for a core. */
async function medianOf({ gateway, second, many, ask }: Scene): Promise<number> {
  const waited = (): number => waitedForCore(gateway.pid) + waitedForCore(process.pid);
  const times = await many(40, 1, async () => {
    const before = waited();
    const { ms } = await ask({ model: 'quiet', max_tokens: 5, messages: messages('Good morning') }, {}, second);
    return Math.max(0, ms - (waited() - before));
  });
  return median(times);
}

import { readdirSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstPieces } from './answers.ts';
import { startGateway } from './gateway-process.ts';
import { metricOf, residentBytes } from '../support/process-figures.ts';
import { programOptions } from '../support/program-options.ts';
import { until } from '../support/until.ts';

const help = `npm run cancellation [-- options]

Clients that leave while queued, while the gateway connects (a TLS handshake that is never answered), before the first token and in mid-stream:
how soon the provider sees its connection close, and what is left behind in the gateway. Ends with 1 when a target is missed.

  --each 250     clients that leave at each stage
  --within 100   milliseconds in which the provider is to see its connection close
  --rest 28      seconds after each of the two rounds in which a gateway gives back memory; 0: memory is not looked at
`;

const values = programOptions(help, {
  each: { type: 'string', default: '250' },
  within: { type: 'string', default: '100' },
  rest: { type: 'string', default: '28' },
});
const each = Number(values.each);
const WITHIN_MS = Number(values.within);
const rest = Number(values.rest);
/** Milliseconds after which a connection counts as never closed. */
const NEVER_MS = Math.max(5_000, 2 * WITHIN_MS);

const headOf = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const framed = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/**
 * A provider that begins as told and then says nothing; tells of each connection when it is in the wanted state and
 * when it closed.
 */
async function provider(begin: string) {
  const reached: ((connection: { closed: Promise<number> }) => void)[] = [];
  const server = createServer((socket: Socket) => {
    const closed = new Promise<number>((resolve) => socket.on('close', () => resolve(performance.now())));
    socket.on('error', () => undefined);
    socket.once('data', () => {
      if (begin) socket.write(begin);
      reached.shift()?.({ closed });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    next: () => new Promise<{ closed: Promise<number> }>((resolve) => reached.push(resolve)),
    stop: () => server.close(),
  };
}

function send(url: string, key: string, model: string): Socket {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'hello' }] });
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.on('data', () => undefined);
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

const rss = (pid: number) => residentBytes(pid) / 2 ** 20;
const handles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

async function main(): Promise<void> {
  const silent = await provider('');
  const talking = await provider(headOf + framed(firstPieces(5)));
  const queueing = await provider('');
  const facts = { pricing: { prompt: 1, completion: 1 }, context_length: 10_000, max_tokens: 1_000 };
  const gateway = await startGateway({
    // One account gets eight ninths of the places, which are 400.
    routing: { max_concurrency: 450, max_queue: 1000, retries: 0 },
    providers: {
      connecting: { base_url: `https://127.0.0.1:${silent.port}/v1`, models: { connecting: facts } },
      waiting: { base_url: `http://127.0.0.1:${silent.port}/v1`, models: { waiting: facts } },
      streaming: { base_url: `http://127.0.0.1:${talking.port}/v1`, models: { streaming: facts } },
      queued: { base_url: `http://127.0.0.1:${queueing.port}/v1`, models: { queued: facts } },
    },
  });
  let failures = 0;
  try {
    await metricOf(gateway.url, 'switchyard_open_streams');
    const fresh = rss(gateway.pid);
    const round = async (): Promise<void> => {
      for (const [where, upstream] of [
        ['connecting', silent],
        ['waiting', silent],
        ['streaming', talking],
      ] as const) {
        const times: number[] = [];
        for (let done = 0; done < each; done += 25) {
          await Promise.all(
            Array.from({ length: Math.min(25, each - done) }, async () => {
              const reached = upstream.next();
              const client = send(gateway.url, gateway.key, where);
              const answered = new Promise((resolve) => client.once('data', resolve));
              // Any of those that are open at the same time: this one's own answer may be here before.
              const { closed } = await reached;
              if (where === 'streaming') await answered;
              const left = performance.now();
              client.destroy();
              times.push((await Promise.race([closed, sleep(NEVER_MS).then(() => Number.POSITIVE_INFINITY)])) - left);
            }),
          );
        }
        times.sort((a, b) => a - b);
        const within = times.filter((ms) => ms <= WITHIN_MS).length;
        failures += times.length - within;
        process.stdout.write(
          `${where.padEnd(11)} ${within} of ${times.length} closed within ${WITHIN_MS} ms; median ${times[times.length >> 1]!.toFixed(1)}, longest ${times.at(-1)!.toFixed(1)} ms\n`,
        );
      }

      const holders = Array.from({ length: 400 }, () => send(gateway.url, gateway.key, 'queued'));
      while ((await metricOf(gateway.url, 'switchyard_running_attempts')) < 400) await sleep(20);
      const waiting = Array.from({ length: each }, () => send(gateway.url, gateway.key, 'queued'));
      while ((await metricOf(gateway.url, 'switchyard_queued_attempts')) < each) await sleep(20);
      for (const client of waiting) client.destroy();
      await sleep(WITHIN_MS);
      const queued = await metricOf(gateway.url, 'switchyard_queued_attempts');
      failures += queued;
      process.stdout.write(`queued      ${each - queued} of ${each} left the queue within ${WITHIN_MS} ms\n`);
      for (const client of holders) client.destroy();

      // The connections of the last clients are closed by then; a silent gateway gives back what it does not use.
      await until(async () => (await metricOf(gateway.url, 'switchyard_running_attempts')) === 0, 'the end of all attempts');
      await sleep(1_000 * rest);
    };
    await round();
    process.stdout.write(`first round ${(rss(gateway.pid) - fresh).toFixed(1)} MiB more than a fresh process has\n`);
    const files = handles(gateway.pid);
    await round();
    const left = await metricOf(gateway.url, 'switchyard_running_attempts');
    const open = await metricOf(gateway.url, 'switchyard_open_streams');
    const grown = rss(gateway.pid) - fresh;
    const more = handles(gateway.pid) - files;
    failures += left + open + (rest > 0 && grown > 64 ? 1 : 0) + (more > 40 ? 1 : 0);
    process.stdout.write(
      `left behind ${left} attempts, ${open} streams, ${more} handles more, ${grown.toFixed(1)} MiB more than a fresh process has\n`,
    );
    const { ok } = (await gateway.command('ledger', 'verify')) as { ok: boolean };
    process.stdout.write(`ledger verified: ${ok}\n`);
    if (!ok) failures++;
  } finally {
    await gateway.stop();
    for (const upstream of [silent, talking, queueing]) upstream.stop();
  }
  if (failures > 0) process.exitCode = 1;
}

await main();
process.exit();

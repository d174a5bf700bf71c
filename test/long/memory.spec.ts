import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { EVENT_BYTES, FloodUpstream } from '../support/flood-upstream.js';
import { GatewayProgram, type StartedGateway } from '../support/gateway-program.js';
import { type HeapMeter, heapMeter } from '../support/heap-meter.js';
import { longForm } from '../support/long-form.js';
import { until } from '../support/until.js';

const MB = 1024 * 1024;
/** 100 MB. */
const EVENTS = (100 * MB) / EVENT_BYTES;
/** Of what can be reached, while a client does not read. */
const MAX_HELD = 20 * MB;
/** Bytes that can be reached of a client that has left. */
const MAX_LEFT = 10_000;

/** What the kernel's buffers on both connections hold, about 4 MB each, and ours, with room for larger kernels. */
const MAX_SENT_UNREAD = 40 * MB;

/** Bytes of a request that get into the old generation: 10,400 to 10,800 with Node.js 26.12. */
const MAX_OLD = 12_000;

/** Requests of which the old generation is looked at: enough for several collections of the young one. */
const REQUESTS = 400;

/** Clients that leave at once, and how often. */
const CLIENTS = 100;
const BATCHES = longForm ? 10 : 3;

/**
 * The gateway in a process of its own, as `npm start` runs it, and what it can reach in memory. What the system has lent
 * it is another matter, and depends on when garbage is collected.
 */
describe('memory', () => {
  let upstream: FloodUpstream;
  let program: GatewayProgram;
  let gateway: StartedGateway;
  let meter: HeapMeter;

  beforeAll(async () => {
    upstream = await FloodUpstream.start();
    const flood = { context_length: 1_000_000, max_tokens: 1_000_000 };
    const providers = { flood: { base_url: upstream.baseURL, free: true, models: { flood } } };
    program = await GatewayProgram.build();
    meter = await heapMeter();
    // Whatever is open in the end would keep it for ten minutes.
    gateway = await program.start({ providers, server: { drain_timeout: 600_000 } }, meter.flags);
  });

  afterAll(async () => {
    await program.dispose();
    await upstream.stop();
  });

  /**
   * @param atOnce events that come at once; the others come slowly
   * @returns the answer, of which nothing has been read
   */
  function open(events: number, atOnce = events): Promise<IncomingMessage> {
    const body = { model: 'flood', stream: true, max_tokens: events, seed: atOnce, messages: [{ role: 'user', content: 'Go' }] };
    const headers = { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const asked = request(`${gateway.baseURL}/chat/completions`, { method: 'POST', agent: false, headers }, (answer) => {
        if (answer.statusCode === 200) resolve(answer.pause());
        else reject(new Error(`status ${answer.statusCode}`));
      });
      asked.on('error', reject);
      asked.end(JSON.stringify(body));
    });
  }

  it('gives back what its start has left', async () => {
    const { process } = await program.start({}, ['--trace-gc']);
    const asked = /Mark-Compact \(reduce\) [\d.]+ \(([\d.]+)\) -> [\d.]+ \(([\d.]+)\) MB.* testing;/;
    const [, before, after] = await process.output(asked);
    expect(Number(before) - Number(after)).toBeGreaterThan(5);
    await process.stop();
  });

  it('does not grow while a client does not read 100 MB, and loses nothing when it reads on', async () => {
    const before = await meter.reachable();
    const answer = await open(EVENTS);
    let sent = 0;
    const standsStill = async (): Promise<boolean> => {
      const earlier = sent;
      await delay(500); // The gateway is a program: nothing else shows that it stands still.
      sent = upstream.sent;
      return sent > 0 && sent === earlier;
    };
    await until(standsStill, 'the pause of the provider');
    expect(upstream.open).toBe(1);
    expect(sent * EVENT_BYTES).toBeLessThan(MAX_SENT_UNREAD);
    const held = (await meter.reachable()) - before;
    expect(held).toBeLessThan(MAX_HELD);

    expect(await readNumbered(answer)).toEqual({ events: EVENTS, inOrder: true, done: true });
  });

  it('ends the generation of a client that leaves without having read', async () => {
    const { finished } = upstream;
    const answer = await open(EVENTS);
    await until(() => upstream.sent > 0, 'the first events');
    answer.destroy();
    await until(() => upstream.open === 0, 'the end of the generation');
    expect(upstream.finished).toBe(finished);
  });

  async function leaveAtOnce(clients: number): Promise<void> {
    const answers = await Promise.all(Array.from({ length: clients }, () => open(100, 50)));
    expect(upstream.open).toBe(clients);
    await Promise.all(answers.map(leaveHalfWay));
    await until(() => upstream.open === 0, 'the end of the generations');
  }

  it('keeps nothing of clients that leave half way', async () => {
    const { finished } = upstream;
    // Connections that are kept, compiled code and tables that have grown are there after the first ones.
    await leaveAtOnce(CLIENTS);
    const before = await meter.reachable();
    for (let batch = 0; batch < BATCHES; batch++) await leaveAtOnce(CLIENTS);
    const left = ((await meter.reachable()) - before) / (BATCHES * CLIENTS);
    expect(left).toBeLessThan(MAX_LEFT);
    expect(upstream.finished).toBe(finished);
  });

  async function oldGeneration(): Promise<number> {
    const metrics = await (await fetch(new URL('/metrics', gateway.baseURL))).text();
    return Number(/^switchyard_nodejs_heap_space_size_used_bytes\{space="old"\} (.+)$/m.exec(metrics)![1]);
  }

  it('lets what belongs to a request die young', async () => {
    const some = async (): Promise<void> => {
      for (let asked = 0; asked < REQUESTS; asked += 8) {
        const answers = await Promise.all(Array.from({ length: 8 }, () => open(1)));
        await Promise.all(answers.map(readNumbered));
      }
    };
    for (let i = 0; i < 3; i++) await some();
    const growths: number[] = [];
    for (let i = 0; i < 5; i++) {
      const before = await oldGeneration();
      await some();
      growths.push(((await oldGeneration()) - before) / REQUESTS);
    }
    // A collection of the old generation falls into some of the rounds.
    const grown = growths.filter((bytes) => bytes > 0).toSorted((a, b) => a - b);
    expect(grown[Math.floor(grown.length / 2)]).toBeLessThan(MAX_OLD);
  });

  it('has nothing open in the end: it does not wait before it goes', async () => {
    const metrics = await (await fetch(new URL('/metrics', gateway.baseURL))).text();
    expect(metrics).toMatch(/^switchyard_open_streams 0$/m);
    gateway.process.signal('SIGTERM');
    expect((await gateway.process.exited).code).toBe(0);
  });
});

async function leaveHalfWay(answer: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length;
    if (bytes >= 45 * EVENT_BYTES) break;
  }
  answer.destroy();
}

async function readNumbered(answer: IncomingMessage): Promise<{ events: number; inOrder: boolean; done: boolean }> {
  let events = 0;
  let inOrder = true;
  let done = false;
  let rest = '';
  for await (const chunk of answer) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      if (line === 'data: [DONE]') done = true;
      else if (line) {
        const event = JSON.parse(line.slice('data: '.length)) as { choices: { delta: { content?: string } }[] };
        const content = event.choices[0]?.delta.content;
        if (!content) continue;
        inOrder &&= !done && content.startsWith(`${events++} `);
      }
    }
  }
  return { events, inOrder, done };
}

import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EVENT_BYTES, FloodUpstream } from './support/flood-upstream.js';
import { GatewayProgram, type StartedGateway } from './support/gateway-program.js';
import { until } from './support/until.js';

const MB = 1024 * 1024;
/** 100 MB. */
const EVENTS = (100 * MB) / EVENT_BYTES;
const MAX_GROWTH = 64 * MB;

/** What the kernel's buffers on both connections hold, about 4 MB each, and ours, with room for larger kernels. */
const MAX_SENT_UNREAD = 40 * MB;

/**
 * The gateway in a process of its own, and what the system says is resident. V8 runs in its memory-saving mode, in which it gives garbage back
 * soon: usually it lets the heap become four times what lives in it before it looks, and a bare pass-through of `node:http` and undici already grows
 * by 50 MB with the 1,000 clients below. What is alive is looked at in the usual mode.
 *
 * Measured with Node 24.21 on 2 busy cores, idle 116 MB:
 *
 * - not read for a second: 11 to 26 MB more, the provider paused after 8 of its 100 MB; then read whole: 34 to 59 MB more
 * - 1,000 clients that left, 100 at a time: 20 to 58 MB more
 * - as `npm start` runs: 110 to 155 MB more, of which 10 to 44 MB are alive right after; 30 MB are what compiled code and the compilers leave behind
 */
describe('memory', () => {
  let upstream: FloodUpstream;
  let program: GatewayProgram;
  let gateway: StartedGateway;
  let usual: StartedGateway;

  beforeAll(async () => {
    upstream = await FloodUpstream.start();
    const flood = { context_length: 1_000_000, max_tokens: 1_000_000 };
    const providers = { flood: { base_url: upstream.baseURL, free: true, models: { flood } } };
    program = await GatewayProgram.build();
    gateway = await program.start({ providers }, ['--memory-saver-mode']);
    usual = await program.start({ providers }, ['--expose-gc', '--import', join(import.meta.dirname, 'support/tell-alive.mjs')]);
  }, 60_000);

  afterAll(async () => {
    await program.dispose();
    await upstream.stop();
  });

  /**
   * @param atOnce events that come at once; the others come slowly
   * @returns the answer, of which nothing has been read
   */
  function open(events: number, atOnce = events, { baseURL, liveKey } = gateway): Promise<IncomingMessage> {
    const body = { model: 'flood', stream: true, max_tokens: events, seed: atOnce, messages: [{ role: 'user', content: 'Go' }] };
    const headers = { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const asked = request(`${baseURL}/chat/completions`, { method: 'POST', agent: false, headers }, (answer) => {
        if (answer.statusCode === 200) resolve(answer.pause());
        else reject(new Error(`status ${answer.statusCode}`));
      });
      asked.on('error', reject);
      asked.end(JSON.stringify(body));
    });
  }

  /** What was garbage when we looked may go; what is held does not. */
  function staysWithin(before: number): Promise<void> {
    return until(async () => (await gateway.process.memory()) - before < MAX_GROWTH, `growth below ${MAX_GROWTH / MB} MB`);
  }

  it('does not grow while a client does not read 100 MB, and loses nothing when it reads on', async () => {
    const before = await gateway.process.memory();
    const answer = await open(EVENTS);
    let sent = 0;
    const standsStill = async (): Promise<boolean> => {
      const earlier = sent;
      await delay(500);
      sent = upstream.sent;
      return sent > 0 && sent === earlier;
    };
    await until(standsStill, 'the pause of the provider');
    expect(upstream.open).toBe(1);
    expect(sent * EVENT_BYTES).toBeLessThan(MAX_SENT_UNREAD);
    await staysWithin(before);

    expect(await readNumbered(answer)).toEqual({ events: EVENTS, inOrder: true, done: true });
    await staysWithin(before);
  }, 60_000);

  it('ends the generation of a client that leaves without having read', async () => {
    const { finished } = upstream;
    const answer = await open(EVENTS);
    await until(() => upstream.sent > 0, 'the first events');
    answer.destroy();
    await until(() => upstream.open === 0, 'the end of the generation');
    expect(upstream.finished).toBe(finished);
  });

  async function leaveAtOnce(clients: number, at: StartedGateway): Promise<void> {
    const answers = await Promise.all(Array.from({ length: clients }, () => open(100, 50, at)));
    expect(upstream.open).toBe(clients);
    await Promise.all(answers.map(leaveHalfWay));
    await until(() => upstream.open === 0, 'the end of the generations');
  }

  it('keeps nothing of 1,000 clients that leave half way', async () => {
    const { finished } = upstream;
    const before = await gateway.process.memory();
    for (let batch = 0; batch < 10; batch++) {
      await leaveAtOnce(100, gateway);
      await staysWithin(before);
    }
    expect(upstream.finished).toBe(finished);
  }, 60_000);

  it('holds nothing of them as npm start runs', async () => {
    let asked = 0;
    const alive = async (): Promise<number> => {
      usual.process.signal('SIGUSR2');
      const [, bytes] = await usual.process.output(new RegExp(`(?:^alive: \\d+\\n){${asked++}}^alive: (\\d+)\\n`, 'm'));
      return Number(bytes);
    };
    const before = await alive();
    for (let batch = 0; batch < 10; batch++) await leaveAtOnce(100, usual);
    await until(async () => (await alive()) - before < MAX_GROWTH, `less than ${MAX_GROWTH / MB} MB more alive`);
  }, 60_000);

  it('has nothing open in the end: it does not wait before it goes', async () => {
    const metrics = await (await fetch(new URL('/metrics', gateway.baseURL))).text();
    expect(metrics).toMatch(/^switchyard_open_streams 0$/m);
    const start = performance.now();
    gateway.process.signal('SIGTERM');
    expect((await gateway.process.exited).code).toBe(0);
    expect(performance.now() - start).toBeLessThan(10_000);
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

import { LoopbackUpstream, type Reply } from '../../src/providers/testing/loopback-upstream.ts';
import { COST, firstPieces, streamed, text, whole } from './answers.ts';
import { type StartedGateway, startGateway } from './gateway-process.ts';
import { outcomeOf, type Tally } from '../support/load.ts';
import { until } from '../support/until.ts';
import { printChecks, programOptions } from '../support/program-options.ts';

const help = `npm run chaos [-- options]

Requests over three offers of which at any time one is failing in a changing way: what share was served, whether each cut stream ended in an
error event, whether anything was charged twice or for nothing, how much load the failing provider saw. Ends with 1 when a target is missed.

  --requests 10000   in all
  --concurrency 24   at a time
  --within 300       milliseconds that the gateway gives a provider for its first byte, and for the next one
`;

const values = programOptions(help, {
  requests: { type: 'string', default: '10000' },
  concurrency: { type: 'string', default: '24' },
  within: { type: 'string', default: '300' },
});
const requests = Number(values.requests);
const concurrency = Number(values.concurrency);
const within = Number(values.within);

const sse = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };
const error = (status: number, headers = {}) => ({ status, headers: { ...json, ...headers }, body: '{"error":{"message":"no"}}' });
const good = (stream: boolean): Reply => (stream ? { headers: sse, body: streamed } : { headers: json, body: whole });
const half = Buffer.byteLength(firstPieces(40));

/** Ways to fail. `cuts`: a stream has begun by then. */
const failures: readonly { name: string; cuts: boolean; reply: (stream: boolean) => Reply }[] = [
  { name: '429', cuts: false, reply: () => error(429, { 'retry-after': '1' }) },
  { name: '500', cuts: false, reply: () => error(500) },
  { name: '529', cuts: false, reply: () => error(529) },
  { name: 'reset at once', cuts: false, reply: () => ({ ending: 'reset' }) },
  { name: 'black hole', cuts: false, reply: () => ({ ending: 'silent' }) },
  { name: 'html with 200', cuts: false, reply: () => ({ headers: { 'content-type': 'text/html' }, body: '<html></html>' }) },
  { name: 'invalid JSON', cuts: false, reply: () => ({ headers: json, body: '{"choices": [' }) },
  { name: 'reset at 40 of 60', cuts: true, reply: (stream) => ({ ...good(stream), after: stream ? half : 100, ending: 'reset' }) },
  { name: 'stall at 40 of 60', cuts: true, reply: (stream) => ({ ...good(stream), after: stream ? half : 100, ending: 'stall' }) },
];

type Counts = Tally & { asked: number; load: number };

const none: Counts = { asked: 0, served: 0, refused: 0, cut: 0, broken: 0, dishonest: 0, hung: 0, load: 0 };
const tallies = new Map<string, Counts>();
let failing = 0;
let failure = failures[0]!;
let tally: Counts;
let charges = 0;

function enter(phase: number): void {
  failing = phase % 3;
  failure = failures[phase % failures.length]!;
  tally = tallies.get(failure.name) ?? { ...none };
  tallies.set(failure.name, tally);
}

async function ask(url: string, key: string, stream: boolean): Promise<void> {
  const mine = tally;
  mine.asked++;
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'hello' }] }),
  });
  const body = await response.text();
  const outcome = outcomeOf(response.status, body, stream);
  // A whole answer has the whole text, and one that was cut begins with it.
  const content = Array.from(body.matchAll(/"content":"([^"]+)"/g), ([, piece]) => piece).join('');
  const isRight = outcome === 'served' ? content === text : outcome !== 'cut' || text.startsWith(content);
  mine[isRight ? outcome : 'dishonest']++;
  if (isRight && outcome === 'served') charges++;
}

async function main(): Promise<void> {
  const upstreams = await Promise.all([0, 1, 2].map(() => LoopbackUpstream.start()));
  for (const [index, upstream] of upstreams.entries()) {
    upstream.replies(({ body }) => {
      const stream = body.includes('"stream":true');
      if (index !== failing) return good(stream);
      tally.load++;
      return failure.reply(stream);
    });
  }
  const offer = (upstream: LoopbackUpstream) => ({
    base_url: `${upstream.origin}/v1`,
    models: { m: { pricing: { prompt: 1, completion: 1 }, context_length: 10_000, max_tokens: 1_000 } },
    timeouts: { connect: 4 * within, first_byte: within, idle: within, total: 16 * within },
  });
  const gateway = await startGateway({
    providers: Object.fromEntries(upstreams.map((upstream, index) => [`p${index}`, offer(upstream)])),
    models: { m: { strategy: 'weighted' } },
  });
  try {
    const phaseLength = Math.ceil(requests / (failures.length * 3));
    enter(0);
    let next = 0;
    const began = Date.now();
    const worker = async (): Promise<void> => {
      while (next < requests) {
        const mine = next++;
        if (mine > 0 && mine % phaseLength === 0) enter(mine / phaseLength);
        if (mine % 1000 === 999) process.stderr.write(`  ${mine + 1} of ${requests}\n`);
        await ask(gateway.url, gateway.key, mine % 2 === 0);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    const seconds = (Date.now() - began) / 1000;
    const usage = await usageOfAll(gateway);
    const verified = (await gateway.command('ledger', 'verify')) as { ok: boolean };
    report(seconds, usage, verified.ok);
    await explainRefused(gateway);
  } finally {
    await gateway.stop();
    for (const upstream of upstreams) await upstream.stop();
  }
}

type Usage = readonly { outcome: string; requests: number; credits: string }[];

/** The usage by outcome. The last requests come to the store up to `store.flush_interval` after their answers. */
async function usageOfAll(gateway: StartedGateway): Promise<Usage> {
  const answered = Array.from(tallies.values()).reduce((sum, { asked, refused }) => sum + asked - refused, 0);
  let usage: Usage = [];
  await until(async () => {
    usage = (await gateway.command('usage', '--by', 'outcome')) as Usage;
    return usage.reduce((sum, row) => sum + row.requests, 0) >= answered;
  }, 'the usage of all requests that were answered');
  return usage;
}

/** Why requests were refused: their attempts, counted. */
async function explainRefused(gateway: StartedGateway): Promise<void> {
  const failed = (await gateway.command('requests', 'list', '--failed', '--limit', '1000')) as {
    status: number;
    attempts: { outcome: string }[];
  }[];
  const counts = new Map<string, number>();
  for (const { status, attempts } of failed) {
    if (status === 200) continue;
    const way = attempts.map(({ outcome }) => outcome).join(', ') || 'none';
    counts.set(way, (counts.get(way) ?? 0) + 1);
  }
  for (const [way, count] of [...counts].sort(([, a], [, b]) => b - a)) process.stdout.write(`  refused ${count}: ${way}\n`);
}

function report(seconds: number, usage: Usage, verified: boolean): void {
  let worstLoad = 0;
  let dishonest = 0;
  const lines: string[] = [];
  for (const { name } of failures) {
    const { asked, served, refused, cut, dishonest: wrong, load } = tallies.get(name) ?? none;
    if (asked === 0) continue;
    const share = load / (asked / 3);
    worstLoad = Math.max(worstLoad, share);
    dishonest += wrong;
    lines.push(
      `${name.padEnd(20)} asked ${String(asked).padStart(5)}  served ${String(served).padStart(5)}  refused ${String(refused).padStart(4)}  cut, error event ${String(cut).padStart(4)}  wrong ${wrong}  load ${share.toFixed(2)} of its share`,
    );
  }
  const before = failures
    .filter(({ cuts }) => !cuts)
    .map(({ name }) => tallies.get(name))
    .filter((one) => one !== undefined);
  // A stream that began in one of these phases and was cut in the next one is none of them.
  const servedShare = before.reduce((sum, { served }) => sum + served, 0) / before.reduce((sum, { asked, cut }) => sum + asked - cut, 0);
  const charged = usage.reduce((sum, { credits }) => sum + Number(credits), 0);
  const exact = Math.abs(charged - charges * COST) < 1e-6;
  process.stdout.write(`${lines.join('\n')}\n\n`);
  const checks: [string, boolean, string][] = [
    ['served where failures come before the first piece', servedShare >= 0.999, `${(servedShare * 100).toFixed(2)} %`],
    ['every cut stream ends in an error event', dishonest === 0, `${dishonest} others`],
    ['charged is what was delivered whole, once', exact, `${charged.toFixed(6)} credits for ${charges} answers`],
    ['load on the failing provider', worstLoad <= 1.2, `at most ${worstLoad.toFixed(2)} of its share`],
    ['ledger verified', verified, ''],
  ];
  if (!printChecks(checks)) process.exitCode = 1;
  process.stdout.write(`${requests} requests in ${seconds.toFixed(0)} s, usage ${JSON.stringify(usage)}\n`);
}

await main();

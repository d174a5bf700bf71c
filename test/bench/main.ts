/**
 * npm run bench [-- --full] [-- --against URL --key KEY --model MODEL] [-- --only TEXT] [-- --json FILE]
 *
 * Everything is a ratio to a bare pass-through measured in the same run, turn by turn, because machines are noisy.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { latency, median, openStreams, percentile, saturate, type Shape, sleep, streaming } from './measure.ts';
import { pinned, pinSelf, rssBytes, start, type Target } from './processes.ts';

const { values: options } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    against: { type: 'string' },
    key: { type: 'string', default: 'none' },
    model: { type: 'string', default: 'bench' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: number;
  readonly atLeast?: boolean;
  readonly detail: string;
}

const here = dirname(fileURLToPath(import.meta.url));
const rounds = options.full ? 5 : 3;
const seconds = options.full ? 4 : 1.5;
const rows: Row[] = [];

const portOf = (output: string) => (/^(\d+)\n/.test(output) ? { port: Number(output.split('\n')[0]) } : undefined);

function add(row: Row): void {
  rows.push(row);
  process.stdout.write(`${line(row)}\n`);
}

function line({ name, value, unit, target, atLeast, detail }: Row): string {
  const met = target === undefined ? ' ' : (atLeast ? value >= target : value <= target) ? '✓' : '✗';
  const goal = target === undefined ? '' : `${atLeast ? '≥' : '≤'} ${target}`;
  return `${met} ${name.padEnd(44)} ${value.toFixed(2).padStart(9)} ${unit.padEnd(8)} ${goal.padEnd(8)} ${detail}`;
}

const wanted = (name: string): boolean => options.only === undefined || name.includes(options.only);
const step = (text: string): void => void process.stderr.write(`  … ${text}\n`);

/** Ratio of gateway to baseline, round by round in turn; the median of the ratios is quoted. */
async function compare(
  name: string,
  baseline: Target,
  gateway: Target,
  run: (target: Target) => Promise<{ rate: number; cpu: number }>,
  targets: { cpu?: number; rate?: number },
): Promise<void> {
  if (!wanted(name)) return;
  step(name);
  const pairs: { base: { rate: number; cpu: number }; ours: { rate: number; cpu: number } }[] = [];
  for (let round = 0; round < rounds; round++) pairs.push({ base: await run(baseline), ours: await run(gateway) });
  const of = (pick: (value: { rate: number; cpu: number }) => number, who: 'base' | 'ours') => median(pairs.map((pair) => pick(pair[who])));
  add({
    name: `${name}: CPU`,
    value: median(pairs.map(({ base, ours }) => ours.cpu / base.cpu)),
    unit: 'x',
    target: targets.cpu,
    detail: `${of(({ cpu }) => cpu, 'ours').toFixed(1)} against ${of(({ cpu }) => cpu, 'base').toFixed(1)} µs`,
  });
  add({
    name: `${name}: throughput`,
    value: median(pairs.map(({ base, ours }) => ours.rate / base.rate)),
    unit: 'x',
    target: targets.rate,
    atLeast: true,
    detail: `${of(({ rate }) => rate, 'ours').toFixed(0)} against ${of(({ rate }) => rate, 'base').toFixed(0)} /s`,
  });
}

async function startGateway(upstream: number, folder: string): Promise<Target> {
  const config = join(folder, 'switchyard.yaml');
  writeFileSync(
    config,
    [
      `server: {port: 0, max_open_requests: 10000}`,
      `store: {data_dir: ${JSON.stringify(join(folder, 'data'))}}`,
      `keys: {starter_credits: '1000000'}`,
      `providers:`,
      `  bench:`,
      `    base_url: http://127.0.0.1:${upstream}/v1`,
      `    models:`,
      `      bench: {pricing: {prompt: 0.0005, completion: 0.0015}, context_length: 2000000, max_tokens: 100000}`,
    ].join('\n'),
  );
  return start([join(here, '../../dist/main.js')], 0, { cwd: folder, env: { ...process.env, SWITCHYARD_CONFIG: config } }, (output) => {
    const port = /http:\/\/127\.0\.0\.1:(\d+)\/v1/.exec(output)?.[1];
    const key = /[a-z0-9]+-live-[A-Za-z0-9]{32}/.exec(output)?.[0];
    return port && key ? { port: Number(port), key } : undefined;
  });
}

async function main(): Promise<void> {
  if (options.help) {
    process.stdout.write(
      'npm run bench [-- --full] [--only TEXT] [--json FILE] [--against http://127.0.0.1:PORT --key KEY --model MODEL]\n',
    );
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  const running: Target[] = [];
  const began = Date.now();
  try {
    pinSelf(1);
    const upstream = await start([join(here, 'upstream.ts')], 1, {}, portOf);
    running.push(upstream);
    const baseline = await start([join(here, 'baseline.ts'), `http://127.0.0.1:${upstream.port}`], 0, { cwd: join(here, '../..') }, portOf);
    running.push(baseline);
    let gateway: Target;
    if (options.against) {
      const pid = Number(process.env['BENCH_PID'] ?? process.pid);
      const port = Number(new URL(options.against).port);
      gateway = { pid, port, key: options.key, model: options.model, startMs: Number.NaN, stop: () => Promise.resolve() };
    } else {
      gateway = await startGateway(upstream.port, folder);
      running.push(gateway);
    }
    process.stderr.write(
      `baseline: node:http + undici pass-through; ${pinned ? 'target on core 0, load and provider on core 1' : 'cores not pinned'}\n`,
    );
    await bench(upstream, baseline, gateway);
  } finally {
    for (const target of running.reverse()) await target.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const missed = rows.filter(({ target, value, atLeast }) => target !== undefined && !(atLeast ? value >= target : value <= target));
  process.stdout.write(
    `\n${rows.map(line).join('\n')}\n\n${rows.length} rows, ${missed.length} outside their target, ${Math.round((Date.now() - began) / 1000)} s\n`,
  );
  if (options.json)
    writeFileSync(options.json, `${JSON.stringify({ at: new Date().toISOString(), node: process.version, rows }, null, 2)}\n`);
}

async function bench(upstream: Target, baseline: Target, gateway: Target): Promise<void> {
  if (!options.against && wanted('cold start')) {
    await sleep(1000);
    add({
      name: 'cold start to listening',
      value: gateway.startMs / 1000,
      unit: 's',
      target: 0.5,
      detail: 'from spawn, empty data folder',
    });
    add({ name: 'idle memory', value: rssBytes(gateway.pid) / 2 ** 20, unit: 'MiB', target: 114, detail: 'resident, target 120 MB' });
  }
  const small: Shape = { promptBytes: 700 };
  step('warm-up');
  for (const target of [baseline, gateway]) {
    await saturate(target, small, 16, 1.5);
    await streaming(target, 200, 0, 8, 0.5);
  }
  for (const concurrency of options.full ? [1, 16, 64, 256] : [16, 64]) {
    const run = (target: Target) => saturate(target, small, concurrency, seconds);
    await compare(`1 KB, ${concurrency} connections`, baseline, gateway, run, concurrency === 64 ? { cpu: 1, rate: 1 } : {});
  }
  if (wanted('latency')) {
    step('latency at 50 requests/s');
    const [direct, base, ours] = await latency([upstream, baseline, gateway], small, 50, options.full ? 30 : 12);
    for (const share of [0.5, 0.99]) {
      const [d, b, o] = [direct, base, ours].map((samples) => percentile(samples!, share));
      add({
        name: `latency p${share * 100} over the baseline, 50/s`,
        value: o! - b!,
        unit: 'ms',
        target: share === 0.5 ? 0.15 : undefined,
        detail: `direct ${d!.toFixed(2)}, baseline ${b!.toFixed(2)}, gateway ${o!.toFixed(2)} ms`,
      });
    }
  }
  await compare('100 KB prompt', baseline, gateway, (target) => saturate(target, { promptBytes: 100_000 }, 16, seconds), { cpu: 1.2 });
  await compare('1 MB prompt', baseline, gateway, (target) => saturate(target, { promptBytes: 1_000_000 }, 4, seconds), { cpu: 1.2 });
  await compare('stream, flat out', baseline, gateway, (target) => streaming(target, 500, 0, 16, seconds), { cpu: 1.3 });
  await compare('stream, paced 20 ms x 50', baseline, gateway, (target) => streaming(target, 50, 20, 50, Math.max(3, seconds)), {
    cpu: 1.1,
  });
  if (wanted('open streams')) {
    const count = options.full ? 3000 : 500;
    step(`${count} open streams`);
    const { each, closed } = await openStreams(gateway, count);
    add({
      name: `memory of an open idle stream (${count})`,
      value: each / 1024,
      unit: 'KiB',
      target: 50,
      detail: closed ? 'serves after they left' : 'DOES NOT SERVE',
    });
  }
}

await main();

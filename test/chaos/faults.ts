import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.ts';
import { LoopbackUpstream, type Reply } from '../../src/providers/testing/loopback-upstream.ts';
import { GatewayProcess } from '../support/gateway-process.ts';
import { Load } from '../support/load.ts';
import { firstPieces, streamed, whole } from './answers.ts';
import { commandLine } from '../support/command-line.ts';
import { programOptions } from '../support/program-options.ts';

const help = `npm run faults [-- options]

Two workers on a PostgreSQL of their own, under clients that never rest, while a worker is killed, PostgreSQL is killed and started again, the provider
fails in changing ways, and the configuration is read again; and before, a gateway on another machine that dies with open requests and never returns. No
request may end without an answer or an error, none may break off that was not open when a worker was killed, each killed worker has to be replaced,
nothing may stay held, and the ledger has to agree; ends with 1 where that does not hold.

  --times 4      how often each fault comes
  --clients 16   requests at a time
  --every 3000   milliseconds from one fault to the next
`;

const run = promisify(execFile);
const program = resolve(import.meta.dirname, '../../dist');

/**
 * Milliseconds in which a request that runs into any of this has to have ended; the gateway's own time-outs are far
 * below.
 */
const PATIENCE = 60_000;
/** Milliseconds after a death in which a client may still take one of the dead worker's connections for an open one. */
const UNNOTICED = 3_000;
/** Milliseconds for workers to be back, and for the credits of dead ones to return. */
const RECOVERY = 60_000;
const WORKERS = 2;

const sse = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };
const good = (stream: boolean): Reply => ({ ...(stream ? { headers: sse, body: streamed } : { headers: json, body: whole }), delay: 5 });
const half = Buffer.byteLength(firstPieces(40));
const failures: readonly ((stream: boolean) => Reply)[] = [
  () => ({ status: 500, headers: json, body: '{"error":{"message":"no"}}' }),
  () => ({ status: 429, headers: { ...json, 'retry-after': '1' }, body: '{"error":{"message":"no"}}' }),
  () => ({ ending: 'reset' }),
  (stream) => ({ ...good(stream), after: stream ? half : 100, ending: 'reset' }),
  (stream) => ({ ...good(stream), after: stream ? half : 100, ending: 'stall' }),
];

interface Scene {
  readonly gateway: GatewayProcess;
  readonly postgres: TemporaryPostgres;
  readonly upstream: LoopbackUpstream;
  readonly load: Load;
  readonly configure: (round: number) => void;
  /** When workers were killed, on the clock of `performance.now()`. */
  readonly kills: number[];
  /** Killed workers that no other one came for. */
  unreplaced: number;
}

async function workersOf({ pid }: GatewayProcess): Promise<number[]> {
  const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(pid)]);
  return stdout.trim().split(/\s+/).filter(Boolean).map(Number);
}

/** What the requests of the gateway that dies ask, whose answers never end. */
const ENDLESS = 'without end';

const replies = (upstream: LoopbackUpstream, reply: (stream: boolean) => Reply): void =>
  upstream.replies(({ body }) =>
    body.includes(ENDLESS) ? { headers: sse, body: firstPieces(1), endless: true, pace: 50 } : reply(body.includes('"stream":true')),
  );

/**
 * Each resolves when it is over. A worker is killed when those that were replaced have gone: the one that serves
 * longest.
 */
const faults: Readonly<Record<string, (scene: Scene, round: number) => Promise<void>>> = {
  async 'configuration changed'({ configure }, round) {
    configure(round);
  },
  async SIGHUP({ gateway }) {
    gateway.signal('SIGHUP');
  },
  async 'PostgreSQL killed and started'({ postgres }) {
    await postgres.halt('SIGQUIT');
    await wait(1_500);
    await postgres.resume();
  },
  async 'provider flapping'({ upstream }) {
    for (const failure of failures) {
      replies(upstream, failure);
      await wait(300);
      replies(upstream, good);
      await wait(200);
    }
  },
  async 'worker killed'(scene) {
    const { gateway, kills } = scene;
    await until(async () => (await workersOf(gateway)).length === WORKERS);
    const [oldest] = await workersOf(gateway);
    if (oldest === undefined) return;
    kills.push(performance.now());
    process.kill(oldest, 'SIGKILL');
    // Later the workers of a new configuration would come in its place.
    const replaced = await until(async () => {
      const workers = await workersOf(gateway);
      return workers.length === WORKERS && !workers.includes(oldest);
    });
    if (!replaced) scene.unreplaced++;
  },
};

/**
 * Runs a gateway with a folder of its own, as on another machine, which dies with open requests. Nobody finds its
 * journal: what it holds comes back when its leases have run out.
 */
async function dieElsewhere(command: [string, ...string[]], env: Record<string, string>, config: string, key: string): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), 'switchyard-faults-elsewhere-'));
  writeFileSync(join(cwd, 'switchyard.yaml'), config);
  const gateway = new GatewayProcess(command, { cwd, env: { ...env, SWITCHYARD_WORKERS: '1' } });
  try {
    const address = await gateway.listening();
    const streams = Array.from({ length: 3 }, async () => {
      const response = await fetch(`${address}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: ENDLESS }] }),
      });
      const reader = response.body!.getReader();
      await reader.read();
      return reader;
    });
    const open = await Promise.all(streams);
    // The store is told of requests that have been open for a tenth of a second.
    await wait(500);
    await gateway.stop();
    for (const reader of open) await reader.cancel().catch(() => undefined);
  } finally {
    await gateway.stop();
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function until(condition: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = performance.now() + RECOVERY; performance.now() < deadline; await wait(200)) if (await condition()) return true;
  return false;
}

/** @returns what was not as it has to be */
async function main(): Promise<string[]> {
  const values = programOptions(help, {
    times: { type: 'string', default: '4' },
    clients: { type: 'string', default: '16' },
    every: { type: 'string', default: '3000' },
  });
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-faults-'));
  const [postgres, upstream] = await Promise.all([TemporaryPostgres.startServer(), LoopbackUpstream.start()]);
  const env = {
    DATABASE_URL: postgres.url,
    SWITCHYARD_PEPPER: 'a pepper of at least thirty-two characters',
    SWITCHYARD_WORKERS: String(WORKERS),
  };
  const configOf = (round: number): string => {
    const offer = { pricing: { prompt: 1, completion: 1 }, context_length: 10_000, max_tokens: 1_000 };
    const provider = { base_url: `${upstream.origin}/v1`, models: { m: offer } };
    return JSON.stringify({
      server: { drain_timeout: 5_000, heartbeat: 1_000 + round },
      store: { lease_ttl: 5_000 },
      providers: { one: provider, two: provider },
      routing: { probe_interval: 0, first_token_timeout: 3_000, idle_timeout: 1_000, max_retry_wait: 500 },
      observability: { log_level: 'info' },
    });
  };
  const configure = (round: number): void => writeFileSync(join(folder, 'switchyard.yaml'), configOf(round));
  const operator = commandLine(program, { cwd: folder, env });
  replies(upstream, good);
  configure(0);
  await operator('accounts', 'create', 'Acme');
  await operator('credits', 'grant', '--account', 'Acme', '--env', 'live', '1000000');
  const { key } = (await operator('keys', 'create', '--account', 'Acme', '--env', 'live')) as { key: string };
  const command: [string, string] = [process.execPath, join(program, 'main.js')];
  const gateway = new GatewayProcess(command, { cwd: folder, env });
  const address = await gateway.listening();
  await dieElsewhere(command, env, configOf(0), key);
  const load = new Load({ address, key, model: 'm', clients: Number(values.clients), patience: PATIENCE });
  const scene: Scene = { gateway, postgres, upstream, load, configure, kills: [], unreplaced: 0 };
  const kinds = Object.entries(faults);
  const rounds = Number(values.times) * kinds.length;
  try {
    for (let round = 1; round <= rounds; round++) {
      await wait(Number(values.every));
      const [name, fault] = kinds[round % kinds.length]!;
      await fault(scene, round);
      process.stderr.write(`  ${name}; ${load.total} requests, ${load.tally.served} served\n`);
    }
    await until(async () => (await workersOf(gateway)).length === WORKERS);
    const before = load.tally.served;
    const serves = await until(async () => load.tally.served > before + 50);
    await load.stop();
    const free = await until(async () => {
      const balances = (await operator('credits', 'show', '--account', 'Acme')) as { held: string }[];
      return balances.every(({ held }) => held === '0');
    });
    const ledger = (await operator('ledger', 'verify')) as { usages: number; findings: unknown[] };
    const lines = gateway.stderr.split('\n');
    const count = (text: string): number => lines.filter((line) => line.includes(text)).length;
    const unexplained = load.breaks.filter(({ from, to }) => !scene.kills.some((kill) => from <= kill + UNNOTICED && to >= kill));
    process.stdout.write(
      `${[
        `faults        ${rounds}`,
        `requests      ${load.total}: ${Object.entries(load.tally)
          .map(([how, times]) => `${how} ${times}`)
          .join(', ')}; longest ${(load.longest / 1000).toFixed(1)} s`,
        `workers       ${count('another one starts in')} died and were started again, ${count('new workers serve')} reloads`,
        `ledger        ${ledger.usages} usage rows, ${ledger.findings.length} findings; held at the end: ${free ? 'nothing' : 'SOMETHING'}`,
      ].join('\n')}\n`,
    );
    gateway.signal('SIGTERM');
    const { code } = await gateway.exited;
    return [
      ...(load.tally.hung > 0 ? [`${load.tally.hung} requests had neither answer nor error`] : []),
      ...(load.tally.dishonest > 0 ? [`${load.tally.dishonest} answers were not what they looked like`] : []),
      ...(unexplained.length > 0 ? [`${unexplained.length} connections broke that were no killed worker's`] : []),
      ...(ledger.findings.length > 0 ? [`the ledger does not agree: ${JSON.stringify(ledger.findings.slice(0, 3))}`] : []),
      ...(free ? [] : ['credits stayed held']),
      ...(count('another one starts in') > 0 ? [] : ['no worker that served was killed']),
      ...(scene.unreplaced > 0 ? [`${scene.unreplaced} killed workers were not replaced`] : []),
      ...(serves ? [] : ['it does not serve after the faults']),
      ...(code === 0 ? [] : [`the gateway ended with ${code}`]),
    ];
  } finally {
    await load.stop();
    await gateway.stop();
    await Promise.all([upstream.stop(), postgres.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

const problems = await main();
process.stdout.write(problems.length === 0 ? 'As it has to be.\n' : `${problems.join('\n')}\n`);
process.exit(problems.length === 0 ? 0 : 1);

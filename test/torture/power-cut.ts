import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.ts';
import { printChecks } from '../support/program-options.ts';
import type { Sent } from './client.ts';
import { TorturedGateway } from './gateway.ts';
import { LoopDisk } from './loop-disk.ts';
import { Operators } from './operators.ts';
import { Random } from './random.ts';
import { configOf, type Options, returned } from './run.ts';
import { play, priceOf } from './script.ts';
import { AuditedSqlite, type UsageRow } from './store.ts';
import { Traffic } from './traffic.ts';

/** What was on the disk after one power cut. */
interface Cut {
  /** Settlements that the store had confirmed, and how many of them are gone or different. */
  readonly acknowledged: number;
  readonly lost: number;
  readonly grants: number;
  readonly lostGrants: number;
  readonly intact: boolean;
  /** The ledger is verified and nothing is held, after a gateway has started on it. */
  readonly verified: boolean;
  /** How the gateway that started on it has settled the requests. */
  readonly rows: readonly UsageRow[];
  /** Answers that had ended for their clients. */
  readonly answered: readonly Sent[];
}

/**
 * Cuts the power of a gateway on SQLite under load: its disk is copied while the process is stopped, and another
 * gateway starts on the copy.
 * @returns whether every target was met
 */
export async function cutPower(options: Options, cuts: number, progress: (line: string) => void): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-torture-'));
  const upstream = await LoopbackUpstream.start();
  upstream.replies((request) => {
    upstream.requests.length = 0;
    return play(request);
  });
  const disk = LoopDisk.make(folder);
  const home = join(disk.folder, 'gateway');
  const store = new AuditedSqlite(home);
  const gateway = new TorturedGateway('gateway', options.program, home, configOf(upstream, store.settings(), options.lease));
  try {
    const operators = new Operators(options.program, gateway.configFile);
    const customers = await operators.customers({ rich: 2, poor: 1 });
    await gateway.start();
    const traffic = new Traffic([gateway], customers, options.clients, options.seed);
    const random = new Random(options.seed);
    const found: Cut[] = [];
    for (let cut = 0; cut < cuts; cut++) {
      await wait(random.between(200, 1_500));
      await operators.topUp(customers.at(-1)!);
      gateway.pause();
      // Another connection sees what was committed, which is what was synced.
      const [acknowledged, grants] = [await store.usage(), await store.grants()];
      const answered = traffic.sent.filter(({ endedAt }) => endedAt < Infinity);
      const copy = disk.afterPowerCut();
      await gateway.resume();
      try {
        found.push(await look(copy, options, upstream, { acknowledged, grants, answered }));
      } finally {
        copy.remove();
      }
      progress(`${cut + 1} of ${cuts} cuts, ${acknowledged.length} settlements acknowledged`);
    }
    await traffic.stop();
    await gateway.stop();
    return report(found, traffic.sent);
  } finally {
    await gateway.dispose();
    await upstream.stop();
    disk.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function look(
  disk: LoopDisk,
  options: Options,
  upstream: LoopbackUpstream,
  { acknowledged, grants, answered }: { acknowledged: readonly UsageRow[]; grants: readonly string[]; answered: readonly Sent[] },
): Promise<Cut> {
  const home = join(disk.folder, 'gateway');
  const store = new AuditedSqlite(home);
  const intact = await store.intact();
  const counts = { acknowledged: acknowledged.length, grants: grants.length, answered };
  if (!intact) return { ...counts, lost: acknowledged.length, lostGrants: grants.length, intact, verified: false, rows: [] };
  // Even the tables may be missing.
  const rowsLeft = await store.usage().catch(() => []);
  const left = new Map(rowsLeft.map((row) => [row.request_id, text(row)]));
  const leftGrants = new Set(await store.grants());
  const gateway = new TorturedGateway(
    'the gateway after the cut',
    options.program,
    home,
    configOf(upstream, store.settings(), options.lease),
  );
  try {
    await gateway.start();
    const { stranded } = await returned(store, options.lease);
    const operators = new Operators(options.program, gateway.configFile);
    const verified = (await operators.verify()) && stranded === undefined;
    const rows = await store.usage();
    await gateway.stop();
    return {
      ...counts,
      lost: acknowledged.filter((row) => left.get(row.request_id) !== text(row)).length,
      lostGrants: grants.filter((id) => !leftGrants.has(id)).length,
      intact,
      verified: verified && gateway.troubles.length === 0,
      rows,
    };
  } finally {
    await gateway.dispose();
  }
}

function report(cuts: readonly Cut[], sent: readonly Sent[]): boolean {
  const sum = (count: (cut: Cut) => number) => cuts.reduce((total, cut) => total + count(cut), 0);
  const tokens = new Map(sent.map(({ id, tokens: received, script: { hidden } }) => [id, received + hidden]));
  const over = sum(({ rows }) => rows.filter((row) => row.amount + row.uncollected > priceOf(tokens.get(row.request_id) ?? 0)).length);
  const charged = (cut: Cut) => {
    const known = new Set(cut.rows.map(({ request_id }) => request_id));
    return cut.answered.filter(({ id, end }) => end === 'done' && !known.has(id!)).length;
  };
  const [lost, lostGrants] = [sum((cut) => cut.lost), sum((cut) => cut.lostGrants)];
  const checks: [string, boolean, string][] = [
    ['acknowledged settlements lost', lost === 0, `${lost} of ${sum((cut) => cut.acknowledged)}`],
    ['acknowledged grants lost', lostGrants === 0, `${lostGrants} of ${sum((cut) => cut.grants)}`],
    ['requests overcharged after a new start', over === 0, `${over}`],
    ['files intact', cuts.every(({ intact }) => intact), ''],
    ['ledgers verified after a new start, nothing held', cuts.every(({ verified }) => verified), ''],
  ];
  process.stdout.write(`\nSQLite, ${cuts.length} power cuts, ${sent.length} requests\n\n`);
  const met = printChecks(checks);
  process.stdout.write(`  whole answers of which the disk knows nothing, to the house's cost: ${sum(charged)} in all\n`);
  return met;
}

function text(row: UsageRow): string {
  return Object.values(row).join(' ');
}

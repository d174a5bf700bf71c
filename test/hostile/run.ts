import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Random } from '../torture/random.ts';
import type { Attack, Found } from './attack.ts';
import { conversation } from './bodies.ts';
import { Audit, type Engine } from './audit.ts';
import { BystanderProcess, type Report } from './bystander-process.ts';
import { median } from './figures.ts';
import { HostileGateway } from './hostile-gateway.ts';
import { HostileProvider } from './hostile-provider.ts';
import { type Bounds, judgeBystander, judgeCharge, judgeWork } from './judge.ts';
import { forgetPeak, mainThreadSeconds, peakBytes, residentBytes } from '../support/process-figures.ts';
import { Scene } from './scene.ts';
import { settingsOf } from './settings.ts';

/** CPU that the bystander's own requests take at most, as a share of the time. */
const IDLE = 0.00015;
/** Milliseconds of ordinary traffic before an attack, and from its end on. */
const WARM = 400;
/** Share of a whole attack's time that the short form watches for. */
const SHORT = 0.5;
/** Bytes of the conversation that others are measured by. */
const ORDINARY = 4_000_000;
/** Milliseconds that 99 of 100 of the bystander's requests may take, unless another bound is given. */
export const WITHIN = 250;
/** Milliseconds for one attack at most. */
const OVERDUE = 240_000;

export interface Options {
  readonly engine: Engine;
  readonly program: string;
  readonly seed: number;
  readonly short: boolean;
  /** Milliseconds that 99 of 100 of the bystander's requests may take. */
  readonly within: number;
  readonly attacks: readonly Attack[];
  readonly progress: (line: string) => void;
}

/** One line of the table. */
export interface Row {
  readonly attack: Attack;
  readonly engine: Engine;
  readonly got: string;
  readonly due: bigint;
  readonly charged: bigint;
  readonly uncollected: bigint;
  readonly bystander: Report;
  readonly peak: number;
  /** Seconds of the main thread. */
  readonly cpu: number;
  readonly alive: boolean;
  readonly broken: string[];
}

/** Plays the attacks against one gateway on one engine. */
export async function run({ engine, program, seed, short, within, attacks, progress }: Options): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-hostile-'));
  const [audit, provider, bystander] = await Promise.all([Audit.start(engine, folder), HostileProvider.start(), BystanderProcess.start()]);
  const gateway = new HostileGateway(program, folder);
  const rows: Row[] = [];
  const began = performance.now();
  try {
    const settings = (others?: object) => settingsOf({ hostile: provider.origin, quiet: bystander.origin }, audit.settings, others);
    await gateway.start(settings());
    const [attacker, second, poor, tester, honest] = [
      await gateway.customer('1000000'),
      await gateway.customer('1000000'),
      await gateway.customer('0.6'),
      await gateway.customer('1000000', 'test'),
      await gateway.customer('1000000'),
    ];
    const scene = new Scene({
      gateway,
      provider,
      audit,
      attacker,
      second,
      poor,
      tester,
      random: new Random(seed),
      short,
      slowness: within / WITHIN,
    });
    provider.plays();
    const bounds = {
      within,
      slowness: scene.slowness,
      ordinary: attacks.some(({ group }) => group.startsWith('3')) ? await measureOrdinary(scene) : 0,
    };
    let current: object | undefined;
    for (const [index, attack] of attacks.entries()) {
      if (!gateway.alive || current !== attack.settings || attack.fresh) {
        bystander.rests();
        await gateway.stop();
        await gateway.start(settings(attack.settings));
        current = attack.settings;
      }
      bystander.asks({ pid: gateway.pid, url: gateway.url, key: honest.key, neighbour: attack.neighbour ?? 'shared' });
      const row = await playOne(attack, scene, bystander, bounds);
      // Once for each group of attacks.
      if (attacks[index + 1]?.group !== attack.group && !(await gateway.verified())) row.broken.push('ledger verify finds fault');
      rows.push(row);
      const what = row.broken.length > 0 ? ` (${row.broken.join('; ')})` : '';
      const state = what ? 'RED' : 'ok ';
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      progress(`${engine} ${index + 1}/${attacks.length} after ${seconds} s ${state} ${attack.group}: ${attack.name}${what}`);
    }
    bystander.rests();
  } finally {
    await gateway.stop();
    bystander.stop();
    provider.stop();
    await audit.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return rows;
}

/** Seconds of the main thread for a megabyte of an ordinary conversation. */
async function measureOrdinary({ gateway, ask, random }: Pick<Scene, 'gateway' | 'ask' | 'random'>): Promise<number> {
  const seconds: number[] = [];
  for (let times = 0; times < 3; times++) {
    const bytes = conversation(ORDINARY + random.between(0, 1_000));
    const before = mainThreadSeconds(gateway.pid);
    await ask(bytes);
    seconds.push((mainThreadSeconds(gateway.pid) - before) / (bytes.length / 1e6));
  }
  return median(seconds);
}

async function playOne(attack: Attack, scene: Scene, bystander: BystanderProcess, bounds: Bounds): Promise<Row> {
  const { gateway, provider, audit } = scene;
  provider.plays();
  const pace = scene.short ? SHORT : 1;
  const warmed = pace * (attack.fresh ? 2 * WARM : WARM);
  const warmFrom = mainThreadSeconds(gateway.pid);
  await wait(warmed);
  const idle = (mainThreadSeconds(gateway.pid) - warmFrom) / warmed;
  await scene.settled();
  const before = await audit.sums(scene.accounts);
  const pid = gateway.pid;
  forgetPeak(pid);
  const [cpuBefore, memoryBefore] = [mainThreadSeconds(pid), residentBytes(pid)];
  bystander.begins();
  const began = performance.now();
  const found = await Promise.race([
    attack.run(scene).catch((error: unknown): Found => ({ got: '', broken: [`the attack failed: ${String(error)}`] })),
    wait(OVERDUE, undefined, { ref: false }).then((): Found => ({ got: '', broken: [`not over after ${OVERDUE / 1000} s`] })),
  ]);
  const due = found.due ?? provider.due;
  const cpu =
    gateway.alive && gateway.pid === pid
      ? Math.max(0, mainThreadSeconds(pid) - cpuBefore - Math.min(idle, IDLE) * (performance.now() - began))
      : 0;
  await scene.settled();
  await wait(Math.max(0, pace * (attack.watch ?? WARM) - (performance.now() - began)));
  const alive = gateway.alive;
  const peak = alive ? peakBytes(gateway.pid) : 0;
  if (!alive) bystander.rests();
  const report = await bystander.report();
  const after = await audit.sums(scene.accounts);
  const charged = after.amount - before.amount;
  const uncollected = after.uncollected - before.uncollected;
  const broken = [...(found.broken ?? [])];
  if (!alive) broken.push(`died: ${gateway.lastWords}`);
  broken.push(
    ...judgeCharge(found, { due, charged, requests: after.requests - before.requests }),
    ...judgeBystander(attack, report, bounds),
  );
  if (found.bytes !== undefined && alive) broken.push(...judgeWork(found.bytes, { cpu, memory: peak - memoryBefore }, bounds));
  return { attack, engine: audit.engine, got: found.got, due, charged, uncollected, bystander: report, peak, cpu, alive, broken };
}

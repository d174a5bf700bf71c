import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Measurement } from './bench.ts';
import type { LedgerCosts } from './ledger-load.ts';
import { median, saturate } from './measure.ts';
import { pinned, TARGET_CORE } from './processes.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** Compiles the modules with those for tests, which the program as it is shipped leaves out. */
async function build(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-modules-'));
  for (const name of ['node_modules', 'package.json']) symlinkSync(join(root, name), join(folder, name));
  await run(join(root, 'node_modules/.bin/tsc'), ['-p', join(import.meta.dirname, 'tsconfig.json'), '--outDir', join(folder, 'dist')]);
  return folder;
}

async function measure(folder: string, engine: string): Promise<LedgerCosts> {
  const flags = ['--disable-warning=ExperimentalWarning', '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];
  const command = [process.execPath, ...flags, join(import.meta.dirname, 'ledger-load.ts'), join(folder, 'dist'), engine];
  const [file, ...args] = pinned ? ['taskset', '-c', String(TARGET_CORE), ...command] : command;
  const { stdout } = await run(file!, args, { cwd: root });
  return JSON.parse(stdout) as LedgerCosts;
}

/** Ends with hold and settle as a share of the whole request, and with what leases bring on one hot account. */
const ledger: Measurement = {
  name: 'ledger',
  oursOnly: true,
  fullOnly: true,
  async run(bench) {
    const folder = await build();
    try {
      for (const engine of ['SQLite', 'PostgreSQL']) {
        const turns: (LedgerCosts & { request: number })[] = [];
        for (let round = 0; round < bench.rounds; round++) {
          const { cpu: request } = await saturate(bench.gateway, { promptBytes: 700 }, 64, bench.seconds);
          turns.push({ ...(await measure(folder, engine === 'SQLite' ? 'sqlite' : 'postgres')), request });
        }
        const middle = (pick: (turn: (typeof turns)[number]) => number) => median(turns.map(pick));
        const micros = (pick: (turn: (typeof turns)[number]) => number) => `${middle(pick).toFixed(1)} µs`;
        const request = micros((turn) => turn.request);
        bench.add({
          name: `ledger, ${engine}: hold and settle of a request's CPU`,
          value: middle(({ inMemory, request: whole }) => (100 * inMemory) / whole),
          unit: '%',
          target: { atMost: 10 },
          detail: `${micros(({ inMemory }) => inMemory)} of ${request}; with journal and flush ${micros(({ all }) => all)}`,
        });
        bench.add({
          name: `ledger, ${engine}: leases against a row update each`,
          value: middle(({ leased, rows }) => leased / rows),
          unit: 'x',
          target: { atLeast: 5 },
          detail: `${middle(({ leased }) => leased).toFixed(0)} against ${middle(({ rows }) => rows).toFixed(0)} /s on one account`,
        });
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

export const ledgerMeasurements: readonly Measurement[] = [ledger];

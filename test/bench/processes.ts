import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { cpus } from 'node:os';

/** What is measured: a process, on a core of its own where the system allows. */
export interface Target {
  readonly name: string;
  /** NaN where it is not known. */
  readonly pid: number;
  readonly port: number;
  readonly key: string;
  readonly model: string;
  /** Milliseconds from spawn to listening. */
  readonly startMs: number;
  stop(): Promise<void>;
}

/** Where the target runs, and where load and provider run. */
export const TARGET_CORE = 0;
export const LOAD_CORE = 1;

/** Milliseconds that a process may take to start, and to end when told to. */
const PATIENCE = 20_000;

export const pinned = (() => {
  try {
    execFileSync('taskset', ['-c', String(LOAD_CORE), 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

export function pin(pid: number, core: number): void {
  if (pinned) execFileSync('taskset', ['-a', '-cp', String(core), String(pid)], { stdio: 'ignore' });
}

/** What runs; none of it outlives the benchmark, however that ends. */
const children = new Set<ChildProcess>();
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

export interface Started {
  readonly port: number;
  readonly key?: string;
}

/**
 * Starts a script of Node's and waits for what it prints.
 * @param args of node
 * @param core which it may run on; `any` of them where its processes shall have all
 * @param ready finds port and key in the output so far, or undefined
 * @throws Error with the output when the process ends or says nothing in time
 */
export function start(
  name: string,
  args: readonly string[],
  core: number | 'any',
  options: { env?: NodeJS.ProcessEnv; cwd?: string },
  ready: (output: string) => Started | undefined,
): Promise<Target> {
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', ...args];
  const cores = core === 'any' ? `0-${cpus().length - 1}` : String(core);
  const [file, ...rest] = pinned ? ['taskset', '-c', cores, ...command] : command;
  const began = performance.now();
  const child = spawn(file!, rest, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  child.once('close', () => children.delete(child));
  return new Promise((resolve, reject) => {
    let output = '';
    let errors = '';
    const fail = (why: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`${name} ${why}: ${errors}${output}`));
    };
    const tooLate = setTimeout(() => fail('does not start'), PATIENCE);
    child.stderr.on('data', (data: Buffer) => (errors = (errors + data.toString()).slice(-4000)));
    child.once('exit', (code) => fail(`ended with ${code}`));
    child.stdout.on('data', (data: Buffer) => {
      if (output.length > 100_000) return;
      output += data.toString();
      const found = ready(output);
      if (!found) return;
      clearTimeout(tooLate);
      const startMs = performance.now() - began;
      resolve({ name, key: 'none', model: 'bench', ...found, pid: child.pid!, startMs, stop: () => stop(child) });
    });
  });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), PATIENCE).unref();
  });
}

/** The process that listens on a port of this machine, or NaN. Linux only. */
export function listenerOf(port: number): number {
  try {
    const hex = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    const listening = ['tcp', 'tcp6']
      .flatMap((table) => readFileSync(`/proc/net/${table}`, 'latin1').split('\n').slice(1))
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[1]?.endsWith(hex) && fields[3] === '0A')
      .map((fields) => `socket:[${fields[9]}]`);
    const sockets = new Set(listening);
    const holds = (pid: string): boolean => linksOf(Number(pid)).some((name) => sockets.has(name));
    return Number(
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .find(holds) ?? Number.NaN,
    );
  } catch {
    return Number.NaN;
  }
}

/** What a process's file handles stand for. */
function linksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  } catch {
    return [];
  }
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

/** Microseconds of CPU, user and system, all threads that live; NaN where the process is not known. */
export function cpuMicros(pid: number): number {
  if (Number.isNaN(pid)) return Number.NaN;
  return Array.from(cpuByThread(pid).values()).reduce((sum, micros) => sum + micros, 0);
}

/** The same by name of thread. */
export function cpuByThread(pid: number): Map<string, number> {
  const task = `/proc/${pid}/task`;
  const sums = new Map<string, number>();
  for (const thread of readdirSync(task)) {
    const name = read(`${task}/${thread}/comm`).trim();
    sums.set(name, (sums.get(name) ?? 0) + Number(read(`${task}/${thread}/schedstat`).split(' ')[0]) / 1000);
  }
  return sums;
}

/** Open sockets, those that listen included. */
export function socketsOf(pid: number): number {
  return linksOf(pid).filter((name) => name.startsWith('socket:')).length;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

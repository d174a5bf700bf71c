import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A child of the benchmark, on a core of its own where the system allows. */
export interface Target {
  readonly pid: number;
  readonly port: number;
  readonly key: string;
  readonly model: string;
  /** Milliseconds from spawn to listening. */
  readonly startMs: number;
  stop(): Promise<void>;
}

const canPin = (() => {
  try {
    execFileSync('taskset', ['-c', '1', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

export const pinned = canPin;

export function pinSelf(core: number): void {
  if (canPin) execFileSync('taskset', ['-a', '-cp', String(core), String(process.pid)], { stdio: 'ignore' });
}

/**
 * Starts a script and waits for what it prints.
 * @param ready finds port and key in the output so far, or undefined
 */
export function start(
  args: readonly string[],
  core: number,
  options: { env?: NodeJS.ProcessEnv; cwd?: string },
  ready: (output: string) => { port: number; key?: string; model?: string } | undefined,
): Promise<Target> {
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', ...args];
  const [file, ...rest] = canPin ? ['taskset', '-c', String(core), ...command] : command;
  const began = performance.now();
  const child: ChildProcess = spawn(file!, rest, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    let output = '';
    let errors = '';
    child.stderr!.on('data', (data: Buffer) => (errors = (errors + data.toString()).slice(-4000)));
    child.on('exit', (code) => reject(new Error(`${args[0]} ended with ${code}: ${errors}${output}`)));
    child.stdout!.on('data', (data: Buffer) => {
      if (output.length > 100_000) return;
      output += data.toString();
      const found = ready(output);
      if (!found) return;
      const startMs = performance.now() - began;
      resolve({ key: 'none', model: 'bench', ...found, pid: child.pid!, startMs, stop: () => stop(child) });
    });
  });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.removeAllListeners('exit');
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), 5000).unref();
  });
}

/** Microseconds of CPU, user and system, all threads. Linux counts in hundredths of a second. */
export function cpuMicros(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

export function rssBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))![1]) * 1024;
}

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import process from 'node:process';

// This file imports nothing that an old Node cannot load.

/** The Node that is installed along with the gateway; undefined on other systems, and where it was left out. */
export function carriedNode(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    return undefined;
  }
}

/**
 * Runs a program of another Node in the place of this process: with its input, output and signals.
 * @returns its exit code
 */
export function runWith(node: string, args: readonly string[]): Promise<number> {
  const child = spawn(node, args, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('exit', (code, signal) => done(code ?? 128 + constants.signals[signal!]));
  });
}

import cluster from 'node:cluster';
import { destination, type Logger, pino, stdSerializers } from 'pino';
import type { Config } from '../config/config.schema.js';
import { withSourcePositions } from './stack-trace.js';

/** Structured log. Fields never carry secrets, prompts or answers. */
export type Log = Logger;

export const LOG = Symbol('log');

/** Bytes that wait for a standard error nobody reads; what is more is dropped, not kept and not waited for. */
const MAX_WAITING = 4 * 1024 * 1024;

/** Lines are gathered to so many bytes, or for so many milliseconds: a write of its own for each costs more than the line. */
const GATHERED_BYTES = 8 * 1024;
const GATHERED_MS = 50;

let standardError: ReturnType<typeof destination> | undefined;

const serializers = {
  err(error: Error) {
    const told = stdSerializers.err(error);
    return { ...told, stack: withSourcePositions(told.stack) };
  },
  stack: (stack: string | undefined) => stack && withSourcePositions(stack),
};

/**
 * JSON lines on standard error, written behind the requests' backs and flushed at exit. Standard output is left to what a person asked for. Where several
 * processes serve, each line names its own.
 */
export function createLog({ log_level }: Config['observability']): Log {
  const base = cluster.isWorker ? { worker: cluster.worker?.id } : null;
  return pino({ level: log_level, base, formatters: { level: (label) => ({ level: label }) }, serializers }, toStandardError());
}

/** Whole lines of another process's log. */
export function passOnLog(lines: string): void {
  toStandardError().write(lines);
}

function toStandardError(): ReturnType<typeof destination> {
  if (!standardError) {
    standardError = destination({ dest: 2, sync: false, maxLength: MAX_WAITING, minLength: GATHERED_BYTES, periodicFlush: GATHERED_MS });
    // A full disk must not end the gateway.
    standardError.on('error', () => undefined);
  }
  return standardError;
}

import { destination, type Logger, pino, stdSerializers } from 'pino';
import { workerId } from '../common/cluster-worker.js';
import type { Config } from '../config/config.schema.js';
import { GatheredLines } from './gathered-lines.js';
import { withSourcePositions } from './stack-trace.js';

/** The structured log. Its fields never contain secrets, prompts or answers. */
export type Log = Logger;

export const LOG = Symbol('log');

/**
 * How many bytes may wait for a standard error that nobody reads. What exceeds them is dropped, not kept and not waited
 * for.
 */
const MAX_WAITING = 4 * 1024 * 1024;

let standardError: GatheredLines | undefined;

/** Where several processes serve, each line names its process. */
const base = workerId === undefined ? null : { worker: workerId };
const baseMembers = base ? `,"worker":${base.worker}` : '';

const serializers = {
  err(error: Error) {
    const serialized = stdSerializers.err(error);
    return { ...serialized, stack: withSourcePositions(serialized.stack) };
  },
  stack: (stack: string | undefined) => stack && withSourcePositions(stack),
};

/**
 * Creates the log: JSON lines on standard error, written in the background and flushed at exit. Standard output is left
 * to what a person asks for.
 */
export function createLog({ log_level }: Config['observability']): Log {
  return pino({ level: log_level, base, formatters: { level: (label) => ({ level: label }) }, serializers }, toStandardError());
}

/** Passes on whole lines of another process's log. */
export function passOnLog(lines: string): void {
  toStandardError().write(lines);
}

/**
 * Writes a log line at a fourth of pino's cost, for what logs one line for each request. The caller checks whether the
 * level is enabled.
 * @param fields JSON members
 */
export function writeLine(level: 'info' | 'warn', fields: string): void {
  toStandardError().write(`{"level":"${level}","time":${Date.now()}${baseMembers},${fields}}\n`);
}

function toStandardError(): GatheredLines {
  if (!standardError) {
    const stream = destination({ dest: 2, sync: false, maxLength: MAX_WAITING });
    // A full disk must not end the gateway.
    stream.on('error', () => undefined);
    const lines = new GatheredLines(stream);
    // These listeners must run before the stream's own ones, which write what the stream has.
    process.prependListener('beforeExit', lines.flush);
    process.prependListener('exit', lines.flush);
    standardError = lines;
  }
  return standardError;
}

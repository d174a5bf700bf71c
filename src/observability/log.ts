import { destination, type Logger, pino, stdSerializers } from 'pino';
import { workerId } from '../common/cluster-worker.js';
import type { Config } from '../config/config.schema.js';
import { GatheredLines } from './gathered-lines.js';
import { withSourcePositions } from './stack-trace.js';

/** Structured log. Fields never carry secrets, prompts or answers. */
export type Log = Logger;

export const LOG = Symbol('log');

/** Bytes that wait for a standard error nobody reads; what is more is dropped, not kept and not waited for. */
const MAX_WAITING = 4 * 1024 * 1024;

let standardError: GatheredLines | undefined;

/** Where several processes serve, each line names its own. */
const base = workerId === undefined ? null : { worker: workerId };
const baseMembers = base ? `,"worker":${base.worker}` : '';

const serializers = {
  err(error: Error) {
    const told = stdSerializers.err(error);
    return { ...told, stack: withSourcePositions(told.stack) };
  },
  stack: (stack: string | undefined) => stack && withSourcePositions(stack),
};

/**
 * JSON lines on standard error, written behind the requests' backs and flushed at exit. Standard output is left to what a person asked for.
 */
export function createLog({ log_level }: Config['observability']): Log {
  return pino({ level: log_level, base, formatters: { level: (label) => ({ level: label }) }, serializers }, toStandardError());
}

/** Whole lines of another process's log. */
export function passOnLog(lines: string): void {
  toStandardError().write(lines);
}

/**
 * A line of the log at a fourth of its cost there, for who writes one a request; whether the level is enabled is for the caller to ask.
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
    // Before the stream's own listeners, which write what it has.
    process.prependListener('beforeExit', lines.flush);
    process.prependListener('exit', lines.flush);
    standardError = lines;
  }
  return standardError;
}

import cluster from 'node:cluster';
import { isatty } from 'node:tty';
import { destination, type Logger, pino, stdSerializers } from 'pino';
import { withSourcePositions } from '../providers/errors/stack-trace.js';
import { Redactor } from '../common/redaction/redactor.js';
import type { Config } from '../config/config.schema.js';
import { secretsOf } from '../config/secrets.js';
import { onFetchedSecret } from '../providers/credentials/entry-secrets.js';
import { GatheredLines } from './gathered-lines.js';
import { readableLines } from './readable-lines.js';

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
const base = cluster.worker ? { worker: cluster.worker.id } : null;
const baseMembers = base ? `,"worker":${base.worker}` : '';

const serializers = {
  err(error: Error) {
    const serialized = stdSerializers.err(error);
    return { ...serialized, stack: withSourcePositions(serialized.stack) };
  },
  stack: (stack: string | undefined) => stack && withSourcePositions(stack),
};

/** The secrets of the configuration in force. They are removed from every line that may have a text of others. */
let redactor = new Redactor([]);
let configured: readonly string[] = [];

/** What providers have fetched with their keys, the latest. */
let fetched: readonly string[] = [];
const MAX_FETCHED = 256;

/** To be called when another configuration comes into force. */
export function hideInLog(config: Config): void {
  configured = secretsOf(config);
  redactor = new Redactor([...configured, ...fetched]);
}

onFetchedSecret((secret) => {
  fetched = [...fetched, secret].slice(-MAX_FETCHED);
  redactor = new Redactor([...configured, ...fetched]);
});

/**
 * Creates the log: JSON lines on standard error, and readable ones where that is a terminal, written in the background
 * and flushed at exit. Standard output is left to what a person asks for.
 */
export function createLog(config: Config): Log {
  hideInLog(config);
  const { log_level: level } = config.observability;
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base, formatters, serializers, hooks: { streamWrite: (line) => redactor.hide(line) } }, toStandardError());
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
export function writeLine(level: 'debug' | 'info' | 'warn', fields: string): void {
  toStandardError().write(`{"level":"${level}","time":${Date.now()}${baseMembers},${fields}}\n`);
}

function toStandardError(): GatheredLines {
  if (!standardError) {
    const stream = destination({ dest: 2, sync: false, maxLength: MAX_WAITING });
    // A full disk must not end the gateway.
    stream.on('error', () => undefined);
    const lines = new GatheredLines(isatty(2) ? { write: (text) => stream.write(readableLines(text)) } : stream);
    // These listeners must run before the stream's own ones, which write what the stream has.
    process.prependListener('beforeExit', lines.flush);
    process.prependListener('exit', lines.flush);
    standardError = lines;
  }
  return standardError;
}

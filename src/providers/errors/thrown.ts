import { relative } from 'node:path';
import { inspect } from 'node:util';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withSourcePositions } from './stack-trace.js';
import { StartError } from '../../config/start-error.js';
import { programFolder } from '../../config/version.js';

/** Characters of a message, and of a stack with those of its causes, that are kept. */
const MAX_REASON = 500;
const MAX_STACK = 8_000;

/** Characters of either that are looked at: a message may hold a whole answer. */
const MAX_READ = 16_000;

/** Causes of causes that are looked at. */
const MAX_CAUSES = 5;

/** What a module has thrown, as a log line may have it. */
export interface ThrownReport {
  readonly message: string;
  /** With the stacks of its causes, in positions of the source. */
  readonly stack: string;
}

/** @param redact removes the secrets of whoever has thrown */
export function reportOf(thrown: unknown, redact: (text: string) => string): ThrownReport {
  const stacks: string[] = [];
  let at: unknown = thrown;
  for (let depth = 0; at !== undefined && at !== null && depth < MAX_CAUSES; depth++) {
    stacks.push(unquoted(withSourcePositions(stackOf(at) ?? messageOf(at))));
    at = partOf(at, 'cause');
  }
  return {
    message: redact(unquoted(messageOf(thrown)).slice(0, MAX_REASON)),
    stack: redact(stacks.join('\ncaused by: ').slice(0, MAX_STACK)),
  };
}

/** The first line of the message of what a module has thrown, and the place in the module where it did. */
export function reasonOf(error: unknown): string {
  const reason = messageOf(error).trim().split('\n', 1)[0]!.slice(0, MAX_REASON);
  const place = placeOf(error);
  return place ? `${reason} (${place})` : reason;
}

/** What a frame ends with: a file, or its address, with line and column. */
const position = /( |\()((?:file:\/\/)?\/[^\s()]+?)((?::\d+){2})\)?$/;

function urlOf(file: string): string {
  return file.startsWith('/') ? pathToFileURL(file).href : file;
}

/** Packages of the gateway that call modules: they lie beside the gateway where it is installed. */
const calling = /\/node_modules\/(?:@nestjs|rxjs)\//;

/** `file:line:column` of the first position in the stack that is neither Node's nor the gateway's. */
function placeOf(error: unknown): string | undefined {
  const stack = stackOf(error);
  if (stack === undefined || error instanceof StartError) return undefined;
  const own = pathToFileURL(`${programFolder}/`).href;
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  for (const frame of frames) {
    const [, , file] = position.exec(frame) ?? [];
    if (file === undefined || calling.test(file)) continue;
    if (['dist/', 'src/', 'node_modules/'].some((folder) => urlOf(file).startsWith(own + folder))) continue;
    const [, , source, at] = position.exec(withSourcePositions(frame)) ?? [];
    return source && shown(fileURLToPath(urlOf(source))) + at!;
  }
  return undefined;
}

/** A file as an operator would name it. */
export function shown(file: string): string {
  const here = relative(process.cwd(), file);
  return here.startsWith('..') ? file : here;
}

function messageOf(error: unknown): string {
  const text = typeof error === 'string' ? error : partOf(error, 'message');
  return bounded(typeof text === 'string' ? text : inspected(error));
}

function stackOf(error: unknown): string | undefined {
  const stack = partOf(error, 'stack');
  return typeof stack === 'string' ? bounded(stack) : undefined;
}

/**
 * What a module throws may be anything: an error with a message that is no text, or one that throws when it is read.
 */
function partOf(error: unknown, part: 'message' | 'stack' | 'cause'): unknown {
  try {
    return error instanceof Error ? error[part] : undefined;
  } catch {
    return undefined;
  }
}

function inspected(value: unknown): string {
  try {
    return inspect(value, { depth: 1, breakLength: Infinity });
  } catch {
    return 'what cannot be shown';
  }
}

function bounded(text: string): string {
  return text.slice(0, MAX_READ);
}

/** Without what `JSON.parse` quotes, which may be a part of an answer. */
function unquoted(text: string): string {
  return text.replace(/, (?:\.\.\.)?".*?"(?:\.\.\.)? is not valid JSON/gs, ', and is not valid JSON');
}

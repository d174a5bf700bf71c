import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BufferList, join } from './buffer-list.js';
import { keepWritten } from './exact-numbers.js';
import { refusedJson } from './json-limits.js';
import { JsonScan, type Member } from './json-scan.js';
import { keepSource } from './json-source.js';

/** Bytes of a body from which on what goes on as it came is not serialised again. */
const LARGE = 16 * 1024;

/** Bytes of a body from which on each step of reading it has a turn of the event loop of its own. */
const IN_STEPS = 1024 * 1024;

type Body = Record<string, unknown>;

/**
 * Parses the JSON object in a request body (RFC 8259; a byte order mark is ignored, as its section 8.1 allows).
 * @param scan has been fed with the whole body
 * @throws ApiError 400 invalid_request
 */
export function parseJsonBody(body: BufferList, scan: JsonScan): Body {
  return kept(bodyOf(parse(textOf(body, scan))), body, scan);
}

/** A body as it came, and what a scan has found in it. */
export interface ReceivedBody {
  readonly bytes: BufferList;
  readonly scan: JsonScan;
}

/**
 * Does what parseJsonBody does; for a large body with other turns of the event loop between its steps.
 * @throws ApiError 400 invalid_request, or rejects with it
 */
export function parseReceived({ bytes, scan }: ReceivedBody): Body | Promise<Body> {
  return bytes.length < IN_STEPS ? parseJsonBody(bytes, scan) : parseInSteps(bytes, scan);
}

async function parseInSteps(body: BufferList, scan: JsonScan): Promise<Body> {
  await turnOf(body);
  const text = textOf(body, scan);
  await turnOf(body);
  const value = bodyOf(parse(text));
  await turnOf(body);
  return kept(value, body, scan);
}

/** The next turn of the event loop. Rejects where the client has left: nobody is to be asked for it any more. */
async function turnOf(body: BufferList): Promise<void> {
  await nextTurn();
  if (body.released) throw refusedJson('The connection was closed before the request body was read.');
}

/** @returns undefined where the body is not UTF-8 */
function textOf(body: BufferList, scan: JsonScan): string | undefined {
  const start = startOf(body, scan);
  const parts = body.slice(start, body.length);
  const bytes = join(parts, body.length - start);
  const text = isUtf8(bytes) ? bytes.toString() : undefined;
  // A copy is freed at once, so that a large body does not take the memory of one more while it is parsed.
  if (parts.length > 1 && bytes.buffer.byteLength === bytes.length) (bytes.buffer as ArrayBuffer).transfer(0);
  return text;
}

/** Keeps the JSON of what may go on as it came. */
function kept(value: Body, body: BufferList, scan: JsonScan): Body {
  const isLarge = body.length >= LARGE;
  if (isLarge || scan.inexact) keepMembers(value, body, scan, isLarge && countNames(value) === scan.names);
  return value;
}

/** @returns the offset at which the JSON begins */
function startOf(body: BufferList, scan: JsonScan): number {
  scan.end();
  return body.at(0) === 0xef && body.at(1) === 0xbb && body.at(2) === 0xbf ? 3 : 0;
}

function bodyOf(value: unknown): Body {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refusedJson('The request body must be a JSON object.');
  return value as Body;
}

/**
 * Keeps the JSON of what goes on as it came: of objects and arrays, and of fields with numbers that a double might not
 * keep.
 * @param eachOnce whether no object has a name twice
 */
function keepMembers(value: Body, body: BufferList, scan: JsonScan, eachOnce: boolean): void {
  const written = new Map<string, readonly Buffer[]>();
  for (const found of scan.members) {
    const { from, to, inexact } = found;
    const name = nameOf(found, body);
    if (inexact) written.set(name, body.slice(from, to));
    else written.delete(name);
    // Where a name occurs twice, JSON.parse takes the last value, and a provider might take the first.
    const member = eachOnce ? value[name] : undefined;
    if (typeof member === 'object' && member !== null) keepSource(member, body.slice(from, to));
  }
  if (written.size > 0) keepWritten(value, written);
}

/** The name of a member; as it is written where it is not valid, in which case the body is not either. */
function nameOf({ nameFrom, nameTo }: Member, body: BufferList): string {
  const written = join(body.slice(nameFrom, nameTo)).toString();
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return written;
  }
}

function parse(json: string | undefined): unknown {
  if (json === undefined) throw refusedJson('The request body is not valid UTF-8.');
  try {
    return JSON.parse(json);
  } catch (error) {
    throw refusedJson(`The request body is not valid JSON: ${(error as SyntaxError).message}`);
  }
}

/** Counts the names in all objects together. Recursion is safe, because the depth has been checked. */
function countNames(value: object): number {
  let names = 0;
  const add = (child: unknown): void => {
    if (typeof child === 'object' && child !== null) names += countNames(child);
  };
  if (Array.isArray(value)) value.forEach(add);
  // Not for-in: V8 would optimize a read by its names again and again, each time for one name alone.
  else
    for (const name of Object.keys(value)) {
      names++;
      add((value as Body)[name]);
    }
  return names;
}

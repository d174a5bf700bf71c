import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiError } from '../common/api-error.js';
import { type BufferList, join } from './buffer-list.js';
import { keepWritten } from './exact-numbers.js';
import { refusedJson } from './json-limits.js';
import { type DueText, outlineOf, outlineOfRun, PROMPTS, putTexts, runIndex, type Steps } from './json-outline.js';
import { JsonScan, type Member } from './json-scan.js';
import { keepSource } from './json-source.js';
import { copyMember, hasLongTexts, longTextAt, valueAt } from './long-text.js';
import { decoded } from './outlined-text.js';

/** Bytes of a body from which on long texts are left undecoded, and what goes on as it came is not serialised again. */
const LARGE = 16 * 1024;

/** Bytes of a body from which on each step of reading it has a turn of the event loop of its own. */
const IN_STEPS = 1024 * 1024;

/** Characters that are decoded in one of these turns. */
const STEP = 1024 * 1024;

type Body = Record<string, unknown>;

/**
 * Parses the JSON object in a request body (RFC 8259; a byte order mark is ignored, as its section 8.1 allows).
 * @param scan has been fed with the whole body
 * @throws ApiError 400 invalid_request
 */
export function parseJsonBody(body: BufferList, scan: JsonScan): Body {
  if (body.length < LARGE) {
    const start = startOf(body, scan);
    const value = bodyOf(parse(decoded(body.slice(start, body.length), body.length - start)));
    if (scan.inexact) keepMembers(value, body, scan, false);
    return value;
  }
  return ended(stepsOf(body, scan));
}

/** What steps end with, taken at once. */
function ended<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
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
  const steps = stepsOf(body, scan);
  for (;;) {
    await nextTurn();
    if (body.released) throw refusedJson('The connection was closed before the request body was read.');
    const { done, value } = steps.next();
    if (done) return value;
  }
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

/** The steps of reading a large body. */
function* stepsOf(body: BufferList, scan: JsonScan): Steps<Body> {
  const start = startOf(body, scan);
  const lists = body.length >= IN_STEPS ? yield* listsOf(body, scan) : undefined;
  const outline = yield* outlineOf(body, start, body.length, lists?.outside ?? scan.longStrings, lists && scan.runs);
  yield;
  let parsed: unknown;
  try {
    parsed = parse(outline.json, lists && 'it is wrong outside of its lists');
  } catch (error) {
    if (lists || outline.texts.length === 0 || outline.json === undefined) throw error;
    // The error tells a position, which is to be one of the whole body.
    parsed = parse((yield* outlineOf(body, start, body.length, [])).json);
  }
  yield;
  let value = bodyOf(parsed);
  if (outline.texts.length > 0) {
    const due: DueText[] = [];
    value = putTexts(value, outline.texts, true, due);
    yield* decodeAll(due);
  }
  const eachOnce = countNames(value) + (lists?.names ?? 0) === scan.names;
  if (lists && !eachOnce)
    throw refusedJson(`The request body has a name twice in one object, which is read in bodies of less than ${IN_STEPS} bytes only.`);
  if (lists) putRuns(value, lists.runs);
  keepMembers(value, body, scan, eachOnce);
  return value;
}

/** What is in the runs of elements of a body. */
interface Lists {
  readonly runs: readonly (readonly unknown[])[];
  /** Number of names in them. */
  readonly names: number;
  /** Offsets of the quotes of the long strings that are not in them. */
  readonly outside: readonly number[];
}

/**
 * Parses the runs of elements one by one, so that no turn is long, and so that of all the JSON only one run is in
 * memory as text.
 */
function* listsOf(body: BufferList, { members, runs: offsets, longStrings }: JsonScan): Steps<Lists> {
  const runs: unknown[][] = [];
  const outside: number[] = [];
  const prompts = members.filter((member) => PROMPTS.has(nameOf(member, body)));
  let names = 0;
  let next = 0;
  for (let index = 0; index < offsets.length; index += 2) {
    const from = offsets[index]!;
    const to = offsets[index + 1]!;
    while (longStrings[next]! < from) outside.push(longStrings[next++]!);
    const first = next;
    while (longStrings[next]! < to) next += 2;
    const { json, texts } = yield* outlineOfRun(body, from, to, longStrings.slice(first, next));
    const where = `it is wrong between its bytes ${from} and ${to}`;
    const run = parse(json, where) as unknown[];
    // White space alone.
    if (run.length === 0) throw invalid(where);
    if (texts.length > 0) {
      const due: DueText[] = [];
      // A list stays in its place.
      putTexts(run, texts, !prompts.some((list) => list.from <= from && from < list.to), due);
      yield* decodeAll(due);
    }
    names += countNames(run);
    runs.push(run);
    yield;
  }
  return { runs, names, outside: outside.concat(longStrings.slice(next)) };
}

function* decodeAll(due: readonly DueText[]): Steps<void> {
  let characters = 0;
  for (const { holder, name, text } of due) {
    let value = '';
    for (const piece of text.pieces()) {
      value += piece;
      characters += piece.length;
      if (characters < STEP) continue;
      characters = 0;
      yield;
    }
    (holder as Record<string | number, unknown>)[name] = value;
  }
}

/** Puts the runs of elements into the lists that they are part of. */
function putRuns(value: Body, runs: readonly (readonly unknown[])[]): void {
  for (const name in value) {
    const list = longTextAt(value, name) ? undefined : value[name];
    if (!Array.isArray(list) || runIndex(valueAt(list, '0')) === undefined) continue;
    const whole: unknown[] = [];
    for (let index = 0; index < list.length; index++) {
      const run = runs[runIndex(valueAt(list, `${index}`)) ?? -1];
      if (run) append(run, whole);
      else copyMember(list, `${index}`, whole, `${whole.length}`);
    }
    value[name] = whole;
  }
}

/** Texts that were not read yet are not decoded. */
function append(elements: readonly unknown[], whole: unknown[]): void {
  if (!hasLongTexts(elements)) for (const element of elements) whole.push(element);
  else for (let index = 0; index < elements.length; index++) copyMember(elements, `${index}`, whole, `${whole.length}`);
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
    const member = eachOnce ? valueAt(value, name) : undefined;
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

/** @param where what is told instead of the position, which would not be one of the whole body */
function parse(json: string | undefined, where?: string): unknown {
  if (json === undefined) throw refusedJson('The request body is not valid UTF-8.');
  try {
    return JSON.parse(json);
  } catch (error) {
    throw invalid(where ?? (error as SyntaxError).message);
  }
}

function invalid(why: string): ApiError {
  return refusedJson(`The request body is not valid JSON: ${why}`);
}

/** Counts the names in all objects together. Recursion is safe, because the depth has been checked. */
function countNames(value: object): number {
  let names = 0;
  if (Array.isArray(value)) {
    const some = hasLongTexts(value);
    for (let index = 0; index < value.length; index++) {
      if (some && longTextAt(value, `${index}`)) continue;
      const child: unknown = value[index];
      if (typeof child === 'object' && child !== null) names += countNames(child);
    }
    return names;
  }
  // Not for-in: V8 would optimize a read by its names again and again, each time for one name alone.
  for (const name of Object.keys(value)) {
    names++;
    // The value of a long text would be decoded by reading it.
    if (longTextAt(value, name)) continue;
    const child = (value as Body)[name];
    if (typeof child === 'object' && child !== null) names += countNames(child);
  }
  return names;
}

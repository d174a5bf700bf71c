import { randomBytes } from 'node:crypto';
import type { BufferList } from './buffer-list.js';
import { setMember } from '../wire/own-members.js';
import { isPutOff, type LongText, putLongText } from './long-text.js';
import { decoded, longTextOf } from './outlined-text.js';
import { escapesOf, escapeSteps } from './plain-text.js';

/** The beginning of each placeholder for a long string. It is random, so that no client can send it. */
const MARK = randomBytes(12).toString('base64url');

/** The same for a run of elements. */
const RUN_MARK = randomBytes(12).toString('base64url');

const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');

/** Bytes of a string from which on it is cheaper not to decode it. */
const LONG = 4 * 1024;

/**
 * Bytes of the whole from which on shorter strings are not decoded either, so that they do not take their bytes once
 * more as JSON and once more as values, and twice as many where a single character is not Latin.
 */
const LARGE = 1024 * 1024;

/** The fields whose lists have texts that go on as they came. */
export const PROMPTS: ReadonlySet<string | number> = new Set(['prompt', 'input']);

/** A text that has to be decoded: the placeholder is still in its place. */
export interface DueText {
  readonly holder: object;
  readonly name: string | number;
  readonly text: LongText;
}

/** JSON in which placeholders replace the long strings. */
export interface JsonOutline {
  /** The JSON with placeholders, which is valid if and only if the whole is valid; undefined where it is not UTF-8. */
  readonly json: string | undefined;
  readonly texts: readonly LongText[];
}

/** Between its steps other turns of the event loop may come. */
export type Steps<T> = Generator<void, T>;

/** The outline of elements of a list: it is a list of its own. */
export function* outlineOfRun(whole: BufferList, from: number, to: number, longStrings: readonly number[]): Steps<JsonOutline> {
  return yield* outlineOf(whole, from, to, longStrings, [], true);
}

/**
 * The outline of the bytes from `from` to before `to`.
 * @param whole any bytes; where they are not valid JSON, the outline is not either, and JSON.parse refuses it
 * @param longStrings offsets of the quotes of the long strings between them
 * @param runs offsets of runs of elements, each of which a placeholder replaces that is one element: see `runIndex`
 */
export function* outlineOf(
  whole: BufferList,
  from: number,
  to: number,
  longStrings: readonly number[],
  runs: readonly number[] = [],
  asList = false,
): Steps<JsonOutline> {
  if (longStrings.length === 0 && runs.length === 0 && !asList) return { json: decoded(whole.slice(from, to), to - from), texts: [] };
  const parts: Buffer[] = asList ? [OPEN] : [];
  const texts: LongText[] = [];
  let length = asList ? 2 : 0;
  let kept = from;
  const least = whole.length < LARGE ? LONG : 0;
  const keep = (before: number): void => {
    for (const part of whole.slice(kept, before)) parts.push(part);
    length += before - kept;
  };
  const replace = (start: number, after: number, mark: Buffer): void => {
    keep(start);
    parts.push(mark);
    length += mark.length;
    kept = after;
  };
  let run = 0;
  const replaceRuns = (before: number): void => {
    for (; run < runs.length && runs[run]! < before; run += 2) replace(runs[run]!, runs[run + 1]!, Buffer.from(`"${RUN_MARK}${run / 2}"`));
  };
  for (let index = 0; index < longStrings.length; index += 2) {
    const open = longStrings[index]!;
    const close = longStrings[index + 1]!;
    if (close - open <= least) continue;
    const content = whole.slice(open + 1, close);
    const text = longTextOf(content, close - open < LARGE ? escapesOf(content) : yield* escapeSteps(content));
    if (!text) continue;
    replaceRuns(open);
    replace(open + 1, close, Buffer.from(`${MARK}${texts.length}`));
    texts.push(text);
  }
  replaceRuns(to);
  keep(to);
  if (asList) parts.push(CLOSE);
  return { json: decoded(parts, length), texts };
}

/** @returns the index of the run that an element of an outline stands for, if it does */
export function runIndex(element: unknown): number | undefined {
  return typeof element === 'string' && element.startsWith(RUN_MARK) ? Number(element.slice(RUN_MARK.length)) : undefined;
}

/**
 * Replaces the placeholders in the value that was parsed from an outline by the long strings. Recursion is safe,
 * because the depth has been checked.
 * @param isTop the holder is the body, or a list in it other than `PROMPTS`: their own texts are few, are read anyway,
 * and cannot go on as they came
 * @param due gets those that are to be decoded
 * @returns what takes the holder's place. An object with a placeholder is made anew: V8 would keep it as a dictionary
 * if a member became a getter after it had been a value, and each loop over its names would take a microsecond
 */
export function putTexts<Holder extends object>(holder: Holder, texts: readonly LongText[], isTop: boolean, due: DueText[]): Holder {
  const isList = Array.isArray(holder);
  const place = !isList && hasMark(holder) ? ({} as Holder) : holder;
  const put = (child: unknown, name: string | number): void => {
    if (typeof child === 'object' && child !== null)
      setMember(place, name, putTexts(child, texts, isTop && Array.isArray(child) && !PROMPTS.has(name), due));
    else if (isMark(child)) {
      const text = textFor(child, texts);
      if (isPutOff(name, text, isTop)) return putLongText(place, `${name}`, text);
      setMember(place, name, child);
      due.push({ holder: place, name, text });
    } else if (place !== holder) setMember(place, name, child);
  };
  if (isList) for (let index = 0; index < holder.length; index++) put(holder[index], index);
  else for (const name in holder) put(holder[name], name);
  return place;
}

function hasMark(holder: object): boolean {
  for (const name in holder) if (isMark((holder as Record<string, unknown>)[name])) return true;
  return false;
}

function isMark(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(MARK);
}

function textFor(mark: string, texts: readonly LongText[]): LongText {
  return texts[Number(mark.slice(MARK.length))]!;
}

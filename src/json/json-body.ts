import { isUtf8 } from 'node:buffer';
import { keepSource } from './json-source.js';
import { ApiError } from '../common/api-error.js';
import { jsonMembers } from './json-members.js';
import { outlineOf, putTexts } from './json-outline.js';
import { BufferList } from './buffer-list.js';

/** Levels of nesting. JSON.stringify overflows the stack between 3,000 and 5,000, and no request needs this many. */
const MAX_DEPTH = 100;

/** Bytes of a body from which on it is cheaper to locate its values and to leave long ones undecoded. */
const LARGE = 16 * 1024;

/**
 * Parses the JSON object in a request body (RFC 8259; a byte order mark is ignored, as its section 8.1 allows).
 * @throws ApiError 400 invalid_request
 */
export function parseJsonBody(body: BufferList): Record<string, unknown> {
  if (body.length === 0) throw invalid('The request body is empty. Send a JSON object.');
  const json = body.at(0) === 0xef && body.at(1) === 0xbb && body.at(2) === 0xbf ? new BufferList(body.slice(3, body.length)) : body;
  return (json.length >= LARGE ? parseLarge(json) : undefined) ?? parseWhole(json.joined());
}

/**
 * Parses a large body without decoding its long texts.
 * @returns undefined where the whole body must be parsed, in order to read or to refuse it
 */
function parseLarge(json: BufferList): Record<string, unknown> | undefined {
  const outline = outlineOf(json);
  let value: Record<string, unknown>;
  try {
    value = parseWhole(outline.json);
  } catch {
    return undefined;
  }
  const members = jsonMembers(outline.json);
  // Where a name occurs twice, no source is kept: JSON.parse takes the last value, and a provider might take the first.
  if (members?.names === countNames(value)) {
    for (const [name, [from, to]] of members.ranges)
      keepSource(value[name] as object, json.slice(outline.offsetOf(from), outline.offsetOf(to)));
  }
  return putTexts(value, outline.texts) ? value : undefined;
}

function parseWhole(json: Buffer): Record<string, unknown> {
  if (!isUtf8(json)) throw invalid('The request body is not valid UTF-8.');
  const value = parse(json.toString());
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('The request body must be a JSON object.');
  refusePoison(value);
  if (deeperThan(value, MAX_DEPTH)) throw invalid(`The request body is nested deeper than ${MAX_DEPTH} levels.`);
  return value as Record<string, unknown>;
}

/** Counts the names in all objects together. Recursion is safe, because the depth has been checked. */
function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return children.reduce<number>((sum, child) => sum + countNames(child), Array.isArray(value) ? 0 : children.length);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`The request body is not valid JSON: ${(error as SyntaxError).message}`);
  }
}

/**
 * Refuses names that would change the prototype of the object that the fields are assigned to. Only fields of the top
 * level are assigned to another object; nested values are passed on unchanged.
 */
function refusePoison(value: object): void {
  if (Object.hasOwn(value, '__proto__')) throw invalid("The field '__proto__' is not allowed.");
  if (!Object.hasOwn(value, 'constructor')) return;
  const { constructor } = value as { constructor: unknown };
  if (typeof constructor === 'object' && constructor !== null && Object.hasOwn(constructor, 'prototype'))
    throw invalid("The field 'constructor.prototype' is not allowed.");
}

/** Goes level by level, because a body that is nested deeply to attack the gateway would overflow a recursion. */
export function deeperThan(value: object, limit: number): boolean {
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    const below: object[] = [];
    for (const node of level) {
      if (Array.isArray(node)) {
        for (const child of node as unknown[]) if (typeof child === 'object' && child !== null) below.push(child);
      } else {
        for (const name in node) {
          const child = (node as Record<string, unknown>)[name];
          if (typeof child === 'object' && child !== null) below.push(child);
        }
      }
    }
    level = below;
  }
  return false;
}

function invalid(message: string): ApiError {
  return new ApiError('invalid_request', message);
}

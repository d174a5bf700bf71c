import { isUtf8 } from 'node:buffer';
import { keepSource } from './json-source.js';
import { ApiError } from '../common/api-error.js';
import { jsonMembers } from './json-members.js';
import { outlineOf, putTexts } from './json-outline.js';
import { BufferList } from './buffer-list.js';

/** JSON.stringify overflows the stack between 3,000 and 5,000 levels, and no request needs a hundredth of that. */
const MAX_DEPTH = 100;

/** Bytes of a body from which on it pays to find out where its values lie, and to leave the long ones there. */
const LARGE = 16 * 1024;

/**
 * The JSON object in a request body (RFC 8259; a byte order mark is ignored, as its section 8.1 allows).
 * @throws ApiError 400 invalid_request
 */
export function parseJsonBody(body: BufferList): Record<string, unknown> {
  if (body.length === 0) throw invalid('The request body is empty. Send a JSON object.');
  const json = body.at(0) === 0xef && body.at(1) === 0xbb && body.at(2) === 0xbf ? new BufferList(body.slice(3, body.length)) : body;
  return (json.length >= LARGE ? parseLarge(json) : undefined) ?? parseWhole(json.joined());
}

/** The object of a valid large body, its long texts not decoded; undefined where it has to be looked at as a whole, to read it or to refuse it. */
function parseLarge(json: BufferList): Record<string, unknown> | undefined {
  const outline = outlineOf(json);
  let value: Record<string, unknown>;
  try {
    value = parseWhole(outline.json);
  } catch {
    return undefined;
  }
  const members = jsonMembers(outline.json);
  // Not where a name was given twice: what we read, its last value, might not be what a provider reads.
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

/** In all objects together. Recursion is safe: the value is known to be shallow. */
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
 * Names that would change the prototype of whatever the object's own fields are assigned to. Only the top level is assigned field by field;
 * deeper ones are data that is passed on as it came.
 */
function refusePoison(value: object): void {
  if (Object.hasOwn(value, '__proto__')) throw invalid("The field '__proto__' is not allowed.");
  if (!Object.hasOwn(value, 'constructor')) return;
  const { constructor } = value as { constructor: unknown };
  if (typeof constructor === 'object' && constructor !== null && Object.hasOwn(constructor, 'prototype'))
    throw invalid("The field 'constructor.prototype' is not allowed.");
}

/** Level by level instead of by recursion, which is what such a body is meant to break. */
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

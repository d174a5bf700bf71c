import { join } from './buffer-list.js';
import { refusedJson } from './json-limits.js';
import { OnObject } from './on-object.js';

/** Bytes of a field whose numbers are kept as they are written: it is read a second time, by a slower way. */
const MAX_EXACT = 128 * 1024;

/** The JSON of fields of a body with numbers that a double might not keep, by the names of the fields. */
type InexactFields = ReadonlyMap<string, readonly Buffer[]>;

class Written extends OnObject {
  readonly #fields: InexactFields;

  constructor(body: object, fields: InexactFields) {
    super(body);
    this.#fields = fields;
  }

  static of(body: object): InexactFields | undefined {
    return #fields in body ? body.#fields : undefined;
  }
}

/** @param body has none yet */
export function keepWritten(body: object, fields: InexactFields): void {
  void new Written(body, fields);
}

/** Characters that make a number one that is kept as it is written: see `JsonScan.inexact`. */
const inexact = /[eE].{3}|^-0|.{16}/;

/** What the reviver of JSON.parse is told (ECMAScript 2026, section 25.5.2); TypeScript does not declare it yet. */
interface ReviverContext {
  readonly source?: string;
}

interface RawJson {
  readonly rawJSON: string;
}

declare global {
  interface JSON {
    /** A value that JSON.stringify writes as it was written (ECMAScript 2026, section 25.5.3). */
    rawJSON(source: string): RawJson;
    isRawJSON(value: unknown): value is RawJson;
  }
}

/**
 * Reads a field of a body for passing it on: JSON.stringify writes each number of it as the client wrote it, beyond
 * 2^53 and beyond what a double holds.
 * @param body what parseJsonBody has returned
 * @throws ApiError 400 invalid_request
 */
export function exactField(body: object, name: string): unknown {
  const written = Written.of(body)?.get(name);
  if (written === undefined) return (body as Record<string, unknown>)[name];
  const json = join(written);
  if (json.length > MAX_EXACT)
    throw refusedJson(`The field '${name}' has numbers of more than 15 digits, which are passed on in at most ${MAX_EXACT} bytes only.`);
  return JSON.parse(json.toString(), keepNumber);
}

/** Reads JSON; each number in it is written as it was, also beyond what a double holds. */
export function exactValue(json: string): unknown {
  return /\d{16}|[eE]/.test(json) ? JSON.parse(json, keepNumber) : JSON.parse(json);
}

function keepNumber(this: unknown, _name: string, value: unknown, context?: ReviverContext): unknown {
  return typeof value === 'number' && inexact.test(context!.source!) ? JSON.rawJSON(context!.source!) : value;
}

import { BoundedJson } from '../../json/bounded-json.js';
import { jsonBytes } from '../../json/json-bytes.js';
import { hasSomeText, textBytes, textStart, valueAt } from '../../wire/members.js';
import { report, hasMeaning } from '../../json/unread-members.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import { setMember } from '../../wire/own-members.js';
import type { CarriedFacts, CarriedTexts } from './carried-facts.js';

/** Bytes of all that one request carries, and of all of it that is put in words: it is read at once. */
const MAX_CARRIED = 4 * 1024 * 1024;

/** Values of one request that are read; the rest is not looked at. */
const MAX_VALUES = 4_000;

/**
 * Reads what a client carries back in one request. What this store's gateways have not written, or beyond what is read,
 * is left out.
 */
export class CarriedReader {
  #left = MAX_CARRIED;
  #valuesLeft = MAX_VALUES;
  #wordsLeft = MAX_CARRIED;
  #json: BoundedJson | undefined;
  #leftOut: Set<string> | undefined;

  constructor(private readonly texts: Pick<CarriedTexts, 'payloadOf'>) {}

  /** What was left out, as `facts` was told to name it; undefined where nothing was. */
  get leftOut(): ReadonlySet<string> | undefined {
    return this.#leftOut;
  }

  /**
   * @param holder has a member that `isCarried`
   * @param what as the client is told where it is left out: `thinking.signature`
   * @returns undefined where it is left out
   */
  facts(holder: object, name: string, what: string): CarriedFacts | undefined {
    const facts = this.#read(holder, name);
    if (!facts) this.leaveOut(what);
    return facts;
  }

  /**
   * A value that the canonical form has no word for as JSON, without what is encrypted: only its vendor reads that.
   * @param what as the client is told where there is too much of it
   * @returns empty where it is left out
   */
  words(value: unknown, what: string): string {
    const read = readable(value);
    this.#wordsLeft -= jsonBytes(read);
    if (this.#wordsLeft >= 0) return JSON.stringify(read);
    this.leaveOut(what);
    return '';
  }

  /** @param what as the client is told */
  leaveOut(what: string): void {
    report((this.#leftOut ??= new Set()), what);
  }

  /**
   * Tells a member that no provider gets, unless it says nothing.
   * @param where path of what has it, to which its type is added
   */
  leaveOutMember(holder: object, name: string, where: string): void {
    const path = memberPath(holder, name, where);
    if (path !== undefined) this.leaveOut(path);
  }

  #read(holder: object, name: string): CarriedFacts | undefined {
    if (--this.#valuesLeft < 0) return undefined;
    this.#left -= textBytes(holder, name);
    if (this.#left < 0) return undefined;
    const payload = this.texts.payloadOf((holder as Record<string, string>)[name]!);
    return payload && factsIn((this.#json ??= new BoundedJson()).parse(payload));
  }
}

/**
 * A member as it is reported, with the type of what has it.
 * @returns undefined where it says nothing
 */
export function memberPath(holder: object, name: string, where: string): string | undefined {
  const value = valueAt(holder, name);
  // Calls that a model makes itself say so in answers.
  if (!hasMeaning(holder, name) || (isObject(value) && value['type'] === 'direct')) return undefined;
  const type = hasSomeText(holder, 'type') ? `${textStart(holder, 'type', 100)}.` : '';
  return `${where}.${type}${name.slice(0, 100)}`;
}

function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable);
  if (!isObject(value) || JSON.isRawJSON(value)) return value;
  const kept: JsonObject = {};
  for (const name of Object.keys(value)) {
    if (!name.startsWith('encrypted_')) setMember(kept, name, readable(value[name]));
  }
  return kept;
}

function factsIn(value: unknown): CarriedFacts | undefined {
  if (!isObject(value)) return undefined;
  const { block, extra_content, of } = value;
  if (isObject(block)) return { block: blockOf(block) };
  return extra_content === undefined ? undefined : { extra_content, of: of === 'answer' ? of : 'call' };
}

function blockOf({ type, signature, data, wire }: Record<string, unknown>): Extract<CarriedFacts, { block: object }>['block'] {
  return {
    type: type === 'thinking' ? type : 'redacted_thinking',
    ...(typeof signature === 'string' && { signature }),
    ...(typeof data === 'string' && { data }),
    ...(wire === 'openai-responses' && { wire }),
  };
}

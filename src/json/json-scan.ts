import { type CountLimit, jsonLimits, mostOf, refusedJson } from './json-limits.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const MINUS = 0x2d;
const ZERO = 0x30;
const EXPONENT = 0x65;

/** Bytes of a string that are looked at one by one before its end is searched for. */
const NEAR = 16;

/** Characters of a number from which on a double may not keep it: 15 digits are always kept. */
const INEXACT = 16;
/** Characters of an exponent, with its sign, from which on it may be beyond what a double holds. */
const INEXACT_EXPONENT = 3;

/** Bytes that mean nothing to the scan outside of strings: they are skipped. */
const skipped = new Uint8Array(256).fill(1);
for (const byte of Buffer.from('",:{}[]-0123456789')) skipped[byte] = 0;

const inNumber = new Uint8Array(256);
for (const byte of Buffer.from('0123456789.eE+-')) inNumber[byte] = 1;

/** A member of the body itself. Offsets are those of the body. */
export interface Member {
  /** The content of the name's string, escapes and all. */
  readonly nameFrom: number;
  readonly nameTo: number;
  /** The value; with white space where it is neither an object nor an array. */
  from: number;
  to: number;
  /** Whether it has a number that a double might not keep as it is written. */
  inexact: boolean;
}

/**
 * Looks at each byte of a body once, as it comes, and builds no values: it counts what the body has, refuses what
 * exceeds `jsonLimits`, and locates its members. What it finds is right for valid JSON; it does
 * not check whether the body is valid.
 */
export class JsonScan {
  /** Members whose value has ended; at most `jsonLimits.fields`. */
  readonly members: Member[] = [];
  /** Number of names in all objects together; a name that occurs twice counts twice. */
  names = 0;
  /** Whether a number anywhere might not be kept as it is written. */
  inexact = false;
  #length = 0;
  #values = 1;
  #containers = 0;
  #depth = 0;
  /** Names in the open object of each level. */
  readonly #namesAt: number[] = [];
  #member: Member | undefined;
  /** Offset of the opening quote of the string that is open or was last; of its closing quote, or -1. */
  #open = -1;
  #close = 0;
  /** Whether the rest of the open string is looked at byte by byte, because it has escaped quotes. */
  #escapes = false;
  #escaped = false;
  /** Bytes of the number that the last bytes were part of, and whether it begins with a minus. */
  #number = 0;
  #negative = false;
  /** Bytes of it up to its exponent; 0 where it has none. */
  #exponent = 0;

  /** @param expected bytes of the whole body at most, where it may be more than what has been seen */
  constructor(private readonly expected = 0) {}

  /** Bytes that it has seen. */
  get length(): number {
    return this.#length;
  }

  /** @throws ApiError 400 invalid_request, as soon as a limit is exceeded */
  feed(bytes: Uint8Array): void {
    const base = this.#length;
    const end = bytes.length;
    let at = 0;
    if (this.#close < 0) at = this.#string(bytes, 0);
    else if (this.#number > 0) at = this.#numeral(bytes, 0);
    while (at < end) {
      const byte = bytes[at]!;
      if (skipped[byte] === 1) {
        at++;
        continue;
      }
      switch (byte) {
        case QUOTE:
          this.#open = base + at;
          this.#close = -1;
          at = this.#string(bytes, at + 1);
          break;
        case COMMA:
          this.#values++;
          if (this.#depth === 1) this.#endMember(base + at);
          at++;
          break;
        case COLON:
          this.#name(base + at);
          at++;
          break;
        case OPEN_OBJECT:
        case OPEN_ARRAY:
          this.#enter(base + at);
          at++;
          break;
        case CLOSE_OBJECT:
        case CLOSE_ARRAY:
          this.#leave(base + at);
          at++;
          break;
        default:
          at = this.#numeral(bytes, at);
      }
    }
    this.#length = base + end;
    this.#check(Math.max(this.#length, this.expected));
  }

  /** @throws ApiError 400 invalid_request where the body has more than its length allows */
  end(): void {
    this.#check(this.#length);
  }

  #check(length: number): void {
    const { values, containers } = jsonLimits;
    if (this.#containers > mostOf(containers, length)) throw tooMany('objects and arrays', containers);
    if (this.#values > mostOf(values, length)) throw tooMany('values', values);
  }

  /** @returns the position after the string, or the end of the bytes where it goes on */
  #string(bytes: Uint8Array, from: number): number {
    const end = bytes.length;
    let at = this.#escaped ? from + 1 : from;
    this.#escaped = false;
    // A text with one escaped quote usually has many, so from there on each byte is looked at.
    for (let near = this.#escapes ? end : Math.min(end, at + NEAR); ; near = end) {
      for (; at < near; at++) {
        const byte = bytes[at];
        if (byte === QUOTE) {
          this.#endString(this.#length + at);
          return at + 1;
        }
        if (byte === BACKSLASH) at++;
      }
      if (at >= end) break;
      const found = bytes.indexOf(QUOTE, at);
      const to = found < 0 ? end : found;
      if (bytes[to - 1] === BACKSLASH) this.#escapes = true;
      else at = to;
    }
    this.#escaped = at > end;
    return end;
  }

  #endString(close: number): void {
    this.#close = close;
    this.#escapes = false;
  }

  #name(colon: number): void {
    this.names++;
    const names = (this.#namesAt[this.#depth] ?? 0) + 1;
    this.#namesAt[this.#depth] = names;
    if (this.#depth !== 1) {
      if (names > jsonLimits.members) throw refusedJson(`An object in the request body has more than ${jsonLimits.members} members.`);
      return;
    }
    if (names > jsonLimits.fields) throw refusedJson(`The request body has more than ${jsonLimits.fields} fields.`);
    if (this.#close - this.#open - 1 > jsonLimits.fieldName)
      throw refusedJson(`The name of a field of the request body is longer than ${jsonLimits.fieldName} bytes.`);
    this.#member = { nameFrom: this.#open + 1, nameTo: this.#close, from: colon + 1, to: 0, inexact: false };
  }

  #enter(at: number): void {
    this.#values++;
    this.#containers++;
    if (++this.#depth > jsonLimits.depth) throw refusedJson(`The request body is nested deeper than ${jsonLimits.depth} levels.`);
    this.#namesAt[this.#depth] = 0;
    if (this.#depth === 2 && this.#member) this.#member.from = at;
  }

  #leave(at: number): void {
    if (this.#depth === 2 && this.#member) this.#member.to = at + 1;
    if (this.#depth === 1) this.#endMember(at);
    if (this.#depth > 0) this.#depth--;
  }

  #endMember(at: number): void {
    const member = this.#member;
    if (!member) return;
    if (member.to === 0) member.to = at;
    this.members.push(member);
    this.#member = undefined;
  }

  /** @returns the position after the number, or the end of the bytes where it goes on */
  #numeral(bytes: Uint8Array, from: number): number {
    const end = bytes.length;
    let at = from;
    let length = this.#number;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (inNumber[byte] === 0) break;
      length++;
      if ((byte | 0x20) === EXPONENT) this.#exponent = length;
      else if (length === 1) this.#negative = byte === MINUS;
      else if (length === 2 && byte === ZERO && this.#negative) this.#keep();
    }
    if (length >= INEXACT || (this.#exponent > 0 && length - this.#exponent >= INEXACT_EXPONENT)) this.#keep();
    if (length > jsonLimits.number) throw refusedJson(`A number in the request body has more than ${jsonLimits.number} characters.`);
    this.#number = at < end ? 0 : length;
    if (at < end) this.#exponent = 0;
    return at;
  }

  #keep(): void {
    this.inexact = true;
    if (this.#member) this.#member.inexact = true;
  }
}

function tooMany(what: string, { base, bytes, most }: CountLimit): Error {
  return refusedJson(
    `The request body has too many ${what}: at most ${base}, one more for each ${bytes} bytes, and ${most} in all are read.`,
  );
}

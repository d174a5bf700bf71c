import { ApiError } from '../common/api-error.js';

/**
 * What the JSON of one request may have. Each limit is far above what clients send, and low enough that a body costs no
 * more time and memory than an ordinary one of its size.
 */
export const jsonLimits = {
  /** Levels of nesting. JSON.stringify overflows the stack between 3,000 and 5,000. */
  depth: 100,
  /** Fields of the body itself. */
  fields: 512,
  /** Bytes of the name of such a field. */
  fieldName: 256,
  /** Members of any other object: V8 keeps larger ones in tables that are slow to fill. */
  members: 4_096,
  /** Bytes of one number. */
  number: 1_000,
  /** Values of any kind: `base`, one more for each `bytes` bytes of the body, and never more than `most`. */
  values: { base: 100_000, bytes: 64, most: 250_000 },
  /** Objects and arrays, likewise. An empty one takes 40 to 64 bytes of memory. */
  containers: { base: 40_000, bytes: 128, most: 125_000 },
} as const;

export interface CountLimit {
  readonly base: number;
  readonly bytes: number;
  readonly most: number;
}

/** @param length bytes of the body */
export function mostOf({ base, bytes, most }: CountLimit, length: number): number {
  return Math.min(most, base + Math.floor(length / bytes));
}

export function refusedJson(message: string): ApiError {
  return new ApiError('invalid_request', message);
}

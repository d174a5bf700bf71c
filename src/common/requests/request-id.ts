import { randomUUIDv7 } from 'node:crypto';

/** Makes a new UUIDv7. */
export function newRequestId(): string {
  return randomUUIDv7();
}

/**
 * A text that sorts before every id made at or after a time, and after every earlier id.
 * @param time milliseconds since 1970
 */
export function firstRequestId(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/**
 * When an id was made: the time at which its request came.
 * @returns milliseconds since 1970
 */
export function requestTime(requestId: string): number {
  return Number.parseInt(requestId.slice(0, 8) + requestId.slice(9, 13), 16);
}

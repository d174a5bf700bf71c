import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const ID_BYTES = 16;

/** Random bytes for 256 ids: one call to the system costs as much for all of them as for one. */
const pool = new Uint8Array(256 * ID_BYTES);
let used = pool.length;

/** Makes a new UUIDv7. */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return v7({ random: pool.subarray(used, (used += ID_BYTES)) });
}

/**
 * A text that sorts before every id made at or after a time, and after every earlier id.
 * @param time milliseconds since 1970
 */
export function firstRequestId(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

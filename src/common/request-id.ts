import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const ID_BYTES = 16;

/** Random bytes of 256 ids: one call of the system costs as much for all of them as for one. */
const pool = new Uint8Array(256 * ID_BYTES);
let used = pool.length;

/** A new UUIDv7. */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return v7({ random: pool.subarray(used, (used += ID_BYTES)) });
}

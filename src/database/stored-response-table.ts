import type { ColumnType } from 'kysely';
import type { EnvironmentColumn, Int, OptionalInt } from './columns.js';

type Bytes = ColumnType<Uint8Array, Uint8Array, Uint8Array>;

/** A response that later requests of its account may go on with. Its texts are encrypted. */
export interface StoredResponseTable {
  /** The id of the request, a UUIDv7, so that the order of ids is that of time. */
  id: string;
  account_id: string;
  environment: EnvironmentColumn;
  status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
  /** 1 where it is, or was, generated in the background. */
  background: Int;
  /** The response that it continues; that one may have been deleted since. */
  previous_id: string | null;
  /** Responses of its conversation up to it. */
  turns: Int;
  /** Of `input` and `answer`. */
  bytes: Int;
  /** The same of the whole conversation up to it. */
  conversation_bytes: Int;
  /** The process that generates it; null where none does any more. */
  node_id: string | null;
  /** Until then that process generates it, unless it tells again, on the store's clock. */
  lease_until: OptionalInt;
  /** JSON of the items that the request has brought. */
  input: Bytes;
  /** JSON of the response. */
  answer: Bytes;
}

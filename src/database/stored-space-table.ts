import type { ColumnType } from 'kysely';
import type { DefaultedInt, Int } from './columns.js';

/** A client's Idempotency-Key and the request that it was first sent with. */
export interface IdempotencyKeyTable {
  /** HMAC-SHA-256 of API key id and Idempotency-Key, in hex. */
  digest: string;
  /** HMAC-SHA-256 of operation and body, in hex. */
  fingerprint: string;
  request_id: string;
  /** Whose space the answer takes; null for keys of earlier versions. */
  account_id: string | null;
  created_at: Int;
  /** Encrypted; null while there is none, and for answers that are not kept. */
  answer: ColumnType<Uint8Array | null, Uint8Array | undefined, Uint8Array | null>;
  /** Of the answer. */
  bytes: DefaultedInt;
}

/** What is stored of an account. Triggers count it. */
export interface StoredSpaceTable {
  account_id: string;
  kind: 'responses' | 'answers';
  entries: Int;
  bytes: Int;
}

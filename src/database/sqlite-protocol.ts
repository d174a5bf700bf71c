export type SqliteValue = string | number | bigint | Uint8Array | null;

export interface SqliteStatement {
  readonly sql: string;
  readonly parameters: readonly SqliteValue[];
  /** JSON: the statement runs once for each of these lists of parameters. */
  readonly rows?: string;
  /** Rows that the statement has to change; with any other number it fails. */
  readonly changes?: number;
}

/** What the worker is started with. */
export interface SqliteOptions {
  readonly file: string;
  /** Milliseconds that a statement waits for another process's transaction. */
  readonly busyTimeout: number;
  /** Milliseconds from one look for other processes' commits to the next; absent for a thread that only reads. */
  readonly pollInterval?: number;
}

/** Statements run in order up to the first that fails. None is run where the transaction that they continue is gone. */
export type SqliteRequest =
  | { readonly id: number; readonly statements: readonly SqliteStatement[]; readonly continues: boolean }
  | { readonly id: number; readonly close: true };

export interface SqliteResult {
  readonly rows: Record<string, SqliteValue>[];
  readonly changes: bigint;
}

export type SqliteReply =
  | { readonly id: number; readonly results: readonly SqliteResult[] }
  /** `code` is SQLite's extended result code. */
  | { readonly id: number; readonly error: { readonly message: string; readonly code: number } }
  /** The statement that did not change as many rows as it had to. */
  | { readonly id: number; readonly unexpected: string }
  /** Another process has committed since the last look. */
  | { readonly changed: true };

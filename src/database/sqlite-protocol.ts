export type SqliteValue = string | number | bigint | Uint8Array | null;

export interface SqliteStatement {
  readonly sql: string;
  readonly parameters: readonly SqliteValue[];
  /** JSON: the statement runs once for each of these lists of parameters. */
  readonly rows?: string;
  /** Rows that it changes, or else fails. */
  readonly changes?: number;
}

/** What the worker is started with. */
export interface SqliteOptions {
  readonly file: string;
  /** Milliseconds that a statement waits for another process's transaction. */
  readonly busyTimeout: number;
  /** Milliseconds between looks for other processes' commits. */
  readonly pollInterval: number;
}

/** Runs statements in order and stops at the first that fails; runs none where the transaction that they continue is gone. */
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
  /** A statement that did not change as many rows as it was to. */
  | { readonly id: number; readonly unexpected: string }
  /** Another process has committed since the last look. */
  | { readonly changed: true };

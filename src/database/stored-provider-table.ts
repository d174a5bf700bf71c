import type { Int, OptionalInt } from './columns.js';

/** A provider that operators have added beside those of the configuration file. */
export interface StoredProviderTable {
  id: string;
  /** JSON of what an entry of the file would say, encrypted: it has keys. */
  settings: Uint8Array;
  created_at: Int;
  disabled_at: OptionalInt;
  /** Why it is switched off. */
  message: string | null;
  /** The value of the counter `stored_provider` at the last change. */
  version: Int;
}

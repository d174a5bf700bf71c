import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * Holds a file for one process: an open exclusive transaction on an empty SQLite file of its own, which the system frees however the process
 * ends. Node has no lock on files.
 */
export class FileLock {
  private constructor(private readonly holder: DatabaseSync) {}

  /** Undefined when another process, or another lock of this one, holds the file. */
  static take(file: string): FileLock | undefined {
    closeSync(openSync(file, 'a', 0o600));
    const holder = new DatabaseSync(file, { timeout: 0 });
    try {
      holder.exec('begin exclusive');
      return new FileLock(holder);
    } catch (error) {
      holder.close();
      if (isBusy(error)) return undefined;
      throw error;
    }
  }

  release(): void {
    if (this.holder.isOpen) this.holder.close();
  }
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;
}

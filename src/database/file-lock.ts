import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * A lock that one process has: an open exclusive transaction on an empty SQLite file, which the operating system
 * releases however the process ends. Node has no locks on files.
 */
export class FileLock {
  private constructor(private readonly holder: DatabaseSync) {}

  /** Undefined where another process, or this one, has the lock already. */
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

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { FileLock } from '../../database/file-lock.js';

const SUFFIX = '.journal';

/** The file of one process's journal, with the lock that tells whether that process lives. */
export class JournalFile {
  readonly path: string;

  constructor(
    folder: string,
    readonly nodeId: string,
  ) {
    this.path = join(folder, nodeId + SUFFIX);
  }

  /** Undefined where the file is not a journal. */
  static named(folder: string, name: string): JournalFile | undefined {
    return name.endsWith(SUFFIX) ? new JournalFile(folder, name.slice(0, -SUFFIX.length)) : undefined;
  }

  /** What the journal is written to before it takes the place of the old one. */
  get draft(): string {
    return `${this.path}.draft`;
  }

  /** Undefined while another process has it. */
  lock(): FileLock | undefined {
    return FileLock.take(this.#lockPath);
  }

  remove(): void {
    rmSync(this.path, { force: true });
    rmSync(this.draft, { force: true });
  }

  /** To be called when the lock is released and the journal is gone. */
  removeLock(): void {
    rmSync(this.#lockPath, { force: true });
  }

  get #lockPath(): string {
    return `${this.path}.lock`;
  }
}

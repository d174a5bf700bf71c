import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Ending } from '../hold/request-facts.js';
import { JournalFile } from './journal-file.js';
import { readJournal } from './journal-record.js';

/** The journal that a dead process has left. It stays locked until the next one is asked for. */
interface AbandonedJournal {
  readonly nodeId: string;
  readonly endings: readonly Ending[];
  /** To be called when the store knows what the journal says: it is removed. */
  readonly finish: () => void;
}

/** The journals in a folder whose processes are gone. */
export function* abandonedJournals(folder: string): Generator<AbandonedJournal> {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const file = JournalFile.named(folder, name);
    const lock = file?.lock();
    if (!file || !lock) continue;
    try {
      // Between listing and locking, another process may have finished it.
      if (!existsSync(file.path)) continue;
      yield {
        nodeId: file.nodeId,
        endings: readJournal(readFileSync(file.path, 'utf8'), Date.now()),
        finish: () => file.remove(),
      };
    } finally {
      lock.release();
      if (!existsSync(file.path)) file.removeLock();
    }
  }
}

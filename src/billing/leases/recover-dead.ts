import { isConstraintViolation } from '../../database/store-error.js';
import { CRASHED, type Ending } from '../hold/request-facts.js';
import { abandonedJournals } from './abandoned-journals.js';
import type { LeaseStore } from './lease-store.js';
import { MAX_BATCH } from './ledger-batch.js';
import { logRefused } from './log-refused.js';

/**
 * Settles what dead processes of this machine have left behind: first what their journals say, then what the store
 * knows of leases without a journal.
 * @param alone no other process can be alive on this store, so that every lease is a dead process's
 * @returns requests that were in flight when their process died
 */
export async function recoverDead(store: LeaseStore, folder: string, alone: boolean): Promise<number> {
  let crashed = 0;
  for (const { nodeId, endings, finish } of abandonedJournals(folder)) {
    for (let start = 0; start < endings.length; start += MAX_BATCH) await write(store, endings.slice(start, start + MAX_BATCH), nodeId);
    await store.reapDead(nodeId);
    finish();
    crashed += endings.filter(({ outcome }) => outcome === CRASHED).length;
  }
  if (alone) await store.reapDead();
  return crashed;
}

/** A row that breaks a constraint must not keep the gateway from starting. */
async function write(store: LeaseStore, endings: readonly Ending[], nodeId: string): Promise<void> {
  try {
    await store.replay(endings, nodeId);
  } catch (error) {
    if (!isConstraintViolation(error)) throw error;
    if (endings.length === 1) logRefused(endings[0]!, error as Error);
    else for (const ending of endings) await write(store, [ending], nodeId);
  }
}

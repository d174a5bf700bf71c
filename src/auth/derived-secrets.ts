import { createHmac, type KeyObject } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Characters of a text that are read in one turn of the event loop. */
const STEP = 64 * 1024;

/** Derives secrets for other purposes than key digests from the pepper, so that an operator has one secret to keep. */
export class DerivedSecrets {
  constructor(private readonly pepper: KeyObject) {}

  /** Derives 32 bytes that are different for each purpose and each list of texts. */
  derive(purpose: string, ...texts: string[]): Buffer {
    return createHmac('sha256', this.pepper)
      .update(JSON.stringify([purpose, ...texts]))
      .digest();
  }

  /**
   * Derives the same where a last text comes in pieces, with other turns of the event loop in between.
   * @param pieces none ends between the two halves of a character
   */
  async deriveInSteps(purpose: string, text: string, pieces: Iterable<string>): Promise<Buffer> {
    const hmac = createHmac('sha256', this.pepper).update(`${JSON.stringify([purpose, text]).slice(0, -1)},"`);
    let read = 0;
    for (const piece of pieces) {
      hmac.update(JSON.stringify(piece).slice(1, -1));
      read += piece.length;
      if (read < STEP) continue;
      read = 0;
      await nextTurn();
    }
    return hmac.update('"]').digest();
  }
}

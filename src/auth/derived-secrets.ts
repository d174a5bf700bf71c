import { createHmac, type KeyObject } from 'node:crypto';

/** Derives secrets for other purposes than key digests from the pepper, so that an operator has one secret to keep. */
export class DerivedSecrets {
  constructor(private readonly pepper: KeyObject) {}

  /** Derives 32 bytes that are different for each purpose and each list of texts. */
  derive(purpose: string, ...texts: string[]): Buffer {
    return createHmac('sha256', this.pepper)
      .update(JSON.stringify([purpose, ...texts]))
      .digest();
  }
}

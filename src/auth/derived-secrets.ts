import { createHmac, type KeyObject } from 'node:crypto';

/** Secrets for other purposes than key digests, made from the pepper, so that an operator has one secret to keep. */
export class DerivedSecrets {
  constructor(private readonly pepper: KeyObject) {}

  /** 32 bytes, of their own for each purpose and each list of texts. */
  derive(purpose: string, ...texts: string[]): Buffer {
    return createHmac('sha256', this.pepper)
      .update(JSON.stringify([purpose, ...texts]))
      .digest();
  }
}

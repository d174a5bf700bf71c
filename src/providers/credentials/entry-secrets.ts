import { Redactor } from '../../common/redaction/redactor.js';

/** Fetched secrets of one entry that are remembered: tokens follow each other. */
const MAX_FETCHED = 8;

const listeners = new Set<(secret: string) => void>();

/** What no error, log line or record of one provider may show: what its entry says, and what it has fetched since. */
export class EntrySecrets {
  #fetched: readonly string[] = [];
  #redactor: Redactor;

  constructor(private readonly configured: readonly string[]) {
    this.#redactor = new Redactor(configured);
  }

  redact(text: string): string {
    return this.#redactor.redact(text);
  }

  /** Adds a secret that the configuration does not have, such as a token that was fetched with the key. */
  hide(secret: string): void {
    // A module in JavaScript may hand over what the answer of a token service lacks.
    if (typeof secret !== 'string') throw new TypeError('hide() takes a text');
    if (this.#fetched.includes(secret) || this.configured.includes(secret)) return;
    this.#fetched = [...this.#fetched, secret].slice(-MAX_FETCHED);
    this.#redactor = new Redactor([...this.configured, ...this.#fetched]);
    for (const listener of listeners) listener(secret);
  }
}

/** Calls `listener` with each secret that a provider fetches, for what is written in one place for all of them. */
export function onFetchedSecret(listener: (secret: string) => void): void {
  listeners.add(listener);
}

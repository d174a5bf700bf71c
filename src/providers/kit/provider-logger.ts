import { Logger } from '@nestjs/common';
import type { EntrySecrets } from '../credentials/entry-secrets.js';
import { reportOf } from '../errors/thrown.js';

/** Characters of a line that are kept. */
const MAX_LINE = 2_000;

/** Writes to the gateway's log in the name of one entry, without the entry's secrets. */
export class ProviderLogger {
  readonly #logger: Logger;

  constructor(
    id: string,
    private readonly secrets: EntrySecrets,
  ) {
    this.#logger = new Logger(`providers.${id}`);
  }

  debug(message: string, thrown?: unknown): void {
    this.#logger.debug(this.#line(message, thrown));
  }

  log(message: string, thrown?: unknown): void {
    this.#logger.log(this.#line(message, thrown));
  }

  warn(message: string, thrown?: unknown): void {
    this.#logger.warn(this.#line(message, thrown));
  }

  /** @param thrown is written with its message, its causes and their stacks */
  error(message: string, thrown?: unknown): void {
    this.#logger.error(this.#line(message, thrown));
  }

  #line(message: string, thrown: unknown): string | object {
    const redact = (text: string): string => this.secrets.redact(text);
    const msg = redact(message.slice(0, MAX_LINE));
    return thrown === undefined ? msg : { msg, err: reportOf(thrown, redact) };
  }
}

import type { LoggerService } from '@nestjs/common';
import { ConfigError } from './config-problems.js';
import type { Config } from './config.schema.js';
import type { ConfigService } from './config.service.js';
import { changes, withoutRestart } from './restart-settings.js';

/**
 * Reads the configuration again and brings it into force, as a whole or not at all. Requests that run keep the
 * configuration that they began with.
 */
export class ConfigReload {
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly service: ConfigService,
    private readonly load: () => Config,
    private readonly log: Pick<LoggerService, 'log' | 'warn' | 'error'>,
    private readonly sources?: () => ReadonlyMap<string, string>,
  ) {}

  /**
   * Reloads once a reload under way has ended, and logs the result in one line. Never rejects, and never shows a value.
   */
  now(): Promise<void> {
    this.#last = this.#last.then(() => this.#reload());
    return this.#last;
  }

  async #reload(): Promise<void> {
    try {
      const { file } = this.service;
      const { config, waiting } = withoutRestart(file, this.load());
      const changed = changes(file, config);
      if (changed.length > 0) await this.service.replace(config);
      this.service.sources = this.sources?.();
      this.service.lastReload = { at: Date.now(), problems: [], waiting };
      this.log.log(`configuration read again: ${changed.length > 0 ? `${changed.join(', ')} changed` : 'nothing changed'}`);
      if (waiting.length > 0) this.log.warn(`${waiting.join(', ')} changed as well: in force after a restart`);
    } catch (error) {
      const problems = error instanceof ConfigError ? error.problems : [(error as Error).message];
      this.service.lastReload = { at: Date.now(), problems, waiting: [] };
      this.log.error(`the new configuration cannot be used, the previous one stays: ${problems.join('; ')}`);
    }
  }
}

import { isDeepStrictEqual } from 'node:util';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { messageOf } from '../common/message-of.js';
import type { ProviderConfig } from '../config/config.schema.js';
import { ConfigService } from '../config/config.service.js';
import { Database } from '../database/database.js';
import { ProviderRegistry } from '../providers/registry/provider-registry.js';
import { problemOf, storedEntry } from './stored-entry.js';
import { type StoredProvider, StoredProviderStore } from './stored-provider-store.js';
import { ownOf } from '../wire/own-members.js';

/**
 * Brings the providers of the store into the configuration of this process, from where they come to traffic as those of
 * the file do. What cannot be used is left out and logged: it stops neither a start nor a reload.
 */
@Injectable()
export class StoredProviders implements OnModuleInit, OnModuleDestroy {
  readonly #logger = new Logger('Providers');
  #problems: ReadonlyMap<string, string> = new Map();
  #last: Promise<unknown> = Promise.resolve();
  #unsubscribe: () => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly store: StoredProviderStore,
    private readonly config: ConfigService,
    private readonly registry: ProviderRegistry,
  ) {}

  /** Runs after the registry's own, and before the catalogue asks for lists. */
  async onModuleInit(): Promise<void> {
    await this.database.follow('stored_provider', () => this.#read());
    let { stored_providers: terms } = this.config.current;
    this.#unsubscribe = this.config.onChange(({ stored_providers }) => {
      if (isDeepStrictEqual(terms, stored_providers)) return;
      terms = stored_providers;
      this.#read().catch((error: unknown) => this.#logger.error(`the providers of the store cannot be read: ${messageOf(error)}`));
    });
  }

  onModuleDestroy(): void {
    this.#unsubscribe();
  }

  /** Why a provider of the store is not in service at this process although it is switched on. */
  problemOf(id: string): string | undefined {
    if (Object.hasOwn(this.config.file.providers, id)) return 'the configuration file has a provider of this id, which is the one in force';
    return this.#problems.get(id);
  }

  /** One reading after the other, so that the one which is in force is the latest. */
  #read(): Promise<void> {
    const done = this.#last.then(() => this.#readNow());
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #readNow(): Promise<void> {
    const all = (await this.store.list()).filter(({ disabledAt }) => disabledAt === undefined);
    const usable: Record<string, ProviderConfig> = {};
    const problems = new Map<string, string>();
    const take = async (provider: StoredProvider): Promise<void> => {
      try {
        usable[provider.id] = await this.#entryOf(provider);
      } catch (error) {
        problems.set(provider.id, problemOf(error));
      }
    };
    await Promise.all(all.map(take));
    for (const [id, problem] of problems)
      if (this.#problems.get(id) !== problem) this.#logger.warn(`provider '${id}' of the store is left out: ${problem}`);
    this.#problems = problems;
    if (isDeepStrictEqual(usable, this.config.stored)) return;
    try {
      await this.config.replaceStored(usable);
    } catch (error) {
      this.#logger.error(`the providers of the store cannot be used, those of before stay: ${messageOf(error)}`);
    }
  }

  /** @throws Error that says why it cannot be used */
  async #entryOf({ id, settings }: StoredProvider): Promise<ProviderConfig> {
    if (!settings) throw new Error('its settings cannot be decrypted');
    if (this.registry.isBuiltIn(id)) throw new Error('the gateway itself has a provider of this id');
    const entry = storedEntry(id, settings, this.config.current);
    // What was made once is not made again, so that the instance which is in force stays.
    if (!isDeepStrictEqual(ownOf(this.config.stored, id), entry)) await this.registry.apart(id, entry, async () => undefined);
    return entry;
  }
}

import { isDeepStrictEqual } from 'node:util';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Clock } from '../../common/time/clock.js';
import type { Config, ProviderConfig } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import { declaredOptions } from '../../config/declared-options.js';
import { validatedOptions } from '../../config/options-schema.js';
import { secretsOfProvider } from '../../config/secrets.js';
import { StartError } from '../../config/start-error.js';
import { timeLimited, waitAtMost } from '../../common/time/waits.js';
import { ClosingProvider } from './closing.js';
import { discover } from './discover.js';
import { EntrySecrets } from '../credentials/entry-secrets.js';
import { hideSecrets } from '../errors/hidden-secrets.js';
import { type ModelProvider, PROVIDER_BRAND, PROVIDER_CONTRACT_VERSION } from '../contract/model-provider.js';
import { PROVIDER_FACTORY_BRAND, type ProviderFactory } from '../kit/provider-factory.js';
import { ProviderLogger } from '../kit/provider-logger.js';
import { ProvidersInUse } from './providers-in-use.js';
import { SharedServices } from '../kit/provider-services.js';
import { reasonOf } from '../errors/thrown.js';

/** Milliseconds that making all providers may take, and closing all of them when the gateway ends. */
const CREATE_MS = 30_000;
const CLOSE_MS = 5_000;

interface Configured {
  readonly config: ProviderConfig;
  readonly provider: ModelProvider;
  readonly secrets: EntrySecrets;
  /** Absent where the provider has nothing to close. */
  readonly closing: ClosingProvider | undefined;
}

/** The providers of one configuration. A new configuration replaces all of it or nothing. */
interface Providers {
  readonly configured: ReadonlyMap<string, Configured>;
  readonly byId: ReadonlyMap<string, ModelProvider>;
  readonly all: readonly ModelProvider[];
}

/**
 * Every provider of this process: those that a Nest module brings, then one for each entry of the configuration's
 * `providers` section. The registry is filled once at init. When the configuration is replaced, the configured
 * providers are made anew, and unchanged entries keep their instance.
 */
@Injectable()
export class ProviderRegistry implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  readonly #logger = new Logger(ProviderRegistry.name);
  readonly #listeners = new Set<() => void>();
  #modules: readonly ModelProvider[] = [];
  #factories = new Map<string, ProviderFactory>();
  readonly #unsubscribe: (() => void)[] = [];
  #now: Providers = { configured: new Map(), byId: new Map(), all: [] };
  #inUse = new ProvidersInUse();
  /** Resolves when the requests have ended that may ask providers of earlier configurations. */
  #earlier: Promise<unknown> = Promise.resolve();
  /** Providers of earlier configurations that are to be closed. */
  readonly #retired = new Set<Promise<void>>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly config: ConfigService,
    private readonly services: SharedServices,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws StartError (rejects) naming everything that is wrong: duplicate ids, other contract versions,
   * request-scoped providers, unknown types, bad entries.
   */
  async onModuleInit(): Promise<void> {
    const found = this.discovery.getProviders();
    const providers = discover(found, PROVIDER_BRAND);
    const factories = discover(found, PROVIDER_FACTORY_BRAND);
    const problems = [...providers.problems, ...factories.problems];
    this.#modules = providers.instances as ModelProvider[];
    for (const factory of factories.instances as ProviderFactory[]) {
      for (const type of factory.types) {
        if (this.#factories.has(type)) problems.push(`two factories make providers of type '${type}'`);
        this.#factories.set(type, factory);
      }
    }
    this.#now = await this.#prepare(this.config.current, problems);
    let next = this.#now;
    this.#unsubscribe.push(
      this.config.beforeChange(async (config) => {
        next = await this.#prepare(config);
      }),
      this.config.onChange(() => this.#commit(next)),
    );
  }

  onModuleDestroy(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  /** Runs after the last request. */
  async onApplicationShutdown(): Promise<void> {
    const all = [...this.#now.configured];
    this.#now = { configured: new Map(), byId: new Map(), all: [] };
    await waitAtMost(this.clock, CLOSE_MS, Promise.all([...all.map(([id, one]) => this.#close(id, one)), ...this.#retired]));
  }

  /** To be told of requests that ask what is found now, so that none of it is closed before they end. */
  get inUse(): ProvidersInUse {
    return this.#inUse;
  }

  all(): readonly ModelProvider[] {
    return this.#now.all;
  }

  get(id: string): ModelProvider | undefined {
    return this.#now.byId.get(id);
  }

  /** Whether a module of Nest brings the provider of this id, so that no entry can have it. */
  isBuiltIn(id: string): boolean {
    return this.#modules.some((provider) => provider.id === id);
  }

  /**
   * Makes a provider of an entry that is not in force, for as long as `use` takes.
   * @throws StartError (rejects) that says why it cannot be made; what `use` rejects with
   */
  async apart<T>(id: string, entry: ProviderConfig, use: (provider: ModelProvider) => Promise<T>): Promise<T> {
    const one = await this.#made(id, entry);
    if (typeof one === 'string') throw new StartError(one);
    try {
      return await use(one.provider);
    } finally {
      void this.#close(id, one);
    }
  }

  /** Calls `listener` after the set of providers has changed, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #commit(next: Providers): void {
    const { all: before, configured } = this.#now;
    this.#now = next;
    this.#retire([...configured].filter(([id, one]) => next.configured.get(id) !== one));
    if (before.length === next.all.length && before.every((provider, index) => provider === next.all[index])) return;
    this.#tell();
    for (const listener of this.#listeners) listener();
  }

  /** Closes providers when no request can ask them any more: one that has begun may yet fall back to them. */
  #retire(gone: readonly [id: string, one: Configured][]): void {
    if (gone.length === 0) return;
    this.#earlier = Promise.all([this.#earlier, this.#inUse.ended()]);
    this.#inUse = new ProvidersInUse();
    const closed = this.#closeAfter(this.#earlier, gone);
    this.#retired.add(closed);
    void closed.finally(() => this.#retired.delete(closed));
  }

  async #closeAfter(earlier: Promise<unknown>, gone: readonly [id: string, one: Configured][]): Promise<void> {
    await earlier;
    await Promise.all(gone.map(([id, one]) => this.#close(id, one)));
  }

  #tell(): void {
    this.#logger.log(`providers: ${this.#now.all.map(({ id }) => id).join(', ') || 'none'}`);
  }

  async #close(id: string, { closing, secrets }: Configured): Promise<void> {
    try {
      await closing?.close();
    } catch (error) {
      new ProviderLogger(id, secrets).warn('cannot be closed', error);
    }
    // It may have reported until now.
    if (!this.#now.configured.has(id)) this.services.figures?.forget(id);
  }

  /** @throws StartError (rejects) naming everything that is wrong */
  async #prepare(config: Config, problems: string[] = []): Promise<Providers> {
    const entries = Object.entries(config.providers);
    const results = await Promise.all(entries.map(([id, entry]) => this.#unchangedOrMade(id, entry)));
    const configured = new Map<string, Configured>();
    const made: [string, Configured][] = [];
    for (const [index, [id]] of entries.entries()) {
      const one = results[index]!;
      if (typeof one === 'string') problems.push(one);
      else {
        configured.set(id, one);
        if (this.#now.configured.get(id) !== one) made.push([id, one]);
      }
    }
    const all = [...this.#modules, ...[...configured.values()].map(({ provider }) => provider)];
    const byId = new Map<string, ModelProvider>();
    for (const provider of all) {
      if (byId.has(provider.id)) problems.push(`two providers have the id '${provider.id}'`);
      byId.set(provider.id, provider);
    }
    if (problems.length === 0) return { configured, byId, all };
    for (const [id, one] of made) void this.#close(id, one);
    throw new StartError(`Providers: ${problems.join('; ')}`);
  }

  async #unchangedOrMade(id: string, entry: ProviderConfig): Promise<Configured | string> {
    const previous = this.#now.configured.get(id);
    return previous && isDeepStrictEqual(previous.config, entry) ? previous : this.#made(id, entry);
  }

  /** @returns what is wrong with the entry where it cannot be made; never rejects */
  async #made(id: string, entry: ProviderConfig): Promise<Configured | string> {
    const factory = this.#factories.get(entry.type);
    if (!factory) return `provider '${id}' has the unknown type '${entry.type}' (known: ${[...this.#factories.keys()].join(', ')})`;
    const secrets = new EntrySecrets(secretsOfProvider(entry));
    try {
      return await this.#make(factory, id, entry, secrets);
    } catch (error) {
      return `providers.${id}: ${secrets.redact(reasonOf(error))}`;
    }
  }

  /** @throws Error (rejects) where the factory refuses the entry, or makes something else than its provider */
  async #make(factory: ProviderFactory, id: string, entry: ProviderConfig, secrets: EntrySecrets): Promise<Configured> {
    const made = Promise.resolve(factory.create(id, withCheckedOptions(entry), this.services.lent(id, secrets)));
    const provider: Partial<ModelProvider> = await timeLimited(this.clock, CREATE_MS, made);
    if (provider?.[PROVIDER_BRAND] !== PROVIDER_CONTRACT_VERSION)
      throw new TypeError(`type '${entry.type}' made no provider of contract version ${PROVIDER_CONTRACT_VERSION}`);
    if (provider.id !== id) throw new TypeError(`type '${entry.type}' made a provider with the id '${provider.id}'`);
    const whole = provider as ModelProvider;
    hideSecrets(whole, secrets);
    return { config: entry, provider: whole, secrets, closing: whole.close && new ClosingProvider(whole) };
  }
}

/** The entry with what the schema of its type makes of its options. */
function withCheckedOptions(entry: ProviderConfig): ProviderConfig {
  const { schema } = declaredOptions(entry.type) ?? {};
  if (!schema) return entry;
  const { issues, value } = validatedOptions(schema, entry.options);
  if (issues) throw new StartError(issues.map(({ message }) => message).join('; '));
  return { ...entry, options: value as ProviderConfig['options'] };
}

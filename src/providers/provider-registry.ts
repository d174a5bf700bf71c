import { isDeepStrictEqual } from 'node:util';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Config, ProviderConfig } from '../config/config.schema.js';
import { ConfigService } from '../config/config.service.js';
import { StartError } from '../config/start-error.js';
import { discover } from './discover.js';
import { type ModelProvider, PROVIDER_BRAND, PROVIDER_CONTRACT_VERSION } from './model-provider.js';
import { redact } from './protocols/redact.js';
import { PROVIDER_FACTORY_BRAND, type ProviderFactory } from './provider-factory.js';
import { reasonOf } from './provider-module.js';

interface Configured {
  readonly config: ProviderConfig;
  readonly provider: ModelProvider;
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
export class ProviderRegistry implements OnModuleInit, OnModuleDestroy {
  readonly #logger = new Logger(ProviderRegistry.name);
  readonly #listeners = new Set<() => void>();
  #modules: readonly ModelProvider[] = [];
  #factories = new Map<string, ProviderFactory>();
  readonly #unsubscribe: (() => void)[] = [];
  #now: Providers = { configured: new Map(), byId: new Map(), all: [] };

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly config: ConfigService,
  ) {}

  /**
   * @throws StartError naming everything that is wrong: duplicate ids, other contract versions, request-scoped
   * providers, unknown types, bad entries.
   */
  onModuleInit(): void {
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
    this.#now = this.#prepare(this.config.current, problems);
    let next = this.#now;
    this.#unsubscribe.push(
      this.config.beforeChange((config) => (next = this.#prepare(config))),
      this.config.onChange(() => this.#commit(next)),
    );
  }

  onModuleDestroy(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  all(): readonly ModelProvider[] {
    return this.#now.all;
  }

  get(id: string): ModelProvider | undefined {
    return this.#now.byId.get(id);
  }

  /** Calls `listener` after the set of providers has changed, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #commit(next: Providers): void {
    const before = this.#now.all;
    this.#now = next;
    if (before.length === next.all.length && before.every((provider, index) => provider === next.all[index])) return;
    this.#tell();
    for (const listener of this.#listeners) listener();
  }

  #tell(): void {
    this.#logger.log(`providers: ${this.#now.all.map(({ id }) => id).join(', ') || 'none'}`);
  }

  /** @throws StartError naming everything that is wrong */
  #prepare(config: Config, problems: string[] = []): Providers {
    const configured = new Map<string, Configured>();
    for (const [id, entry] of Object.entries(config.providers)) {
      const previous = this.#now.configured.get(id);
      const factory = this.#factories.get(entry.type);
      if (previous && isDeepStrictEqual(previous.config, entry)) configured.set(id, previous);
      else if (factory) {
        try {
          configured.set(id, { config: entry, provider: made(factory, id, entry) });
        } catch (error) {
          problems.push(`providers.${id}: ${redact(reasonOf(error), [entry.api_key ?? ''])}`);
        }
      } else problems.push(`provider '${id}' has the unknown type '${entry.type}' (known: ${[...this.#factories.keys()].join(', ')})`);
    }
    const all = [...this.#modules, ...[...configured.values()].map(({ provider }) => provider)];
    const byId = new Map<string, ModelProvider>();
    for (const provider of all) {
      if (byId.has(provider.id)) problems.push(`two providers have the id '${provider.id}'`);
      byId.set(provider.id, provider);
    }
    if (problems.length > 0) throw new StartError(`Providers: ${problems.join('; ')}`);
    return { configured, byId, all };
  }
}

/** @throws Error where the factory refuses the entry, or makes something else than its provider */
function made(factory: ProviderFactory, id: string, entry: ProviderConfig): ModelProvider {
  const provider: Partial<ModelProvider> = factory.create(id, entry);
  if (provider?.[PROVIDER_BRAND] !== PROVIDER_CONTRACT_VERSION)
    throw new TypeError(`type '${entry.type}' made no provider of contract version ${PROVIDER_CONTRACT_VERSION}`);
  if (provider.id !== id) throw new TypeError(`type '${entry.type}' made a provider with the id '${provider.id}'`);
  return provider as ModelProvider;
}

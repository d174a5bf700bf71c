import { Injectable } from '@nestjs/common';
import type { ProviderConfig } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import { type Page, pageInMemory, type SearchQuery } from '../../database/pages.js';
import { type StoredProvider, StoredProviderStore } from '../../provider-store/stored-provider-store.js';
import { StoredProviders } from '../../provider-store/stored-providers.js';
import { ProviderRegistry } from '../../providers/registry/provider-registry.js';
import { isoTime } from '../fields.js';
import { found } from '../preconditions.js';
import type { ProviderView } from './provider.dto.js';
import { shownSettings } from './shown-settings.js';
import { ownOf } from '../../wire/own-members.js';

/** The providers of the file and of the store, as operators see them. */
@Injectable()
export class ProviderList {
  constructor(
    private readonly store: StoredProviderStore,
    private readonly stored: StoredProviders,
    private readonly config: ConfigService,
    private readonly registry: ProviderRegistry,
  ) {}

  /** In the order of their ids. Where both have one, that of the file comes first. */
  async page(query: SearchQuery): Promise<Page<ProviderView>> {
    const ofStore = (await this.store.list()).map((provider) => this.view(provider));
    const ofFile = Object.entries(this.config.file.providers).map(([id, entry]) => this.#viewOfFile(id, entry));
    return pageInMemory(
      [...ofFile, ...ofStore],
      query,
      ({ id }) => id,
      ({ id, type, settings }) => [id, type, settings && 'base_url' in settings ? settings.base_url : ''].join(' '),
    );
  }

  /**
   * Where the file and the store have a provider of this id, that of the store, which can be removed.
   * @throws ApiError 404 not_found
   */
  async get(id: string): Promise<ProviderView> {
    const provider = await this.store.find(id);
    if (provider) return this.view(provider);
    const { providers } = this.config.file;
    return this.#viewOfFile(id, found('provider', id, ownOf(providers, id)));
  }

  view(provider: StoredProvider): ProviderView {
    const { id, settings, createdAt, disabledAt, message, version } = provider;
    const problem = disabledAt === undefined ? this.stored.problemOf(id) : undefined;
    const shown = settings && shownSettings(id, settings);
    const type = ownOf(this.config.stored, id)?.type ?? settings?.['type'];
    return {
      id,
      source: 'store',
      type: typeof type === 'string' ? type : null,
      settings: shown?.settings ?? null,
      secrets: shown?.secrets ?? [],
      in_service: disabledAt === undefined && problem === undefined && this.registry.get(id) !== undefined,
      problem: problem ?? null,
      disabled_at: isoTime(disabledAt),
      message: message ?? null,
      created_at: isoTime(createdAt),
      version: String(version),
    };
  }

  #viewOfFile(id: string, entry: ProviderConfig): ProviderView {
    return {
      id,
      source: 'file',
      type: entry.type,
      ...shownSettings(id, entry),
      in_service: this.registry.get(id) !== undefined,
      problem: null,
      disabled_at: null,
      message: null,
      created_at: null,
      version: null,
    };
  }
}

import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/api-error.js';
import { Clock } from '../../common/clock.js';
import { ConfigService } from '../../config/config.service.js';
import { audited, type Deed } from '../../observability/audit/audit-log.js';
import { type StoredProvider, StoredProviderStore } from '../../provider-store/stored-provider-store.js';
import { changedMeanwhile, found, requireVersion } from '../preconditions.js';

/** Finds, switches and removes the providers of the store. Those of the file are refused with 409. */
@Injectable()
export class ProviderSwitches {
  constructor(
    private readonly store: StoredProviderStore,
    private readonly config: ConfigService,
    private readonly clock: Clock,
  ) {}

  async disable(id: string, message: string | undefined, version: bigint | undefined, deed: Deed): Promise<StoredProvider> {
    const now = await this.find(id);
    requireVersion(version, now);
    if (now.disabledAt !== undefined && (message === undefined || message === now.message)) return now;
    const change = { disabledAt: now.disabledAt ?? this.clock.now(), message };
    return this.#switched(id, change, version, deed, message === undefined ? ['disabled_at'] : ['disabled_at', 'message']);
  }

  async enable(id: string, version: bigint | undefined, deed: Deed): Promise<StoredProvider> {
    const now = await this.find(id);
    requireVersion(version, now);
    if (now.disabledAt === undefined) return now;
    return this.#switched(id, { disabledAt: undefined, message: undefined }, version, deed, ['disabled_at']);
  }

  async remove(id: string, version: bigint | undefined, deed: Deed): Promise<StoredProvider> {
    requireVersion(version, await this.find(id));
    const removed = await this.store.remove(id, { ifVersion: version, beside: audited(deed, { fields: [] }) });
    if (!removed) throw changedMeanwhile();
    return removed;
  }

  /** @throws ApiError 404 not_found, 409 conflict for one of the file */
  async find(id: string): Promise<StoredProvider> {
    const provider = await this.store.find(id);
    if (!provider && Object.hasOwn(this.config.file.providers, id))
      throw new ApiError('conflict', `The provider '${id}' is of the configuration file, which alone changes it.`);
    return found('provider', id, provider);
  }

  async #switched(
    id: string,
    change: Parameters<StoredProviderStore['change']>[1],
    ifVersion: bigint | undefined,
    deed: Deed,
    fields: readonly string[],
  ): Promise<StoredProvider> {
    const after = await this.store.change(id, change, { ifVersion, beside: audited(deed, { fields }) });
    if (!after) throw changedMeanwhile();
    return after;
  }
}

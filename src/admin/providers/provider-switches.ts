import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/api-error.js';
import { Clock } from '../../common/time/clock.js';
import { ConfigService } from '../../config/config.service.js';
import { type StoredProvider, StoredProviderStore } from '../../provider-store/stored-provider-store.js';
import { changeOptions, requireChanged, requireVersion } from '../changes.js';
import type { Change } from '../route.decorators.js';
import { found } from '../preconditions.js';

/** Finds, switches and removes the providers of the store. Those of the file are refused with 409. */
@Injectable()
export class ProviderSwitches {
  constructor(
    private readonly store: StoredProviderStore,
    private readonly config: ConfigService,
    private readonly clock: Clock,
  ) {}

  async disable(id: string, message: string | undefined, by: Change): Promise<StoredProvider> {
    const now = await this.find(id);
    requireVersion(by, now);
    if (now.disabledAt !== undefined && (message === undefined || message === now.message)) return now;
    const change = { disabledAt: now.disabledAt ?? this.clock.now(), message };
    const fields = message === undefined ? ['disabled_at'] : ['disabled_at', 'message'];
    return requireChanged(await this.store.change(id, change, changeOptions(by, { fields })));
  }

  async enable(id: string, by: Change): Promise<StoredProvider> {
    const now = await this.find(id);
    requireVersion(by, now);
    if (now.disabledAt === undefined) return now;
    const change = { disabledAt: undefined, message: undefined };
    return requireChanged(await this.store.change(id, change, changeOptions(by, { fields: ['disabled_at'] })));
  }

  async remove(id: string, by: Change): Promise<StoredProvider> {
    requireVersion(by, await this.find(id));
    return requireChanged(await this.store.remove(id, changeOptions(by, { fields: [] })));
  }

  /** @throws ApiError 404 not_found, 409 conflict for one of the file */
  async find(id: string): Promise<StoredProvider> {
    const provider = await this.store.find(id);
    if (!provider && Object.hasOwn(this.config.file.providers, id))
      throw new ApiError('conflict', `The provider '${id}' is of the configuration file, which alone changes it.`);
    return found('provider', id, provider);
  }
}

import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/api-error.js';
import { Clock } from '../../common/time/clock.js';
import { ConfigService } from '../../config/config.service.js';
import { ProviderRegistry } from '../../providers/registry/provider-registry.js';
import type { ModelProvider } from '../../providers/contract/model-provider.js';
import { type Trial, tryProvider } from '../../providers/registry/provider-trial.js';
import { found } from '../preconditions.js';
import { ProviderChanges } from './provider-changes.js';
import { ProviderSwitches } from './provider-switches.js';
import type { TryNewProviderDto, TryProviderDto } from './provider.dto.js';

/** Trials that run at the same time in this process. */
const MAX_TRIALS = 4;

/** Tries providers by a call that is not charged to any account. */
@Injectable()
export class ProviderTrials {
  #running = 0;

  constructor(
    private readonly changes: ProviderChanges,
    private readonly switches: ProviderSwitches,
    private readonly config: ConfigService,
    private readonly registry: ProviderRegistry,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 404 not_found, 409 conflict, 400 for settings that cannot be used */
  async existing(id: string, { settings, ...terms }: TryProviderDto): Promise<Trial> {
    if (settings === undefined && Object.hasOwn(this.config.current.providers, id))
      return this.#trial(terms)(found('provider', id, this.registry.get(id)));
    const provider = await this.switches.find(id);
    return this.changes.usable(id, this.changes.merged(id, provider.settings ?? {}, settings ?? {}), this.#trial(terms));
  }

  async unsaved({ id = 'trial', settings, ...terms }: TryNewProviderDto): Promise<Trial> {
    return this.changes.usable(id, this.changes.merged(id, {}, settings), this.#trial(terms));
  }

  #trial({ model, max_tokens: maxTokens, timeout }: Omit<TryProviderDto, 'settings'>): (provider: ModelProvider) => Promise<Trial> {
    return async (provider) => {
      if (this.#running >= MAX_TRIALS)
        throw new ApiError('rate_limit_exceeded', `${MAX_TRIALS} trials are under way: try again when one has ended.`, { retryAfter: 1 });
      this.#running++;
      try {
        return await tryProvider(provider, { model, maxTokens, timeout, clock: this.clock });
      } finally {
        this.#running--;
      }
    };
  }
}

import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { randomBase62 } from '../../auth/base62.js';
import { DerivedSecrets } from '../../auth/derived-secrets.js';
import { ApiError } from '../../common/api-error.js';
import { Clock } from '../../common/time/clock.js';
import { ConfigError } from '../../config/config-problems.js';
import type { ProviderConfig } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import { StartError } from '../../config/start-error.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { canonical } from '../../observability/audit/changed-fields.js';
import { changedSettings } from '../../provider-store/changed-settings.js';
import { requirePublic, storedEntry } from '../../provider-store/stored-entry.js';
import { type ProviderSettings, type StoredProvider, StoredProviderStore } from '../../provider-store/stored-provider-store.js';
import { ProviderRegistry } from '../../providers/registry/provider-registry.js';
import { difference, requireChanged, requireVersion } from '../changes.js';
import type { Change } from '../route.decorators.js';
import { OnceService } from '../once.service.js';
import type { CreateProviderDto } from './provider.dto.js';
import { ProviderSwitches } from './provider-switches.js';
import { redactedSetting, shownSettings } from './shown-settings.js';
import { ownOf } from '../../wire/own-members.js';

/** Adds and changes the providers of the store. Those of the file are refused with 409. */
@Injectable()
export class ProviderChanges {
  readonly #key: Buffer;

  constructor(
    private readonly store: StoredProviderStore,
    private readonly switches: ProviderSwitches,
    private readonly once: OnceService,
    private readonly config: ConfigService,
    private readonly registry: ProviderRegistry,
    secrets: DerivedSecrets,
    private readonly clock: Clock,
  ) {
    this.#key = secrets.derive('content of stored providers');
  }

  async create({ id: wanted, settings: given }: CreateProviderDto, deed: Deed): Promise<StoredProvider> {
    const settings = this.merged(wanted ?? '', {}, given);
    return this.once.once({
      kind: 'provider',
      prefix: 'provider',
      newId: () => `provider-${randomBase62(12).toLowerCase()}`,
      id: wanted,
      content: this.#digests(settings),
      deed,
      make: async (id, beside) => {
        this.#requireFree(id);
        await this.usable(id, settings, async () => undefined);
        return this.store.create(id, settings, beside);
      },
      find: (id) => this.store.find(id),
    });
  }

  async change(id: string, change: ProviderSettings = {}, by: Change): Promise<StoredProvider> {
    const now = await this.switches.find(id);
    requireVersion(by, now);
    const before = now.settings ?? {};
    const settings = this.merged(id, before, change);
    const wanted = Object.fromEntries(Object.keys(change).map((name) => [`settings.${name}`, ownOf(settings, name) ?? null]));
    const has = Object.fromEntries(Object.entries(before).map(([name, value]) => [`settings.${name}`, value]));
    const differs = difference({ ...now, ...has }, wanted, by);
    if (!differs) return now;
    await this.usable(id, settings, async () => undefined);
    // A key that stays belongs to the address that was read with it.
    return requireChanged(await this.store.change(id, { settings }, { ...differs.options, ifVersion: now.version }));
  }

  /** @throws ApiError 400 where a secret has to be given again, or was not read as it is */
  merged(id: string, now: ProviderSettings, change: ProviderSettings): ProviderSettings {
    const redacted = redactedSetting(change);
    if (redacted !== undefined)
      throw new ApiError('invalid_request', `${redacted} is what was shown in the place of a secret: give the secret itself`);
    try {
      return changedSettings(now, change, (settings) => shownSettings(id, settings).secrets);
    } catch (error) {
      throw new ApiError('invalid_request', (error as RangeError).message);
    }
  }

  /**
   * Makes a provider of settings that are not in force.
   * @throws ApiError 400 that names the wrong settings; what `use` rejects with
   */
  async usable<T>(id: string, settings: ProviderSettings, use: Parameters<typeof this.registry.apart<T>>[2]): Promise<T> {
    let entry: ProviderConfig;
    try {
      entry = storedEntry(id, settings, this.config.current);
      await requirePublic(this.clock, entry);
    } catch (error) {
      throw refused(error, id);
    }
    return this.registry.apart(id, entry, use).catch((error: unknown) => {
      throw refused(error, id);
    });
  }

  #requireFree(id: string): void {
    if (Object.hasOwn(this.config.file.providers, id))
      throw new ApiError('conflict', `The configuration file has a provider '${id}', which would be the one in force.`);
    if (this.registry.isBuiltIn(id)) throw new ApiError('conflict', `The gateway itself has a provider '${id}'.`);
  }

  /** What tells a repetition from another request, of which no secret can be guessed without the pepper. */
  #digests(settings: ProviderSettings): Record<string, string> {
    const digest = (value: unknown): string => createHmac('sha256', this.#key).update(canonical(value)).digest('hex');
    return Object.fromEntries(Object.entries(settings).map(([name, value]) => [`settings.${name}`, digest(value)]));
  }
}

function refused(error: unknown, id: string): unknown {
  if (error instanceof ConfigError) return new ApiError('invalid_request', error.problems.join('; '), {}, { cause: error });
  if (error instanceof StartError)
    return new ApiError('invalid_request', error.message.replace(`providers.${id}`, 'settings'), {}, { cause: error });
  return error;
}
